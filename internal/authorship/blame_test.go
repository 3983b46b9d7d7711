package authorship_test

import (
	"errors"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/git"
	"kaijutsu/internal/access"
	"kaijutsu/internal/authorship"
	"kaijutsu/internal/repo"
)

// shown returns lines as "source name", separated by commas; of nobody known
// here the author.
func shown(lines []authorship.BlameLine) string {
	var out []string
	for _, l := range lines {
		name := nameOf(l.By)
		if l.By.IsZero() && l.Author != "" {
			name, _, _ = strings.Cut(l.Author, " <")
		}
		out = append(out, l.Source+" "+name)
	}
	return strings.Join(out, ", ")
}

func (w *world) blame(t authorship.Target) []authorship.BlameLine {
	w.Helper()
	lines, err := w.book.Blame(w.ctx, t)
	if err != nil {
		w.Fatal(err)
	}
	return lines
}

func TestBlameFollowsTheChain(t *testing.T) {
	w := newWorld(t)
	w.identify(ben, access.Person{Name: "Ben", Email: "ben@example.org"})
	c := newCheckout(t, t.TempDir())
	// A commit of a stranger's, one of ben's, and one whose note names amy.
	c.write("a.txt", "jane\n")
	c.git("add", ".")
	c.git("commit", "-qm", "one")
	first := c.head()
	c.write("a.txt", "jane\nben\n")
	c.git("-c", "user.email=BEN@example.org", "commit", "-qam", "two")
	doc := w.context("app@main")
	id, _ := w.file(authorship.Git, doc, "jane\nben\n")
	w.replace(repo.Edit{By: amy}, doc, id, "jane\nben\namy\n")
	w.replace(repo.Edit{By: bot}, doc, id, "jane\nben\namy\nbot\n")
	third := c.commit(w, doc, []authorship.NoteFile{{Path: "a.txt", Block: id, Data: []byte("jane\nben\namy\nbot\n")}})

	// Another kernel's server, or this one with a new data directory, knows
	// nothing of it but what git has.
	doc = w.context("app@main again")
	id, _ = w.file(authorship.Git, doc, "jane\nben\namy\nbot\n")
	w.replace(repo.Edit{By: authorship.Disk}, doc, id, "jane\nben\namy\nbot\ndisk\n")
	w.replace(repo.Edit{By: aide}, doc, id, "aide\njane\nben\namy\nbot\ndisk\n")
	w.replace(repo.Edit{Via: ci}, doc, id, "aide\njane\nben\namy\nbot\ndisk\nsomebody\n")
	target := authorship.Target{Git: c.tree, Doc: doc, Block: id, Path: "a.txt"}
	const want = "log aide, git Jane Doe, git ben, note amy, note bot, disk disk, log -"
	lines := w.blame(target)
	if got := shown(lines); got != want {
		t.Fatalf("Blame = %s, want %s", got, want)
	}
	for i, want := range []git.Hash{"", first, "", third, third, "", ""} {
		if l := lines[i]; l.Line != i+1 || want != "" && l.Commit != want || (i == 0 || i > 4) && l.Commit != "" || l.Block != id {
			t.Errorf("line %+v, want number %d of block %s, and commit %q", l, i+1, id, want)
		}
	}
	if l := lines[0]; l.Text != "aide" || l.Change == (kaijutsu.ChangeHash{}) || l.Doc != doc {
		t.Errorf("line = %+v, want the change in this context", l)
	}
	if l := lines[4]; l.Key == "" || l.Change != (kaijutsu.ChangeHash{}) {
		t.Errorf("line = %+v, want the note's key and no change", l)
	}
	if l := lines[6]; l.Via != ci {
		t.Errorf("line = %+v, want through whom it came", l)
	}

	t.Run("some lines", func(t *testing.T) {
		target := target
		target.First, target.Last = 3, 4
		if got, want := shown(w.blame(target)), "git ben, note amy"; got != want {
			t.Errorf("Blame of 3 to 4 = %s, want %s", got, want)
		}
		target.First, target.Last = 7, 70
		if got, want := shown(w.blame(target)), "log -"; got != want {
			t.Errorf("Blame of 7 to 70 = %s, want %s", got, want)
		}
		target.First, target.Last = 8, 0
		if got := w.blame(target); len(got) != 0 {
			t.Errorf("Blame from 8 on = %+v, want nothing", got)
		}
		target.First, target.Last = 4, 3
		if _, err := w.book.Blame(t.Context(), target); !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("Blame of 4 to 3 = %v, want ErrInvalid", err)
		}
	})
	t.Run("the log alone", func(t *testing.T) {
		target := target
		target.Git = nil
		if got, want := shown(w.blame(target)), "log aide, disk git, disk git, disk git, disk git, disk disk, log -"; got != want {
			t.Errorf("Blame without git = %s, want %s", got, want)
		}
	})
	t.Run("a file that is not open", func(t *testing.T) {
		closed := authorship.Target{Git: c.tree, Path: "a.txt"}
		if got, want := shown(w.blame(closed)), "git Jane Doe, git ben, note amy, note bot"; got != want {
			t.Errorf("Blame = %s, want %s", got, want)
		}
		closed.Head, closed.First = first, 1
		if got, want := shown(w.blame(closed)), "git Jane Doe"; got != want {
			t.Errorf("Blame of the first commit = %s, want %s", got, want)
		}
		closed.Path = "b.txt"
		if _, err := w.book.Blame(t.Context(), closed); !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("Blame of no file = %v, want ErrNotFound", err)
		}
	})
	t.Run("renamed since", func(t *testing.T) {
		target := target
		target.Path, target.OldPath = "b.txt", "a.txt"
		if got := shown(w.blame(target)); got != want {
			t.Errorf("Blame by the old path = %s, want %s", got, want)
		}
		c.write("x.txt", "something\nelse\n")
		c.git("add", "x.txt")
		c.git("mv", "a.txt", "b.txt")
		target.OldPath = ""
		if got := shown(w.blame(target)); got != want {
			t.Errorf("Blame with the old path to be found = %s, want %s", got, want)
		}
	})
	t.Run("no such block", func(t *testing.T) {
		target := target
		target.Block = blocks.NewID(w.clock.now())
		if _, err := w.book.Blame(t.Context(), target); !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("Blame = %v, want ErrNotFound", err)
		}
	})
}

