package mounts_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/vfs"
)

// TestTheServersDirectoriesAreTheOwners asks for all that can fail with a
// directory in its error, as somebody who does not own the kernel.
func TestTheServersDirectoriesAreTheOwners(t *testing.T) {
	w := newWorld(t)
	m := w.app()
	ed := w.member("ed", kaijutsu.Person, kaijutsu.RightEdit)
	leaks := func(what, text string) {
		t.Helper()
		for _, dir := range []string{w.dir, w.home, m.Dir} {
			if strings.Contains(text, dir) {
				t.Errorf("%s: an editor is told of %s: %s", what, dir, text)
			}
		}
	}
	failed := func(what string, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s: it worked", what)
			return
		}
		leaks(what, err.Error())
	}
	w.git(filepath.Join(w.home, "app"), "branch", "taken")
	w.git(filepath.Join(w.home, "app"), "worktree", "add", "-q", filepath.Join(w.home, "other"), "taken")
	_, err := w.SwitchBranch(w.ctx(), ed, "app", "taken")
	failed("switch to a branch that is checked out elsewhere", err)
	failed("delete it", w.DeleteBranch(w.ctx(), ed, "app", "taken", true))

	// Another directory stands in the worktree's place.
	w.must(os.Rename(m.Dir, m.Dir+".away"))
	other := t.TempDir()
	w.put(filepath.Join(other, "b.txt"), "VICTIM\n")
	w.must(os.Symlink(other, m.Dir))
	w.until("/mnt/app", func(m mounts.Mount) bool { return m.State == mounts.StateFailed && m.Reason != "" })
	got, err := w.Get(w.ctx(), ed, "app")
	w.must(err)
	leaks("mount", got.Reason+got.Paused+got.Notice+got.Source+got.Dir)
	if own, err := w.Get(w.ctx(), owner, "app"); err != nil || !strings.Contains(own.Reason, m.Dir) {
		t.Errorf("the owner is told %q, %v", own.Reason, err)
	}
	_, err = w.ReadFile(w.ctx(), ed, mounts.ReadSpec{Path: "/mnt/app/b.txt"})
	failed("read", err)
	if !errors.Is(err, kaijutsu.ErrUnavailable) && !errors.Is(err, kaijutsu.ErrInvalid) && !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("read: %v", err)
	}
	_, err = w.WriteFile(w.ctx(), ed, mounts.WriteSpec{Path: "/mnt/app/b.txt"})
	failed("write", err)
	_, err = w.ListDir(w.ctx(), ed, "/mnt/app")
	failed("list", err)
	_, err = w.Stat(w.ctx(), ed, "/mnt/app/b.txt")
	failed("stat", err)
	failed("remove", w.RemoveFile(w.ctx(), ed, "/mnt/app/b.txt", false))
	failed("rename", w.Rename(w.ctx(), ed, "/mnt/app/b.txt", "/mnt/app/c.txt"))
	failed("mkdir", w.Mkdir(w.ctx(), ed, "/mnt/app/d"))
	failed("resolve", w.Resolve(w.ctx(), ed, "/mnt/app/b.txt", "block"))
	_, err = w.Search(w.ctx(), ed, vfs.SearchSpec{Path: "/mnt/app", Pattern: "x"})
	failed("search", err)
	_, err = w.Status(w.ctx(), ed, mounts.StatusSpec{At: "app"})
	failed("status", err)
	_, err = w.Diff(w.ctx(), ed, mounts.DiffSpec{At: "app"})
	failed("diff", err)
	_, err = w.Log(w.ctx(), ed, mounts.LogSpec{At: "app"})
	failed("log", err)
	_, err = w.Blame(w.ctx(), ed, mounts.BlameSpec{Path: "/mnt/app/b.txt"})
	failed("blame", err)
	_, err = w.Commit(w.ctx(), ed, mounts.CommitSpec{At: "app", All: true, Message: "x"})
	failed("commit", err)
	_, err = w.Branches(w.ctx(), ed, "app")
	failed("branches", err)
}
