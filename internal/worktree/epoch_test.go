package worktree_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/worktree"
)

// commit commits everything in the worktree with the git command.
func (w *world) commit(message string) {
	w.t.Helper()
	w.git("commit", "-q", "-a", "-m", message)
}

// onBranch waits until the overlay is attached to a branch and settled.
func (w *world) onBranch(name string) kaijutsu.DocumentID {
	w.t.Helper()
	w.until("on branch "+name, func() bool { s := w.State(); return s.Branch == name && !s.Paused })
	w.settle()
	return w.State().Doc
}

// Each branch has its context, and no text of one gets into the other.
func TestSwitchBranch(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem, "b.txt": "b\n"})
	f := w.file("a.txt")
	w.file("b.txt")
	w.sub(amy, f, "two", "two of work")
	w.settle()
	w.commit("on work")
	onWork := w.disk("a.txt")
	w.git("checkout", "-q", "-b", "other", "HEAD~1")
	doc := w.onBranch("other")
	if doc == f.Doc {
		t.Fatal("the context is the same")
	}
	other := worktree.File{Path: "a.txt", Doc: doc, Block: f.Block}
	w.untilBlock(other, poem)
	if b := w.block(f.Doc, f.Block); b.Content != onWork {
		t.Errorf("the old context holds %q, want %q", b.Content, onWork)
	}
	w.sub(ben, other, "five", "five of other")
	w.settle()
	w.commit("on other")
	w.sub(amy, f, "seven", "seven, typed while away") // in the context of the branch that is not there
	w.settle()
	if got, want := w.disk("a.txt"), strings.Replace(poem, "five", "five of other", 1); got != want {
		t.Errorf("the disk holds %q, want %q", got, want)
	}
	w.git("checkout", "-q", "work")
	if back := w.onBranch("work"); back != f.Doc {
		t.Fatalf("back in context %s, want %s", back.Name(), f.Doc.Name())
	}
	want := strings.Replace(onWork, "seven", "seven, typed while away", 1)
	w.untilBlock(f, want)
	w.untilDisk("a.txt", want)
	if got := w.git("show", "other:a.txt"); strings.Contains(got, "away") {
		t.Error("it got into the other branch")
	}
	if b := w.block(doc, f.Block); b.Content != strings.Replace(poem, "five", "five of other", 1) {
		t.Errorf("the other context holds %q", b.Content)
	}
}

// What was typed and not flushed when another branch was checked out stays with
// its branch.
func TestUnflushedStays(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem})
	f := w.file("a.txt")
	w.git("branch", "other")
	lock := filepath.Join(strings.TrimSpace(w.git("rev-parse", "--absolute-git-dir")), "index.lock")
	if err := os.WriteFile(lock, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	w.until("paused", func() bool { return w.State().Paused })
	w.sub(amy, f, "two", "two, unflushed")
	if err := os.Rename(lock, lock+".x"); err != nil {
		t.Fatal(err)
	}
	w.git("checkout", "-q", "other") // perhaps before the flush
	doc := w.onBranch("other")
	if b := w.block(f.Doc, f.Block); !strings.Contains(b.Content, "unflushed") {
		t.Errorf("the old context lost it: %q", b.Content)
	}
	disk := w.disk("a.txt") // git carries what was flushed in time over to the other branch
	if b := w.block(doc, f.Block); b.Content != disk {
		t.Errorf("the other context holds %q, the disk %q", b.Content, disk)
	}
	w.git("checkout", "-q", "work")
	w.onBranch("work")
	w.untilDisk("a.txt", strings.Replace(poem, "two", "two, unflushed", 1))
}

// While git is at work nothing is written and nothing taken.
func TestPaused(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem})
	f := w.file("a.txt")
	gitdir := strings.TrimSpace(w.git("rev-parse", "--absolute-git-dir"))
	for _, state := range []string{"index.lock", "MERGE_HEAD", "rebase-merge", "CHERRY_PICK_HEAD"} {
		name := filepath.Join(gitdir, state)
		if err := os.MkdirAll(name, 0o777); err != nil {
			t.Fatal(err)
		}
		w.until("paused by "+state, func() bool { s := w.State(); return s.Paused && s.Reason != "" })
		before := w.disk("a.txt")
		w.sub(amy, f, "six", "six "+state)
		if err := w.Frozen(w.ctx(), nil, nil); state != "index.lock" && !errors.Is(err, kaijutsu.ErrUnavailable) {
			t.Errorf("%s: Frozen = %v, want unavailable", state, err)
		}
		if g := w.file("a.txt"); !strings.Contains(g.Content, state) {
			t.Errorf("%s: reading shows %q", state, g.Content)
		}
		if got := w.disk("a.txt"); got != before {
			t.Errorf("%s: written to the disk: %q", state, got)
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		w.until("on", func() bool { return !w.State().Paused })
		w.settle()
		if got := w.disk("a.txt"); !strings.Contains(got, state) {
			t.Errorf("%s: not written afterwards: %q", state, got)
		}
	}
}

