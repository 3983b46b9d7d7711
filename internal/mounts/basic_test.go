package mounts_test

import (
	"errors"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/mounts"
)

func TestCommitHoldsTheChosenFiles(t *testing.T) {
	w := newWorld(t)
	m := w.app()
	if m.State != mounts.StateReady || m.Branch != "kj/main" || m.Context.IsZero() || !strings.Contains(m.Notice, "kj/main") {
		t.Fatalf("mount = %+v", m)
	}
	w.agree(m)
	amy, bot := w.member("amy", kaijutsu.Person, kaijutsu.RightEdit), w.member("bot", kaijutsu.Agent, kaijutsu.RightEdit)

	w.read(amy, "/mnt/app/a.go")
	w.write(amy, "/mnt/app/a.go", "package a\n\nfunc A() {}\n\nfunc Amy() { /* a long line by her */ }\n")
	w.write(bot, "/mnt/app/a.go", "package a\n\nfunc A() {}\n\nfunc Amy() { /* a long line by her */ }\n\nfunc B() {}\n")
	w.write(bot, "/mnt/app/b.txt", "one\nTWO\nthree\n") // dirty, and not chosen
	w.write(amy, "/mnt/app/new/c.md", "hello\n")

	got, err := w.Commit(w.ctx(), amy, mounts.CommitSpec{At: "/mnt/app", Paths: []string{"a.go", "/mnt/app/new"}, Message: "feat: two functions\n\nand a file"})
	if err != nil {
		t.Fatal(err)
	}
	if got.Author.Email != "amy@example.org" || len(got.CoAuthors) != 1 || got.CoAuthors[0].Email != "bot@example.org" {
		t.Errorf("author %v, co-authors %v; want amy and bot", got.Author, got.CoAuthors)
	}
	if len(got.Files) != 2 || !got.Note || got.Block == "" || got.Notice != "" {
		t.Errorf("Commit = %+v", got)
	}
	for _, f := range got.Files {
		for _, share := range f.Shares {
			if share.By.Kind == kaijutsu.Service {
				t.Errorf("of %s, %s has a share of %d: what was there before is not new", f.Path, share.By, share.Chars)
			}
		}
	}
	w.agree(m, " M b.txt")
	if show := w.git(m.Dir, "show", "--stat=200", "--format=%an <%ae>|%cn|%s%n%(trailers)", "HEAD"); !strings.Contains(show, "Amy <amy@example.org>|Kaijutsu|feat: two functions") ||
		!strings.Contains(show, "Co-authored-by: Bot <bot@example.org>") || !strings.Contains(show, "Kaijutsu-Context: "+m.Context.Name()) ||
		!strings.Contains(show, "Kaijutsu-Heads: ") || !strings.Contains(show, "2 files changed") {
		t.Errorf("git show says\n%s", show)
	}
	if text := w.git(m.Dir, "show", "HEAD:a.go"); text+"\n" != w.read(amy, "/mnt/app/a.go").Text {
		t.Errorf("the commit has\n%s", text)
	}
	note := w.git(m.Dir, "notes", "--ref=ai", "show", "HEAD")
	if !strings.Contains(note, "a.go") || !strings.Contains(note, "c.md") || !strings.Contains(note, "authorship/3.0.0") || strings.Contains(note, "b.txt") {
		t.Errorf("git notes show says\n%s", note)
	}
	told := w.blocksOf(m.Context, blocks.KindDrift)
	if len(told) != 1 || told[0].ID != got.Block || told[0].By != amy.By || !strings.Contains(told[0].Content, "feat: two functions") {
		t.Errorf("the context tells %+v", told)
	}
	w.mu.Lock()
	events := w.events
	w.mu.Unlock()
	if len(events) != 1 || events[0].Context.Document() != m.Context {
		t.Errorf("events: %+v", events)
	}

	// The rest, of which amy has nothing.
	got, err = w.Commit(w.ctx(), amy, mounts.CommitSpec{At: "app", All: true, Message: "fix: louder", Into: m.Context})
	if err != nil {
		t.Fatal(err)
	}
	if got.Author.Email != "bot@example.org" || len(got.CoAuthors) != 0 || len(got.Files) != 1 || got.Files[0].Path != "b.txt" {
		t.Errorf("Commit = %+v", got)
	}
	w.agree(m)

	// What was committed is not new again.
	w.write(bot, "/mnt/app/a.go", strings.Replace(w.read(bot, "/mnt/app/a.go").Text, "func B() {}", "func B() { panic(1) }", 1))
	got, err = w.Commit(w.ctx(), amy, mounts.CommitSpec{At: "", Blocks: []blocks.ID{w.read(bot, "/mnt/app/a.go").Block}, Message: "fix: b"})
	if err != nil {
		t.Fatal(err)
	}
	if got.Author.Email != "bot@example.org" || len(got.CoAuthors) != 0 {
		t.Errorf("author %v, co-authors %v; amy wrote nothing of this", got.Author, got.CoAuthors)
	}
	_, err = w.Commit(w.ctx(), amy, mounts.CommitSpec{At: "app", All: true, Message: "again"})
	if !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), "nothing to commit") {
		t.Errorf("a commit of nothing: %v", err)
	}
	w.agree(m)
}
