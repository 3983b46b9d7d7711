package catalog_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/kjtest"
)

const addApp = `{"path":"/mnt/app","source":"git:~/src/app@greeting","rw":true}`

// TestTheExampleOfAConflict has a block and its file change in different ways
// while git holds its lock, and settles it as the example of fs_resolve does.
func TestTheExampleOfAConflict(t *testing.T) {
	h := start(t)
	kjtest.Home(t, h.home)
	dir := h.call(owner(), "mount_add", addApp).str("dir")
	file := h.call(owner(), "fs_read", `{"path":"/mnt/app/README.md"}`)
	lock := filepath.Join(h.home, "src/app/.git/worktrees/app/index.lock")
	if err := os.WriteFile(lock, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	h.call(owner(), "block_edit", quote(`{"context": %, "block_id": %, "operations": [{"op": "replace", "start_line": 2, "end_line": 3, "content": "It greets you.\n"}]}`, file.str("context"), file.str("block_id")))
	const theirs = "# App\n\nIt greets them.\n"
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte(theirs), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	h.await("a conflict", func() bool {
		files := h.call(owner(), "git_status", `{"mount":"/mnt/app"}`).list("files")
		return len(files) == 1 && files[0]["conflict"] == true
	})
	o, err := h.set.Get(owner(), "fs_resolve")
	if err != nil {
		t.Fatal(err)
	}
	h.call(owner(), "fs_resolve", o.Examples[0].In)
	h.await("the block's text on the disk", func() bool {
		got, err := os.ReadFile(filepath.Join(dir, "README.md"))
		return err == nil && string(got) == "# App\n\nIt greets you.\n"
	})
	h.refuse(editor(), "mount_add", addApp, kaijutsu.ErrDenied)
}

// await waits until something is so.
func (h *house) await(what string, is func() bool) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			h.t.Fatalf("%s has not come", what)
		}
	}
}
