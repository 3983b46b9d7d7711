package mounts_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/flowbus"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/mounts"
)

func TestWhatCannotBeCommitted(t *testing.T) {
	w := newWorld(t)
	m := w.app()
	w.write(owner, "/mnt/app/.gitignore", "*.log\n")
	w.write(owner, "/mnt/app/x.log", "noise\n")
	w.write(owner, "/mnt/app/b.txt", "one\n2\nthree\n")
	no := true
	for _, c := range []struct {
		name string
		spec mounts.CommitSpec
		kind error
		says string
	}{
		{"nothing chosen", mounts.CommitSpec{Message: "x"}, kaijutsu.ErrInvalid, "nothing is chosen"},
		{"no message", mounts.CommitSpec{All: true, Message: " \n"}, kaijutsu.ErrInvalid, "message"},
		{"two messages", mounts.CommitSpec{All: true, Message: "x", Summarize: true}, kaijutsu.ErrInvalid, "summarize"},
		{"all and some", mounts.CommitSpec{All: true, Paths: []string{"a.go"}, Message: "x"}, kaijutsu.ErrInvalid, "all"},
		{"an unknown file", mounts.CommitSpec{Paths: []string{"none.go"}, Message: "x"}, kaijutsu.ErrNotFound, "none.go"},
		{"an unknown block", mounts.CommitSpec{Blocks: []blocks.ID{"x"}, Message: "x"}, kaijutsu.ErrNotFound, "block"},
		{"a file of another mount", mounts.CommitSpec{Paths: []string{"/scratch/x"}, Message: "x"}, kaijutsu.ErrInvalid, "not in mount"},
		{"a way out", mounts.CommitSpec{Paths: []string{"../x"}, Message: "x"}, kaijutsu.ErrDenied, ""},
		{"an unchanged file", mounts.CommitSpec{Paths: []string{"a.go"}, Message: "x"}, kaijutsu.ErrConflict, "as in the last commit"},
		{"an ignored file", mounts.CommitSpec{Paths: []string{"x.log"}, Message: "x"}, kaijutsu.ErrInvalid, "ignored"},
		{"another author", mounts.CommitSpec{All: true, Message: "x", Author: "me"}, kaijutsu.ErrInvalid, "author"},
		{"no key", mounts.CommitSpec{All: true, Message: "x", Sign: &no}, kaijutsu.ErrInvalid, "key"},
		{"no context", mounts.CommitSpec{All: true, Message: "x", Into: kaijutsu.ContextID{9}.Document()}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.spec.At, c.spec.DryRun = "app", c.name == "no context"
			_, err := w.Commit(w.ctx(), owner, c.spec)
			if err == nil && c.kind == nil {
				return
			}
			if err == nil || c.kind != nil && !errors.Is(err, c.kind) && !isField(err) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Commit = %v, want %v that says %q", err, c.kind, c.says)
			}
		})
	}
	if n := w.git(m.Dir, "rev-list", "--count", "HEAD"); n != "1" {
		t.Errorf("there are %s commits", n)
	}
	if _, err := w.Commit(w.ctx(), owner, mounts.CommitSpec{At: "/scratch", All: true, Message: "x"}); err == nil {
		t.Error("memory is committed")
	}
}

func TestADryRunCommitsNothing(t *testing.T) {
	w := newWorld(t)
	m := w.app()
	w.write(owner, "/mnt/app/b.txt", "one\n2\nthree\nfour\n")
	got, err := w.Commit(w.ctx(), owner, mounts.CommitSpec{At: "app", All: true, Message: "fix: b", DryRun: true})
	if err != nil || !got.Preview || got.Hash != "" || len(got.Files) != 1 || got.Files[0].Added != 2 || got.Files[0].Deleted != 1 || got.Subject != "fix: b" {
		t.Errorf("Commit = %+v, %v", got, err)
	}
	w.agree(m, " M b.txt")
	if len(w.blocksOf(m.Context, blocks.KindDrift)) != 0 {
		t.Error("the context tells of a dry run")
	}
}

