package mounts

import (
	"context"
	"errors"
	"fmt"
	"path"

	"kaijutsu"
	"kaijutsu/git"
	"kaijutsu/internal/vfs"
)

// above knows what git has at the paths above files, so that a commit does not
// take away what stands there.
type above struct {
	s     seen
	head  git.Hash
	index *git.Index
	modes map[string]git.Mode
}

func newAbove(s seen, head git.Hash) (*above, error) {
	index, err := s.tree.ReadIndex()
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	return &above{s, head, index, make(map[string]git.Mode)}, nil
}

// mode returns what git has at a path, in the index or the last commit: a
// submodule, file or link, or 0 for a directory and for nothing.
func (a *above) mode(name string) (git.Mode, error) {
	if mode, known := a.modes[name]; known {
		return mode, nil
	}
	var mode git.Mode
	if e := a.index.Find(name); e != nil {
		mode = e.Mode
	}
	if a.head != "" && mode != git.Submodule {
		blob, err := a.s.tree.Repo().FileAt(a.head, name)
		if err != nil && !errors.Is(err, kaijutsu.ErrNotFound) {
			return 0, err
		}
		if err == nil && blob.Mode != git.Tree {
			mode = blob.Mode
		}
	}
	a.modes[name] = mode
	return mode, nil
}

// check refuses a path that is a submodule or stands in one, and, unless gone has
// it, one that stands below a file or a link.
func (a *above) check(name string, gone func(string) bool) error {
	for p := name; p != "."; p = path.Dir(p) {
		mode, err := a.mode(p)
		switch {
		case err != nil:
			return err
		case mode == git.Submodule && p == name:
			return fmt.Errorf("%s is a submodule, which is another repository; commit it with git: %w", p, kaijutsu.ErrInvalid)
		case mode == git.Submodule:
			return fmt.Errorf("file %s is in the submodule %s, which is another repository; commit it there: %w", name, p, kaijutsu.ErrInvalid)
		case mode != 0 && p != name && !gone(p):
			return fmt.Errorf("file %s is below %s, which is no directory in git; commit that %s is deleted too, or move the file: %w", name, p, p, kaijutsu.ErrConflict)
		}
	}
	return nil
}

// checkAll checks the files of a commit: those that it deletes, and those that it
// holds.
func (a *above) checkAll(files []changed) error {
	gone, there := make(map[string]bool), make(map[string]bool)
	for _, f := range files {
		gone[f.path], there[f.path] = !f.exists, f.exists
	}
	for _, f := range files {
		if !f.exists {
			continue
		}
		if err := a.check(f.path, func(p string) bool { return gone[p] }); err != nil {
			return about(or(f.field, "paths"), err)
		}
		for p := path.Dir(f.path); p != "."; p = path.Dir(p) {
			if there[p] {
				return about(or(f.field, "paths"), fmt.Errorf("file %s is below %s, which is a file too; remove one of them: %w", f.path, p, kaijutsu.ErrConflict))
			}
		}
	}
	return nil
}

// covered reports whether the disk has a link, or what else is no directory,
// above a path: then there is no such file for git, wherever the link leads.
func (s seen) covered(ctx context.Context, name string) bool {
	for p := path.Dir(name); p != "."; p = path.Dir(p) {
		if info, err := s.folder.Stat(ctx, p); err == nil && info.Kind != vfs.KindDir {
			return true
		}
	}
	return false
}
