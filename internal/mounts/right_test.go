package mounts_test

import (
	"errors"
	"slices"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/vfs"
)

func TestWhoMayDoWhat(t *testing.T) {
	w := newWorld(t)
	m := w.app()
	editor, reader := w.member("eve", kaijutsu.Person, kaijutsu.RightEdit), w.member("rob", kaijutsu.Person, kaijutsu.RightRead)
	if _, err := w.Add(w.ctx(), editor, mounts.AddSpec{Path: "/mnt/x", Source: "memory"}); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("an editor adds a mount: %v", err)
	}
	if _, err := w.Remove(w.ctx(), editor, mounts.RemoveSpec{Mount: "app"}); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("an editor removes a mount: %v", err)
	}
	if _, err := w.Set(w.ctx(), editor, mounts.SetSpec{Mount: "app"}); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("an editor sets a mount: %v", err)
	}
	if got, err := w.Get(w.ctx(), editor, "app"); err != nil || got.Dir != "" || got.Source != "git:app" {
		t.Errorf("an editor sees where a mount leads: %+v, %v", got, err)
	}

	w.read(reader, "/mnt/app/a.go")
	if _, err := w.WriteFile(w.ctx(), reader, mounts.WriteSpec{Path: "/mnt/app/a.go", Text: "x"}); !errors.Is(err, kaijutsu.ErrDenied) || errors.Is(err, vfs.ErrReadOnly) {
		t.Errorf("a reader writes: %v", err)
	}
	if _, err := w.WriteFile(w.ctx(), reader, mounts.WriteSpec{Path: "/scratch/x", Text: "x"}); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("a reader writes to memory: %v", err)
	}
	for what, err := range map[string]error{
		"remove": w.RemoveFile(w.ctx(), reader, "/mnt/app/bin.dat", false), "mkdir": w.Mkdir(w.ctx(), reader, "/mnt/app/d"),
		"rename": w.Rename(w.ctx(), reader, "/mnt/app/bin.dat", "/mnt/app/c"), "resolve": w.Resolve(w.ctx(), reader, "/mnt/app/a.go", "block"),
		"delete a branch": w.DeleteBranch(w.ctx(), reader, "app", "main", false),
	} {
		if !errors.Is(err, kaijutsu.ErrDenied) {
			t.Errorf("a reader may %s: %v", what, err)
		}
	}
	if _, err := w.Commit(w.ctx(), reader, mounts.CommitSpec{At: "app", All: true, Message: "x", DryRun: true}); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("a reader commits: %v", err)
	}
	if _, err := w.Status(w.ctx(), reader, mounts.StatusSpec{At: "app"}); err != nil {
		t.Errorf("a reader asks for the status: %v", err)
	}

	// What counts in a git mount is its context.
	_, err := w.access.Grant(w.ctx(), owner.By, m.Context, "rob", kaijutsu.RightEdit)
	w.must(err)
	w.write(reader, "/mnt/app/b.txt", "rob\n")
	_, err = w.access.Grant(w.ctx(), owner.By, m.Context, "eve", kaijutsu.RightNone)
	w.must(err)
	if _, err := w.ReadFile(w.ctx(), editor, mounts.ReadSpec{Path: "/mnt/app/b.txt"}); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("somebody from whom the context is hidden reads: %v", err)
	}
	if _, err := w.Get(w.ctx(), editor, "app"); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("... and sees the mount: %v", err)
	}
	if got := paths(w.List(w.ctx(), editor)); !slices.Equal(got, []string{"/scratch"}) {
		t.Errorf("... in a list: %v", got)
	}
	if found, err := w.Search(w.ctx(), editor, vfs.SearchSpec{Path: "/", Pattern: "rob"}); err != nil || len(found.Matches) != 0 {
		t.Errorf("... in a search: %+v, %v", found, err)
	}
	if found, err := w.Search(w.ctx(), reader, vfs.SearchSpec{Path: "/", Pattern: "^rob"}); err != nil || len(found.Matches) != 1 || found.Matches[0].Path != "/mnt/app/b.txt" {
		t.Errorf("Search = %+v, %v", found, err)
	}
}