// What git brings is by git, and lines that came back keep their writers.
func TestGitCommands(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem})
	f := w.file("a.txt")
	typed := strings.Replace(poem, "two\n", "two\nby amy\n", 1)
	w.sub(amy, f, "two\n", "two\nby amy\n")
	w.untilDisk("a.txt", typed)
	w.settle()
	w.git("stash", "-q")
	w.untilBlock(f, poem)
	w.settle()
	w.git("stash", "pop", "-q")
	w.untilBlock(f, typed)
	w.settle()
	if by, via := w.author(f, "by amy"); by != amy.By || via != worktree.Git {
		t.Errorf("after stash and pop, the line is by %v via %v", by, via)
	}
	w.commit("typed")
	w.settle()
	w.git("reset", "-q", "--hard", "HEAD~1")
	w.untilBlock(f, poem)
	w.settle()
	w.git("reset", "-q", "--hard", "HEAD@{1}")
	w.untilBlock(f, typed)
	w.settle()
	if by, via := w.author(f, "by amy"); by != amy.By || via != worktree.Git {
		t.Errorf("after two resets, the line is by %v via %v", by, via)
	}
	w.sh("sed -i s/six/6/ a.txt")
	w.settle()
	w.git("checkout", "-q", "--", "a.txt")
	w.untilBlock(f, typed)
	w.settle()
	if by, _ := w.author(f, "six"); by != worktree.Git {
		t.Errorf("after checkout of the file, the line is by %v", by)
	}
	if s := w.State(); s.Generation < 4 || s.Doc != f.Doc {
		t.Errorf("state %+v", s)
	}
}

// A rebase and a merge with the real command: paused meanwhile, in step after.
func TestRebaseAndMerge(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem, "b.txt": "b\n"})
	f := w.file("a.txt")
	w.sub(amy, f, "two", "two of work")
	w.settle()
	w.commit("work")
	if err := os.WriteFile(filepath.Join(w.main, "a.txt"), []byte(strings.Replace(poem, "six", "six of main", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	w.gitIn(w.main, "commit", "-q", "-a", "-m", "main")
	w.git("rebase", "-q", "main")
	both := strings.NewReplacer("two", "two of work", "six", "six of main").Replace(poem)
	w.untilBlock(f, both)
	w.settle()
	if by, _ := w.author(f, "of work"); by != amy.By {
		t.Errorf("after the rebase, her line is by %v", by)
	}
	if err := os.WriteFile(filepath.Join(w.main, "a.txt"), []byte(strings.Replace(poem, "six", "six of main\nand more", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	w.gitIn(w.main, "commit", "-q", "-a", "-m", "main again")
	w.git("merge", "-q", "-m", "merged", "main")
	w.untilBlock(f, strings.Replace(both, "six of main", "six of main\nand more", 1))
	w.settle()
	if got := w.git("status", "--porcelain"); got != "" {
		t.Errorf("git status %q", got)
	}
}

// HEAD that is detached is a branch of its own.
func TestDetached(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem})
	f := w.file("a.txt")
	w.sh("echo eight >> a.txt")
	w.settle()
	w.commit("eight")
	w.git("checkout", "-q", "--detach", "HEAD~1")
	doc := w.onBranch(worktree.Detached)
	w.untilBlock(worktree.File{Path: "a.txt", Doc: doc, Block: f.Block}, poem)
	w.git("checkout", "-q", "work")
	w.onBranch("work")
	w.untilBlock(f, poem+"eight\n")
}

// What is read while git has switched the files and not yet HEAD is taken back.
func TestWindow(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem, "gone.txt": "gone\n"})
	f, g := w.file("a.txt"), w.file("gone.txt")
	w.git("checkout", "-q", "-b", "other")
	w.onBranch("other")
	w.put("a.txt", poem+"of other\n")
	w.git("rm", "-q", "--cached", "gone.txt")
	w.commit("other")
	w.settle()
	w.git("checkout", "-q", "-f", "work")
	w.onBranch("work")
	w.untilBlock(f, poem)
	w.sub(amy, f, "two", "two, typed")
	w.settle()
	w.commit("typed")
	w.settle()
	w.git("update-index", "-q", "--refresh")
	w.settle()
	// As git does it, only slowly: files and index first.
	w.git("read-tree", "-m", "-u", "HEAD", "other")
	w.untilBlock(f, poem+"of other\n")
	w.until("buried", func() bool { return w.block(g.Doc, g.Block).Deleted })
	w.git("symbolic-ref", "HEAD", "refs/heads/other")
	doc := w.onBranch("other")
	if b := w.block(f.Doc, f.Block); b.Content != strings.Replace(poem, "two", "two, typed", 1) {
		t.Errorf("the context of work holds %q", b.Content)
	}
	if w.block(g.Doc, g.Block).Deleted {
		t.Error("the other file stayed buried")
	}
	w.untilBlock(worktree.File{Path: "a.txt", Doc: doc, Block: f.Block}, poem+"of other\n")
	w.git("checkout", "-q", "work")
	w.onBranch("work")
	w.untilBlock(f, strings.Replace(poem, "two", "two, typed", 1))
	w.untilBlock(g, "gone\n")
	if got := w.git("status", "--porcelain"); got != "" {
		t.Errorf("git status %q", got)
	}
}

// A directory that is gone deletes nothing.
func TestDirectoryGone(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem})
	f := w.file("a.txt")
	if err := os.Rename(w.dir, w.dir+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(w.dir + ".away"); err != nil {
		t.Fatal(err)
	}
	w.until("paused", func() bool { return w.State().Paused })
	w.sub(amy, f, "two", "2")
	if err := w.Settle(w.ctx()); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("Settle = %v, want unavailable", err)
	}
	if w.block(f.Doc, f.Block).Deleted {
		t.Error("the block was buried")
	}
}

