package worktree_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/worktree"
)

// held makes a change of the block and one of the disk while the overlay is
// paused, and lets it go on.
func (w *world) held(f worktree.File, block, disk string) {
	w.t.Helper()
	lock := strings.TrimSpace(w.git("rev-parse", "--absolute-git-dir")) + "/MERGE_HEAD"
	if err := os.WriteFile(lock, nil, 0o666); err != nil {
		w.t.Fatal(err)
	}
	w.until("paused", func() bool { return w.State().Paused })
	w.replace(amy, f, block)
	if disk == "" {
		w.sh("rm " + f.Path)
	} else {
		w.put(f.Path, disk)
	}
	if err := os.Remove(lock); err != nil {
		w.t.Fatal(err)
	}
	w.until("on", func() bool { return !w.State().Paused })
}

// Changes apart from each other are merged, each by who made it.
func TestMerge(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem})
	f := w.file("a.txt")
	w.held(f, strings.Replace(poem, "two", "two, typed", 1), strings.Replace(poem, "six", "six, saved", 1))
	both := strings.NewReplacer("two", "two, typed", "six", "six, saved").Replace(poem)
	w.untilBlock(f, both)
	w.untilDisk("a.txt", both)
	w.settle()
	for text, want := range map[string]kaijutsu.Principal{", typed": amy.By, ", saved": worktree.Disk, "one": worktree.Git} {
		if by, _ := w.author(f, text); by != want {
			t.Errorf("%q is by %v, want %v", text, by, want)
		}
	}
	if n, ok := w.conflict(f.Doc); ok {
		t.Errorf("conflict %+v", n)
	}
	w.wantChanges(map[string]int{"git file_open": 1, "disk file_import": 1})
}

// The ways to end a conflict.
func TestConflict(t *testing.T) {
	ours, theirs := strings.Replace(poem, "four", "four, typed", 1), strings.Replace(poem, "four", "four, saved", 1)
	tests := []struct {
		name string
		end  func(*world, worktree.File, repo.Block)
		want string
	}{
		{"the block becomes the same", func(w *world, f worktree.File, _ repo.Block) { w.replace(amy, f, theirs) }, theirs},
		{"the disk becomes the same", func(w *world, f worktree.File, _ repo.Block) { w.put("a.txt", ours) }, ours},
		{"the disk goes back", func(w *world, f worktree.File, _ repo.Block) { w.put("a.txt", poem) }, ours},
		{"take block", func(w *world, f worktree.File, _ repo.Block) { w.resolve(amy, "block") }, ours},
		{"take disk", func(w *world, f worktree.File, _ repo.Block) { w.resolve(amy, "disk") }, theirs},
		{"take merged", func(w *world, f worktree.File, _ repo.Block) { w.resolve(amy, "merged") },
			strings.Replace(poem, "four\n", "<<<<<<< block\nfour, typed\n=======\nfour, saved\n>>>>>>> disk\n", 1)},
		{"the conflict block is deleted", func(w *world, f worktree.File, n repo.Block) {
			w.edit(ben, f, func(_ repo.View, tx *blocks.Tx) error { return tx.Delete(n.ID) })
		}, ours},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a.txt": poem})
			f := w.file("a.txt")
			w.held(f, ours, theirs)
			w.until("in conflict", func() bool { return w.state("a.txt").Conflict })
			w.settle()
			n, ok := w.conflict(f.Doc)
			if !ok || n.Parent != f.Block || n.Role != blocks.RoleSystem || n.By != worktree.Keeper || !strings.Contains(n.Meta, `"conflict":{`) ||
				!strings.Contains(n.Content, "four, typed\n") || !strings.Contains(n.Content, "four, saved\n") {
				t.Fatalf("conflict block %+v", n)
			}
			if w.disk("a.txt") != theirs || w.block(f.Doc, f.Block).Content != ours {
				t.Fatalf("in conflict: the disk holds %q, the block %q", w.disk("a.txt"), w.block(f.Doc, f.Block).Content)
			}
			tt.end(w, f, n)
			w.untilDisk("a.txt", tt.want)
			w.untilBlock(f, tt.want)
			w.until("ended", func() bool { return !w.state("a.txt").Conflict })
			w.settle()
			if n, ok := w.conflict(f.Doc); ok {
				t.Errorf("the conflict block stayed: %+v", n)
			}
			w.sub(amy, f, "seven", "7")
			w.untilDisk("a.txt", strings.Replace(tt.want, "seven", "7", 1))
		})
	}
}

func (w *world) resolve(call op.Call, take string) {
	w.t.Helper()
	if err := w.Resolve(w.ctx(), call, "a.txt", take); err != nil {
		w.t.Fatal(err)
	}
}

func TestResolveRefuses(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem})
	w.file("a.txt")
	if err := w.Resolve(w.ctx(), amy, "a.txt", "block"); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("without a conflict: %v", err)
	}
	if err := w.Resolve(w.ctx(), amy, "a.txt", "both"); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("take both: %v", err)
	}
}

// A file that is deleted under edits is a conflict, which either side may win.
func TestDeletedUnderEdits(t *testing.T) {
	for _, take := range []string{"block", "disk"} {
		t.Run(take, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.txt": poem})
			f := w.file("a.txt")
			w.held(f, poem+"typed\n", "")
			w.until("in conflict", func() bool { return w.state("a.txt").Conflict })
			w.resolve(amy, take)
			w.until("ended", func() bool { return !w.state("a.txt").Conflict })
			w.settle()
			if _, err := os.Stat(w.path("a.txt")); (err == nil) != (take == "block") {
				t.Errorf("the file: %v", err)
			}
			if b := w.block(f.Doc, f.Block); b.Deleted != (take == "disk") {
				t.Errorf("the block: %+v", b)
			}
		})
	}
}

// A conflict is there after a restart, and ends as it would have.
func TestConflictAcrossRestart(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem})
	f := w.file("a.txt")
	ours := strings.Replace(poem, "four", "four, typed", 1)
	w.held(f, ours, strings.Replace(poem, "four", "four, saved", 1))
	w.until("in conflict", func() bool { return w.state("a.txt").Conflict })
	w.close()
	w.open()
	w.settle()
	if !w.state("a.txt").Conflict {
		t.Fatalf("state %+v", w.state("a.txt"))
	}
	w.resolve(amy, "block")
	w.untilDisk("a.txt", ours)
	w.settle()
	if _, ok := w.conflict(f.Doc); ok {
		t.Error("the conflict block stayed")
	}
}
