package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaijutsu"
)

func TestUpdateAndDeleteRefs(t *testing.T) {
	s := newSandbox(t)
	one := s.commit("one", nil)
	two := s.commit("two", nil)
	r := s.repo()
	update := func(name string, new, old Hash) error { return r.updateRef(r.common, name, new, old, ann, "why\nnot") }
	for _, step := range []struct {
		what string
		err  error
		want error
	}{
		{"new", update("refs/heads/a/b", one, ""), nil},
		{"move", update("refs/heads/a/b", two, one), nil},
		{"moved meanwhile", update("refs/heads/a/b", one, one), kaijutsu.ErrConflict},
		{"is there", update("refs/heads/a/b", one, ""), kaijutsu.ErrConflict},
		{"is not there", update("refs/heads/c", one, two), kaijutsu.ErrConflict},
		{"above another", update("refs/heads/a", one, ""), kaijutsu.ErrConflict},
		{"below another", update("refs/heads/a/b/c", one, ""), kaijutsu.ErrConflict},
		{"bad name", update("refs/heads/../../x", one, ""), kaijutsu.ErrInvalid},
		{"bad name to delete", r.deleteRef(r.common, "refs/heads/a.lock", one), kaijutsu.ErrInvalid},
	} {
		if !errors.Is(step.err, step.want) {
			t.Errorf("%s: err = %v, want %v", step.what, step.err, step.want)
		}
	}
	if got, want := s.git("reflog", "show", "a/b", "--format=%H %gs %gn"), string(two)+" why not Ann\n"+string(one)+" why not Ann"; got != want {
		t.Errorf("reflog = %q, want %q", got, want)
	}
	s.git("tag", "-a", "-m", "x", "v1")
	s.git("pack-refs", "--all", "--prune")
	for _, step := range []struct {
		what string
		err  error
		want error
	}{
		{"above a packed one", update("refs/heads/a", one, ""), kaijutsu.ErrConflict},
		{"below a packed one", update("refs/heads/a/b/c", one, ""), kaijutsu.ErrConflict},
		{"move a packed one", update("refs/heads/a/b", one, two), nil},
		{"delete at another commit", r.deleteRef(r.common, "refs/heads/a/b", two), kaijutsu.ErrConflict},
		{"delete", r.deleteRef(r.common, "refs/heads/a/b", one), nil},
		{"delete again", r.deleteRef(r.common, "refs/heads/a/b", one), kaijutsu.ErrConflict},
		{"a name that is free again", update("refs/heads/a", two, ""), nil},
		{"delete a packed tag", r.deleteRef(r.common, "refs/tags/v1", Hash(s.git("rev-parse", "v1"))), nil},
	} {
		if !errors.Is(step.err, step.want) {
			t.Errorf("%s: err = %v, want %v", step.what, step.err, step.want)
		}
	}
	if got, want := s.git("for-each-ref", "--format=%(refname)"), "refs/heads/a\nrefs/heads/main"; got != want {
		t.Errorf("refs = %q, want %q", got, want)
	}
	s.agrees()
}

func TestRefLogsFollowTheConfiguration(t *testing.T) {
	s := newSandbox(t)
	head := s.commit("one", nil)
	s.git("config", "core.logAllRefUpdates", "false")
	r := s.repo()
	if err := r.updateRef(r.common, "refs/heads/quiet", head, "", ann, "x"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(r.common, "logs/refs/heads/quiet")); !os.IsNotExist(err) {
		t.Errorf("a log was begun: %v", err)
	}
	if err := r.updateRef(r.common, "refs/heads/main", s.rev("HEAD"), head, ann, "goes on"); err != nil {
		t.Fatal(err)
	}
	if got := s.git("reflog", "show", "main", "--format=%gs"); !strings.HasPrefix(got, "goes on") {
		t.Errorf("a log that was there does not go on: %q", got)
	}
}