// Everything is found again after a restart: what the disk got meanwhile, what
// the blocks got, and another branch.
func TestRestart(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem, "b.txt": poem, "c.txt": poem, "d.txt": poem})
	a, b, c, d := w.file("a.txt"), w.file("b.txt"), w.file("c.txt"), w.file("d.txt")
	w.sub(amy, a, "two", "two before")
	w.settle()
	w.closeOverlay()
	w.sh("sed -i s/six/6/ a.txt; rm c.txt; mv d.txt e.txt")
	w.sub(ben, b, "two", "two away")
	w.close()
	w.open()
	w.settle()
	w.untilBlock(a, strings.NewReplacer("two", "two before", "six", "6").Replace(poem))
	w.untilDisk("b.txt", strings.Replace(poem, "two", "two away", 1))
	w.until("buried", func() bool { return w.block(c.Doc, c.Block).Deleted })
	w.until("renamed", func() bool { return w.state("e.txt").Block == d.Block })
	if by, _ := w.author(a, "two before"); by != amy.By {
		t.Errorf("by %v", by)
	}
	w.commit("all")
	w.settle()
	w.closeOverlay()
	w.git("checkout", "-q", "-b", "other", "HEAD~1")
	w.openOverlay()
	doc := w.onBranch("other")
	w.untilBlock(worktree.File{Path: "a.txt", Doc: doc, Block: a.Block}, poem)
	if got := w.block(a.Doc, a.Block).Content; !strings.Contains(got, "6\n") {
		t.Errorf("the context of work holds %q", got)
	}
}

// A checkout of many files while somebody types in one of them.
func TestBurst(t *testing.T) {
	const n = 300
	files := map[string]string{}
	name := func(i int) string {
		return "d" + string(rune('a'+i%7)) + "/f" + strings.Repeat("x", i/26) + string(rune('a'+i%26)) + ".txt"
	}
	for i := range n {
		files[name(i)] = poem
	}
	w := newWorld(t, files)
	opened := map[string]worktree.File{}
	for name := range files {
		opened[name] = w.file(name)
	}
	w.sh(`for f in d*/*.txt; do sed -i s/six/6/ $f; done`)
	w.settle()
	w.commit("six")
	w.settle()
	w.git("reset", "-q", "--hard", "HEAD~1")
	f := opened[name(0)]
	w.edit(amy, f, func(v repo.View, tx *blocks.Tx) error { return tx.SpliceText(f.Block, 0, 0, "typed\n") })
	w.settle()
	for name, g := range opened {
		want := poem
		if g.Block == f.Block {
			want = "typed\n" + poem
		}
		w.untilBlock(g, want)
		w.untilDisk(name, want)
	}
}
