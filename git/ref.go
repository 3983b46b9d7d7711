package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kaijutsu"
)

// refUpdate is a ref that is locked and about to change. It ends by commit or
// abort.
type refUpdate struct {
	name     string // in full, symbolic refs followed
	path     string
	old, new Hash
	lock     *lock
}

// beginRef locks a ref of the git directory, which is r.common but for the
// refs of one worktree, and prepares it to become new. It returns an error
// that wraps ErrConflict if the ref is not at old ("" = is not there), and
// ErrUnavailable if somebody else holds its lock.
func (r *Repo) beginRef(gitDir, name string, new, old Hash) (*refUpdate, error) {
	full, _, err := r.resolveRef(gitDir, name)
	if err != nil && !errors.Is(err, kaijutsu.ErrNotFound) {
		return nil, err
	}
	u := &refUpdate{name: full, path: r.refFile(gitDir, full), old: old, new: new}
	if err := r.makeRefRoom(full, u.path); err != nil {
		return nil, err
	}
	if u.lock, err = lockRef(u.path); err != nil {
		return nil, err
	}
	if err := u.fill(r, gitDir); err != nil {
		u.abort()
		return nil, err
	}
	return u, nil
}

// lockRef waits up to 100 ms for the lock, as git does by default.
func lockRef(path string) (*lock, error) {
	for wait := time.Millisecond; ; wait *= 2 {
		l, err := lockFile(path)
		if !errors.Is(err, kaijutsu.ErrUnavailable) || wait > 64*time.Millisecond {
			return l, err
		}
		time.Sleep(wait)
	}
}

func (u *refUpdate) fill(r *Repo, gitDir string) error {
	full, now, err := r.resolveRef(gitDir, u.name)
	switch {
	case err != nil && !errors.Is(err, kaijutsu.ErrNotFound):
		return err
	case full != u.name:
		return fmt.Errorf("%s became a symbolic ref meanwhile: %w", u.name, kaijutsu.ErrConflict)
	case now != u.old:
		return fmt.Errorf("%s is at %s, not at %s as was said: %w", u.name, orNone(now), orNone(u.old), kaijutsu.ErrConflict)
	}
	if _, err := u.lock.Write([]byte(u.new + "\n")); err != nil {
		return unwritable(err)
	}
	return nil
}

func orNone(h Hash) string {
	if h == "" {
		return "no commit"
	}
	return string(h)
}

// commit moves the ref. Nothing else changes it between begin and here.
func (u *refUpdate) commit() error {
	if err := removeEmptyDirs(u.path); err != nil {
		u.abort()
		return fmt.Errorf("moving %s: %w", u.name, err)
	}
	if err := u.lock.commit(); err != nil {
		return fmt.Errorf("moving %s: %w", u.name, err)
	}
	return nil
}

func (u *refUpdate) abort() { u.lock.abort() }

// updateRef moves a ref from old to new and logs it, the log of HEAD included
// where HEAD of the git directory points to it. It returns an error that wraps
// ErrConflict if the ref is not at old ("" = is not there).
func (r *Repo) updateRef(gitDir, name string, new, old Hash, by Signature, message string) error {
	u, err := r.beginRef(gitDir, name, new, old)
	if err != nil {
		return err
	}
	if err := r.logRef(gitDir, u, by, message); err != nil {
		u.abort()
		return err
	}
	return u.commit()
}

// makeRefRoom makes the directories above a ref and refuses a name that is
// above or below the name of another ref.
func (r *Repo) makeRefRoom(full, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		if info, statErr := os.Stat(filepath.Dir(path)); statErr != nil || !info.IsDir() {
			return fmt.Errorf("ref %s: a ref has the name of a directory above it: %w", full, kaijutsu.ErrConflict)
		}
		return unwritable(err)
	}
	if err := removeEmptyDirs(path); err != nil {
		return fmt.Errorf("ref %s: %w", full, err)
	}
	packed, err := r.packed.load(r.common)
	if err != nil {
		return err
	}
	byName := func(r packedRef, name string) int { return strings.Compare(r.name, name) }
	at, _ := slices.BinarySearchFunc(packed, full+"/", byName)
	if at < len(packed) && strings.HasPrefix(packed[at].name, full+"/") {
		return fmt.Errorf("ref %s: the ref %s is below that name: %w", full, packed[at].name, kaijutsu.ErrConflict)
	}
	for dir := parentName(full); dir != ""; dir = parentName(dir) {
		if _, taken := slices.BinarySearchFunc(packed, dir, byName); taken {
			return fmt.Errorf("ref %s: %s is a ref: %w", full, dir, kaijutsu.ErrConflict)
		}
	}
	return nil
}

func parentName(name string) string { return name[:max(0, strings.LastIndexByte(name, '/'))] }

// removeEmptyDirs takes away the empty directories that deleted refs left at
// path, if there are any.
func removeEmptyDirs(path string) error {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return nil // the rename will tell
	}
	var dirs []string
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			return fmt.Errorf("refs below that name exist: %w", kaijutsu.ErrConflict)
		}
		dirs = append(dirs, p)
		return err
	})
	if err != nil {
		return err
	}
	for i := len(dirs) - 1; i >= 0; i-- {
		if err := os.Remove(dirs[i]); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unwritable(err)
		}
	}
	return nil
}