func TestFilesThatAreNoText(t *testing.T) {
	w := newWorld(t)
	m := w.app()
	yes := true
	f, err := w.WriteFile(w.ctx(), owner, mounts.WriteSpec{Path: "/mnt/app/bin.dat", Text: "AAECAw==", Base64: true, Exec: &yes})
	w.must(err)
	if f.Block != "" {
		t.Errorf("a binary file is a block: %+v", f)
	}
	w.write(owner, "/mnt/app/run.sh", "#!/bin/sh\n")
	_, err = w.WriteFile(w.ctx(), owner, mounts.WriteSpec{Path: "/mnt/app/run.sh", Text: "#!/bin/sh\necho\n", Exec: &yes})
	w.must(err)
	w.must(os.Symlink("b.txt", filepath.Join(m.Dir, "link")))
	w.must(w.RemoveFile(w.ctx(), owner, "/mnt/app/a.go", false))
	got, err := w.Commit(w.ctx(), owner, mounts.CommitSpec{At: "app", All: true, Message: "mixed"})
	if err != nil || len(got.Files) != 4 {
		t.Fatalf("Commit = %+v, %v", got, err)
	}
	want := "100755 bin.dat\n100644 b.txt\n120000 link\n100755 run.sh"
	tree := w.git(m.Dir, "ls-tree", "-r", "--format=%(objectmode) %(path)", "HEAD")
	for line := range strings.SplitSeq(want, "\n") {
		if !strings.Contains(tree+"\n", line+"\n") {
			t.Errorf("the tree is\n%s\nwant %s in it", tree, line)
		}
	}
	if strings.Contains(tree, "a.go") {
		t.Errorf("the tree is\n%s", tree)
	}
	w.agree(m)
	back := w.read(owner, "/mnt/app/bin.dat")
	if !back.Base64 || back.Text != "AAECAw==" {
		t.Errorf("ReadFile = %+v", back)
	}
}

func TestARenameIsTheSameBlock(t *testing.T) {
	w := newWorld(t)
	m := w.app()
	amy := w.member("amy", kaijutsu.Person, kaijutsu.RightEdit)
	f := w.read(amy, "/mnt/app/b.txt")
	w.write(amy, "/mnt/app/b.txt", "one\ntwo, said amy\nthree\n")
	_, err := w.Commit(w.ctx(), owner, mounts.CommitSpec{At: "app", All: true, Message: "b"})
	w.must(err)
	w.must(w.Mkdir(w.ctx(), amy, "/mnt/app/d"))
	w.must(w.Rename(w.ctx(), amy, "/mnt/app/b.txt", "/mnt/app/d/c.txt"))
	if again := w.read(amy, "/mnt/app/d/c.txt"); again.Block != f.Block {
		t.Errorf("after a rename the block is %s, was %s", again.Block, f.Block)
	}
	got, err := w.Commit(w.ctx(), owner, mounts.CommitSpec{At: "app", All: true, Message: "move b"})
	if err != nil || len(got.Files) != 2 {
		t.Fatalf("Commit = %+v, %v", got, err)
	}
	w.agree(m)
	blame, err := w.Blame(w.ctx(), owner, mounts.BlameSpec{Path: "/mnt/app/d/c.txt"})
	if err != nil || len(blame.Lines) != 3 || blame.Lines[1].By != amy.By || blame.Lines[0].By == amy.By {
		t.Errorf("Blame = %+v, %v", blame, err)
	}
	note := w.git(m.Dir, "notes", "--ref=ai", "show", "HEAD")
	if !strings.Contains(note, "d/c.txt") {
		t.Errorf("the note is\n%s", note)
	}
}