// TestWhoCommitsHasNotWritten commits lines that came from a disk.
func TestWhoCommitsHasNotWritten(t *testing.T) {
	w := newWorld(t)
	c := newCheckout(t, t.TempDir())
	c.write("a.txt", "jane\n")
	c.git("add", ".")
	c.git("commit", "-qm", "one")
	doc := w.context("app@main")
	id := blocks.NewID(w.clock.now())
	w.edit(doc, repo.Edit{By: authorship.Disk, Message: "op:file_open"}, func(_ repo.View, tx *blocks.Tx) error {
		return tx.InsertBlock(blocks.BlockSpec{ID: id, Kind: blocks.KindFile, Role: blocks.RoleSystem, Form: blocks.FormBody, Content: "jane\nnot committed\n"})
	})
	w.replace(repo.Edit{By: authorship.Disk, Message: "op:file_import"}, doc, id, "jane\nnot committed\nsed\n")
	w.replace(repo.Edit{By: bot}, doc, id, "jane\nnot committed\nsed\nbot\n")
	const want = "git Jane Doe, disk disk, disk disk, log bot"
	target := authorship.Target{Git: c.tree, Doc: doc, Block: id, Path: "a.txt"}
	if got := shown(w.blame(target)); got != want {
		t.Errorf("Blame = %s, want %s", got, want)
	}
	text, _ := w.content(doc, id)
	c.commit(w, doc, []authorship.NoteFile{{Path: "a.txt", Block: id, Data: []byte(text)}})
	if got := shown(w.blame(target)); got != want {
		t.Errorf("Blame after amy has committed it = %s, want %s", got, want)
	}
}

// TestNotesOutliveTheirLog commits a file whose writers the parent's note alone
// knows.
func TestNotesOutliveTheirLog(t *testing.T) {
	w := newWorld(t)
	c := newCheckout(t, t.TempDir())
	old := w.context("app@main")
	id, _ := w.file(amy, old, "amy\n")
	w.replace(repo.Edit{By: bot}, old, id, "amy\nbot\n")
	c.commit(w, old, []authorship.NoteFile{{Path: "a.txt", Block: id, Data: []byte("amy\nbot\n")}})

	doc := w.context("app@main again")
	id, _ = w.file(authorship.Git, doc, "amy\nbot\n")
	w.replace(repo.Edit{By: ben}, doc, id, "ben\namy\nbot\n")
	w.replace(repo.Edit{By: authorship.Disk}, doc, id, "ben\namy\nbot\ndisk\n")
	data := "ben\r\namy\r\nbot\r\ndisk\r\n"
	head := c.commit(w, doc, []authorship.NoteFile{{Path: "b.txt", OldPath: "a.txt", Block: id, Data: []byte(data)}}, "a.txt")
	raw, err := c.tree.Repo().Note(git.NotesRef, head)
	if err != nil {
		t.Fatal(err)
	}
	note, err := git.ParseAuthorship(raw)
	if err != nil {
		t.Fatal(err)
	}
	writers := w.book.Writers(w.ctx, note, w.clock.now(), "b.txt", 4)
	if got, want := w.writersOf(note, "b.txt", 4), "ben amy bot -"; got != want {
		t.Errorf("writers = %s, want %s", got, want)
	}
	if got := writers[2].Doc; got != old {
		t.Errorf("the bot's context = %s, want the one it wrote in, %s", got.Name(), old.Name())
	}
	// A note that is not one says nothing, and stops nothing.
	c.git("notes", "--ref=ai", "add", "-f", "-m", "hello", string(head))
	c.commit(w, doc, []authorship.NoteFile{{Path: "b.txt", Block: id, Data: []byte(data)}})
}
