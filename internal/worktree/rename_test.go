package worktree_test

import (
	"os"
	"strings"
	"testing"

	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/worktree"
)

// wantMoved checks that a file is the block of another, with the line that she
// wrote in it.
func (w *world) wantMoved(f worktree.File, to string) {
	w.t.Helper()
	g := w.file(to)
	if g.Block != f.Block {
		w.t.Errorf("%s is block %s, want %s of %s\nstate %+v", to, g.Block, f.Block, f.Path, w.State().Files)
		return
	}
	if by, _ := w.author(f, "hers"); by != amy.By {
		w.t.Errorf("her line is by %v", by)
	}
}

// A renamed file keeps its block also when somebody reads it under its new name
// before anything was noticed, and when it is edited in the same breath.
func TestRenameAtOnce(t *testing.T) {
	tests := []struct{ name, script, to string }{
		{"read at once", "mv a.txt c.txt", "c.txt"},
		{"into a new directory", "mkdir -p d/e; mv a.txt d/e/c.txt", "d/e/c.txt"},
		{"edited by sed -i", "mv a.txt c.txt; sed -i s/two/TWO/ c.txt", "c.txt"},
		{"edited in place", "mv a.txt c.txt; echo eight >> c.txt", "c.txt"},
		{"copied, edited, removed", "sed s/two/TWO/ a.txt > c.txt; rm a.txt", "c.txt"},
		{"with other line ends", "sed 's/$/\r/' a.txt > c.txt; rm a.txt", "c.txt"},
		{"git mv and commit", "git mv a.txt c.txt; git commit -qam moved", "c.txt"},
		{"onto a name that was a block once", "mv a.txt gone.txt", "gone.txt"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a.txt": poem, "gone.txt": "something else\n", "z.txt": "one\n"})
			g := w.file("gone.txt")
			w.file("z.txt")
			w.sh("rm gone.txt")
			w.until("buried", func() bool { return w.block(g.Doc, g.Block).Deleted })
			f := w.file("a.txt")
			w.sub(amy, f, "four", "four, hers")
			w.settle()
			w.script(tt.script)
			w.wantMoved(f, tt.to)
			w.settle()
			w.wantMoved(f, tt.to)
		})
	}
}

// script runs a shell command that may use git.
func (w *world) script(s string) {
	w.t.Helper()
	cmd := w.cmd(w.dir)
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-ec", s}
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%s: %v\n%s", s, err, out)
	}
}

// A file that was there before is none that is gone, even if both hold the same.
func TestTwinIsNoRename(t *testing.T) {
	for _, dirty := range []bool{false, true} {
		w := newWorld(t, map[string]string{"a/LICENSE": poem, "b/LICENSE": poem})
		f := w.file("a/LICENSE")
		if dirty {
			lock := w.main + "/.git/worktrees/tree/index.lock"
			if err := os.WriteFile(lock, nil, 0o666); err != nil {
				t.Fatal(err)
			}
			w.until("paused", func() bool { return w.State().Paused })
			w.sub(amy, f, "two", "only in a")
			w.sh("rm a/LICENSE")
			if err := os.Remove(lock); err != nil {
				t.Fatal(err)
			}
			w.until("in conflict", func() bool { return w.state("a/LICENSE").Conflict })
		} else {
			w.sh("rm a/LICENSE")
			w.until("buried", func() bool { return w.block(f.Doc, f.Block).Deleted })
		}
		w.settle()
		if got := w.disk("b/LICENSE"); got != poem {
			t.Errorf("dirty %v: b/LICENSE holds %q", dirty, got)
		}
		if s := w.state("b/LICENSE"); s.Block != "" {
			t.Errorf("dirty %v: b/LICENSE became block %s", dirty, s.Block)
		}
	}
}

// A new file that has little of one that is gone is another file.
func TestUnlikeIsNoRename(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem})
	f := w.file("a.txt")
	w.sh(`rm a.txt; printf 'one\ntwo\n3\n4\n5, which is long\n6\n7\n' > c.txt`)
	if g := w.file("c.txt"); g.Block == f.Block {
		t.Error("the new file got the block of another")
	}
	w.settle()
	if !w.block(f.Doc, f.Block).Deleted {
		t.Error("the block of the file that is gone is there")
	}
}

// What is typed while a file is renamed goes into the file of the new name.
func TestRenameWhileTyping(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem})
	f := w.file("a.txt")
	w.sub(amy, f, "four", "four, hers")
	w.settle()
	w.sh("mv a.txt c.txt")
	w.edit(amy, f, func(_ repo.View, tx *blocks.Tx) error { return tx.SpliceText(f.Block, 0, 0, "zero\n") })
	w.wantMoved(f, "c.txt")
	w.untilDisk("c.txt", "zero\n"+strings.Replace(poem, "four", "four, hers", 1))
}
