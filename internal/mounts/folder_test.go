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

// TestWhatIsGitsOwnInAFolder has an editor try to make git run a command for who
// owns the folder.
func TestWhatIsGitsOwnInAFolder(t *testing.T) {
	w := newWorld(t)
	dir := w.repository("app", map[string]string{"README": "keep me\n", "d/x": "x\n"})
	w.git(dir, "init", "-q", "--bare", "bare")
	w.git(dir, "init", "-q", "d/nested")
	for link, to := range map[string]string{"x": ".git", "y": "d/nested/.git", "z": "x", "d/up": "../d/../.git/hooks", "ok": "d", "circle": "circle", "file": ".git/config"} {
		w.must(os.Symlink(to, filepath.Join(dir, link)))
	}
	_, err := w.Add(w.ctx(), owner, mounts.AddSpec{Path: "/mnt/f", Source: dir, ReadWrite: true})
	w.must(err)
	ed := w.member("ed", kaijutsu.Agent, kaijutsu.RightEdit)
	before := w.snapshot(filepath.Join(dir, ".git")) + w.snapshot(filepath.Join(dir, "bare"))

	for _, name := range []string{
		".git/config", ".git/hooks/pre-commit", ".GIT/config", ".git./config", "git~1/config", "x/config", "x/hooks/h", "y/config", "z/config", "d/up/h", "d/nested/.git/config",
		"bare/config", "bare/hooks/h", "circle/x", "file",
	} {
		_, err := w.WriteFile(w.ctx(), ed, mounts.WriteSpec{Path: "/mnt/f/" + name, Text: "[core]\n\tfsmonitor = touch pwned\n", Parents: true})
		if !errors.Is(err, kaijutsu.ErrDenied) && !errors.Is(err, kaijutsu.ErrConflict) {
			t.Errorf("write %s: %v", name, err)
		}
	}
	for what, err := range map[string]error{
		"make .git":          w.Mkdir(w.ctx(), ed, "/mnt/f/d/.git"),
		"remove a hook":      w.RemoveFile(w.ctx(), ed, "/mnt/f/.git/config", false),
		"remove .git":        w.RemoveFile(w.ctx(), ed, "/mnt/f/.git", true),
		"remove with .git":   w.RemoveFile(w.ctx(), ed, "/mnt/f/d", true),
		"move out":           w.Rename(w.ctx(), ed, "/mnt/f/.git/config", "/mnt/f/config"),
		"move in":            w.Rename(w.ctx(), ed, "/mnt/f/README", "/mnt/f/x/hooks/pre-commit"),
		"move .git":          w.Rename(w.ctx(), ed, "/mnt/f/.git", "/mnt/f/git"),
		"move to .git":       w.Rename(w.ctx(), ed, "/mnt/f/README", "/mnt/f/d/.git"),
		"move into a bare":   w.Rename(w.ctx(), ed, "/mnt/f/README", "/mnt/f/bare/config2"),
		"move out of a bare": w.Rename(w.ctx(), ed, "/mnt/f/bare/config", "/mnt/f/config"),
	} {
		if !errors.Is(err, kaijutsu.ErrDenied) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if after := w.snapshot(filepath.Join(dir, ".git")) + w.snapshot(filepath.Join(dir, "bare")); after != before {
		t.Errorf("git's own files changed:\n%s\nwere\n%s", after, before)
	}
	for _, name := range []string{".git/config", "x/config", "y/HEAD", "z/config", "file", ".git"} {
		if f, err := w.ReadFile(w.ctx(), ed, mounts.ReadSpec{Path: "/mnt/f/" + name}); !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("read %s: %q, %v", name, f.Text, err)
		} else if strings.Contains(err.Error(), `mean "/mnt/f/`+name+`"`) {
			t.Errorf("read %s: %v, which proposes the same", name, err)
		}
	}
	if all, err := w.ListDir(w.ctx(), ed, "/mnt/f/x"); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("list a link to .git: %v, %v", all, err)
	}
	all, err := w.ListDir(w.ctx(), ed, "/mnt/f")
	w.must(err)
	for _, info := range all {
		if filepath.Base(info.Path) == ".git" {
			t.Error(".git is listed")
		}
	}
	if found, err := w.Search(w.ctx(), ed, vfs.SearchSpec{Path: "/mnt/f", Pattern: "repositoryformatversion"}); err != nil {
		t.Error(err)
	} else {
		for _, hit := range found.Matches {
			if hit.Path != "/mnt/f/bare/config" {
				t.Errorf("a search finds %s", hit.Path)
			}
		}
	}

	// The rest is a folder like any other.
	w.write(ed, "/mnt/f/ok/new.txt", "new\n")
	w.write(ed, "/mnt/f/.gitignore", "*.o\n")
	if got := w.read(ed, "/mnt/f/d/new.txt").Text; got != "new\n" {
		t.Errorf("through a link there is %q", got)
	}
	w.must(w.Mkdir(w.ctx(), ed, "/mnt/f/e"))
	w.must(w.Rename(w.ctx(), ed, "/mnt/f/d/new.txt", "/mnt/f/e/new.txt"))
	w.must(w.RemoveFile(w.ctx(), ed, "/mnt/f/e", true))
}

// snapshot describes the files below a directory.
func (w *world) snapshot(dir string) (out string) {
	w.t.Helper()
	w.must(filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			w.must(err)
			out += path + " " + info.Mode().String() + " " + vfs.HashOf(data) + "\n"
		}
		return err
	}))
	return out
}