func TestACommitThatIsNotToldOfIsToldAtTheStart(t *testing.T) {
	var pending []byte
	var w *world
	w = newWorldWith(t, func(c *mounts.Config) {
		c.Emit = func(e flowbus.Event) {
			w.hear(e)
			for name := range w.store.Records("mounts/pending/") {
				pending, _ = w.store.Record(name)
			}
		}
	})
	m := w.app()
	amy := w.member("amy", kaijutsu.Person, kaijutsu.RightEdit)
	w.write(amy, "/mnt/app/a.go", "package amy\n\nfunc A() {}\n")
	got, err := w.Commit(w.ctx(), amy, mounts.CommitSpec{At: "app", All: true, Message: "by amy"})
	w.must(err)
	if pending == nil {
		t.Fatal("nothing was noted before the commit")
	}
	if _, err := w.store.Record("mounts/pending/" + m.ID); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("a commit that was told of is pending: %v", err)
	}
	note := w.git(m.Dir, "notes", "--ref=ai", "show", "HEAD")
	w.write(amy, "/mnt/app/a.go", "package later\n\nfunc A() {}\n")
	w.must(w.store.PutRecord(w.ctx(), "mounts/pending/"+m.ID, pending))
	w.close()
	w.git(m.Dir, "update-ref", "-d", "refs/notes/ai") // as when the server had ended before it
	w.open()
	w.settle()
	w.gone("mounts/pending/" + m.ID)
	if again := w.git(m.Dir, "notes", "--ref=ai", "show", string(got.Hash)); again != note {
		t.Errorf("the note is\n%s\nwas\n%s", again, note)
	}
	if told := w.blocksOf(m.Context, blocks.KindDrift); len(told) != 1 {
		t.Errorf("the context tells %d times", len(told))
	}
	w.agree(m, " M a.go")

	// One that was never made is forgotten.
	w.must(w.store.PutRecord(w.ctx(), "mounts/pending/"+m.ID, []byte(strings.Replace(string(pending), `"message":"`, `"message":"0`, 1))))
	w.restart()
	w.gone("mounts/pending/" + m.ID)
	if told := w.blocksOf(m.Context, blocks.KindDrift); len(told) != 1 {
		t.Errorf("the context tells %d times", len(told))
	}
}

// gone waits until a record of the store is not there.
func (w *world) gone(name string) {
	w.t.Helper()
	w.eventually(func() bool {
		_, err := w.store.Record(name)
		return errors.Is(err, kaijutsu.ErrNotFound)
	})
}

// teller is a model that answers what it is told to.
type teller struct {
	answer       string
	err          error
	system, user string
	meanwhile    func()
}

func (*teller) Name() string { return "test model" }
func (*teller) Distil(context.Context, drift.Request) (drift.Briefing, error) {
	return drift.Briefing{}, kaijutsu.ErrInvalid
}
func (t *teller) Ask(_ context.Context, system, user string) (drift.Briefing, error) {
	t.system, t.user = system, user
	if t.meanwhile != nil {
		t.meanwhile()
	}
	return drift.Briefing{Text: t.answer, Model: "m", Distiller: t.Name()}, t.err
}

