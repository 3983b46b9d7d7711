package git

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"kaijutsu"
)

// deleteRef takes a ref away, from packed-refs too, with its reflog. It
// returns an error that wraps ErrConflict if the ref is not at old.
func (r *Repo) deleteRef(gitDir, name string, old Hash) error {
	if old == "" {
		return fmt.Errorf("delete %s: no commit given: %w", name, kaijutsu.ErrInvalid)
	}
	u, err := r.beginRef(gitDir, name, old, old)
	if err != nil {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	defer u.abort()
	if err := r.unpackRef(u.name); err != nil {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	if err := os.Remove(u.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete %s: %w", name, unwritable(err))
	}
	dir := r.refHome(gitDir, u.name)
	log := filepath.Join(dir, "logs", filepath.FromSlash(u.name))
	if err := os.Remove(log); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete the reflog of %s: %w", name, unwritable(err))
	}
	removeEmptyParents(log, filepath.Join(dir, "logs", "refs", "heads"))
	return nil
}

// unpackRef rewrites packed-refs without a ref, under its lock.
func (r *Repo) unpackRef(full string) error {
	path := filepath.Join(r.common, "packed-refs")
	if h, err := r.packed.lookup(r.common, full); err != nil || h == "" {
		return err
	}
	l, err := lockFile(path)
	if err != nil {
		return err
	}
	packed, err := readFile(path, maxPackedRefs, 0)
	if err != nil {
		l.abort()
		return unwritable(err)
	}
	if _, err := l.Write(withoutRef(packed, full)); err != nil {
		l.abort()
		return unwritable(err)
	}
	return l.commit()
}

// withoutRef drops a ref's line and the line of what its tag points to.
func withoutRef(packed []byte, full string) []byte {
	out := make([]byte, 0, len(packed))
	dropped := false
	for line := range bytes.Lines(packed) {
		if line[0] == '^' && dropped {
			continue
		}
		dropped = line[0] != '#' && bytes.HasSuffix(bytes.TrimRight(line, "\n"), []byte(" "+full))
		if !dropped {
			out = append(out, line...)
		}
	}
	return out
}

// removeEmptyParents takes away the directories above path that are empty, up
// to the one named top, which stays.
func removeEmptyParents(path, top string) {
	for dir := filepath.Dir(path); len(dir) > len(top); dir = filepath.Dir(dir) {
		if os.Remove(dir) != nil {
			return
		}
	}
}
