package mounts_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/mounts"
)

// TestACommitTakesNothingAwayThatStandsAbove tries to commit files below what git
// has as a file, a link or a submodule.
func TestACommitTakesNothingAwayThatStandsAbove(t *testing.T) {
	w := newWorld(t)
	dir := w.repository("app", map[string]string{"README": "keep me\n", "d/x": "x\n"})
	w.must(os.Symlink("d", filepath.Join(dir, "link")))
	w.git(dir, "add", "-A")
	w.git(dir, "update-index", "--add", "--cacheinfo", "160000,"+w.git(dir, "rev-parse", "HEAD")+",sub")
	w.git(dir, "commit", "-qm", "link and submodule")
	m, err := w.Add(w.ctx(), owner, mounts.AddSpec{Path: "/mnt/app", Source: "git:~/app", ReadWrite: true})
	w.must(err)
	w.put(filepath.Join(m.Dir, "sub/disk.txt"), "disk\n")
	w.git(m.Dir, "update-index", "--add", "--cacheinfo", "160000,"+w.git(dir, "rev-parse", "HEAD")+",staged")
	w.put(filepath.Join(m.Dir, "staged/disk.txt"), "disk\n")
	for _, p := range []string{"README/x.txt", "link/x.txt", "sub/x.txt"} { // the overlay may refuse, or not
		_, _ = w.WriteFile(w.ctx(), owner, mounts.WriteSpec{Path: "/mnt/app/" + p, Text: "evil\n", Parents: true})
	}
	before := w.git(m.Dir, "ls-tree", "-r", "HEAD")
	for _, p := range []string{"README/x.txt", "link/x.txt", "link/x", "sub/x.txt", "sub/disk.txt", "sub", "staged/disk.txt", "staged"} {
		_, err := w.Commit(w.ctx(), owner, mounts.CommitSpec{At: "app", Paths: []string{p}, Message: "x"})
		if !errors.Is(err, kaijutsu.ErrInvalid) && !errors.Is(err, kaijutsu.ErrConflict) && !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("commit of %s: %v", p, err)
		}
		if (strings.HasPrefix(p, "staged") || p == "sub" || p == "sub/disk.txt") && (err == nil || !strings.Contains(err.Error(), "submodule")) {
			t.Errorf("commit of %s: %v, which does not speak of a submodule", p, err)
		}
	}
	if got := w.git(m.Dir, "ls-tree", "-r", "HEAD"); got != before {
		t.Errorf("the last commit has\n%s\nit had\n%s", got, before)
	}
	if list := w.git(m.Dir, "ls-files", "-s") + "\n"; !strings.Contains(list, "\tsub\n") || strings.Contains(list, "sub/") {
		t.Errorf("the index has\n%s", list)
	}
}

// TestFilesAndDirectoriesTakeEachOthersPlaces commits what git would: a file that
// became a directory, a link that did, and directories that became links.
func TestFilesAndDirectoriesTakeEachOthersPlaces(t *testing.T) {
	w := newWorld(t)
	dir := w.repository("app", map[string]string{"README": "keep me\n", "d/x": "x\n", "out/secret": "mine\n", "in/x": "other\n"})
	w.must(os.Symlink("d", filepath.Join(dir, "link")))
	w.git(dir, "add", "-A")
	w.git(dir, "commit", "-qm", "link")
	m, err := w.Add(w.ctx(), owner, mounts.AddSpec{Path: "/mnt/app", Source: "git:~/app", ReadWrite: true})
	w.must(err)
	elsewhere := t.TempDir()
	w.put(filepath.Join(elsewhere, "secret"), "SECRET\n")
	at := func(p string) string { return filepath.Join(m.Dir, p) }
	for _, p := range []string{"README", "link", "out", "in"} {
		w.must(os.RemoveAll(at(p)))
	}
	w.put(at("README/x.txt"), "read\n")
	w.put(at("link/x.txt"), "linked\n")
	w.must(os.Symlink(elsewhere, at("out")))
	w.must(os.Symlink("d", at("in")))

	_, err = w.Commit(w.ctx(), owner, mounts.CommitSpec{At: "app", Paths: []string{"README/x.txt"}, Message: "x"})
	if !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), "below README") {
		t.Errorf("commit below a file: %v", err)
	}
	_, err = w.Commit(w.ctx(), owner, mounts.CommitSpec{At: "app", All: true, Message: "x"})
	w.must(err)
	w.agree(m)
	if got, want := strings.Fields(w.git(m.Dir, "ls-tree", "-r", "--name-only", "HEAD")), "README/x.txt d/x in link/x.txt out"; strings.Join(got, " ") != want {
		t.Errorf("the commit has %q, want %q", got, want)
	}
	if got := w.git(m.Dir, "cat-file", "-p", "HEAD:out"); got != elsewhere {
		t.Errorf("out is %q", got)
	}
}