func TestAMessageThatIsAskedFor(t *testing.T) {
	model := &teller{answer: "```\nfeat: greet\n\nSays hello.\n```"}
	w := newWorldWith(t, func(c *mounts.Config) { c.Distillers = courier.Distillers{Default: model} })
	m := w.app()
	info, err := w.kernel.Create(w.ctx(), owner, "talk")
	w.must(err)
	w.say(info.Doc, "please greet people")
	w.write(owner, "/mnt/app/b.txt", "hello\ntwo\nthree\n")
	got, err := w.Commit(w.ctx(), owner, mounts.CommitSpec{At: "app", All: true, Summarize: true, Into: info.Doc})
	if err != nil || !got.Preview || got.Subject != "feat: greet" || got.Model != "m" || got.Distiller != "test model" {
		t.Fatalf("Commit = %+v, %v", got, err)
	}
	if !strings.Contains(model.user, "+hello") || !strings.Contains(model.user, "please greet people") || model.system == "" {
		t.Errorf("the model was asked %q", model.user)
	}
	w.agree(m, " M b.txt")
	got, err = w.Commit(w.ctx(), owner, mounts.CommitSpec{At: "app", All: true, Summarize: true, Yes: true, Into: info.Doc})
	if err != nil || got.Preview || got.Hash == "" || got.Copy == "" {
		t.Fatalf("Commit = %+v, %v", got, err)
	}
	if s := w.git(m.Dir, "log", "-1", "--format=%s|%b"); !strings.HasPrefix(s, "feat: greet|Says hello.") {
		t.Errorf("git log says %q", s)
	}
	if told := w.blocksOf(info.Doc, blocks.KindDrift); len(told) != 1 || told[0].ID != got.Copy {
		t.Errorf("the caller's context tells %+v", told)
	}
	w.agree(m)

	// What changes meanwhile is not committed under a message of something else.
	w.write(owner, "/mnt/app/b.txt", "hi\ntwo\nthree\n")
	model.meanwhile = func() { w.write(owner, "/mnt/app/b.txt", "hi all\ntwo\nthree\n") }
	if _, err := w.Commit(w.ctx(), owner, mounts.CommitSpec{At: "app", All: true, Summarize: true, Yes: true}); !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), "feat: greet") {
		t.Errorf("Commit = %v", err)
	}
	model.meanwhile, model.err = nil, kaijutsu.ErrUnavailable
	if _, err := w.Commit(w.ctx(), owner, mounts.CommitSpec{At: "app", All: true, Summarize: true, Yes: true}); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("Commit = %v", err)
	}
}

func TestAMessageWithoutAModel(t *testing.T) {
	w := newWorld(t)
	m := w.app()
	w.write(owner, "/mnt/app/docs/x.md", "x\n")
	got, err := w.Commit(w.ctx(), owner, mounts.CommitSpec{At: "app", Paths: []string{"docs"}, Summarize: true, Yes: true})
	if err != nil || got.Subject != "docs(docs): add x.md" || got.Distiller != "files" || !strings.Contains(got.Notice, "no model") {
		t.Errorf("Commit = %+v, %v", got, err)
	}
	w.agree(m)
}

// say appends a block to a context.
func (w *world) say(doc kaijutsu.DocumentID, text string) {
	w.t.Helper()
	w.must(w.edit(owner, doc, func(tx *blocks.Tx) error {
		return tx.InsertBlock(blocks.BlockSpec{ID: newID(), Position: blocks.Last(), Content: text})
	}))
}

// TestWhatDoesNotComeToTheDiskIsNotCommitted types what no file block can hold.
func TestWhatDoesNotComeToTheDiskIsNotCommitted(t *testing.T) {
	w := newWorldWith(t, func(c *mounts.Config) { c.Limit = 1000 })
	m := w.app()
	for name, text := range map[string]string{"a NUL": "one\x00\n", "more than the limit": strings.Repeat("line\n", 300)} {
		f := w.read(owner, "/mnt/app/b.txt")
		w.must(w.replace(owner, f.Context, f.Block, text))
		if name != "a NUL" { // which is seen at once, too
			w.eventually(func() bool {
				s, err := w.Status(w.ctx(), owner, mounts.StatusSpec{At: "app"})
				w.must(err)
				return len(s.Files) == 1 && s.Files[0].Problem != ""
			})
		}
		for _, spec := range []mounts.CommitSpec{{All: true}, {Paths: []string{"b.txt"}}} {
			spec.At, spec.Message = "app", "x"
			if _, err := w.Commit(w.ctx(), owner, spec); !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), "b.txt") {
				t.Errorf("%s: Commit = %v", name, err)
			}
		}
		w.must(w.replace(owner, f.Context, f.Block, "one\ntwo\nthree\n"))
		w.eventually(func() bool {
			s, err := w.Status(w.ctx(), owner, mounts.StatusSpec{At: "app"})
			w.must(err)
			return len(s.Files) == 0
		})
	}
	w.agree(m)
}
