package vfs

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"kaijutsu"
)

// Table says what is mounted where. Its methods take absolute paths, and
// answer with absolute paths. It is safe for concurrent use.
type Table struct {
	mu     sync.RWMutex
	mounts []Mounted // by path; never changed in place
}

// Mounted is one mount.
type Mounted struct {
	// Path is absolute and clean.
	Path     string
	ReadOnly bool
	FS       FS
}

// NewTable returns a table with nothing in it.
func NewTable() *Table { return &Table{} }

// Mount puts fsys at a path, in place of what was mounted just there. What is
// mounted below the path stays.
func (t *Table) Mount(at string, fsys FS, readOnly bool) error {
	at, err := cleanPath(at)
	if err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	if fsys == nil {
		return fmt.Errorf("mount %q: nothing to mount: %w", at, kaijutsu.ErrInvalid)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	mounts := slices.Clone(t.mounts)
	i, found := slices.BinarySearchFunc(mounts, at, comparePath)
	if !found {
		mounts = slices.Insert(mounts, i, Mounted{})
	}
	mounts[i] = Mounted{Path: at, ReadOnly: readOnly, FS: fsys}
	t.mounts = mounts
	return nil
}

// Unmount takes the mount at a path away, and reports whether there was one.
// What is under way in it goes on.
func (t *Table) Unmount(at string) bool {
	at, err := cleanPath(at)
	if err != nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	i, found := slices.BinarySearchFunc(t.mounts, at, comparePath)
	if found {
		t.mounts = slices.Delete(slices.Clone(t.mounts), i, i+1)
	}
	return found
}

// Mounts returns the mounts by path.
func (t *Table) Mounts() []Mounted { return slices.Clone(t.all()) }

func (t *Table) all() []Mounted {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.mounts
}

// Find returns the deepest mount at or above a path, and the path's name in
// it. The error is ErrNoMount or that of an unclean path.
func (t *Table) Find(p string) (Mounted, string, error) {
	p, err := cleanPath(p)
	if err != nil {
		return Mounted{}, "", err
	}
	mounts := t.all()
	if m, rel, ok := find(mounts, p); ok {
		return m, rel, nil
	}
	return Mounted{}, "", fmt.Errorf("%s: %s: %w", p, whatIsMounted(mounts), ErrNoMount)
}

// find is Find for a clean path. It asks for every prefix of the path, deepest
// first.
func find(mounts []Mounted, p string) (Mounted, string, bool) {
	for at := p; ; at = path.Dir(at) {
		if i, ok := slices.BinarySearchFunc(mounts, at, comparePath); ok {
			return mounts[i], below(at, p), true
		}
		if at == "/" {
			return Mounted{}, "", false
		}
	}
}

// below returns the name that p has below at, which is p or above it.
func below(at, p string) string {
	if at == p {
		return "."
	}
	return strings.TrimPrefix(strings.TrimPrefix(p, at), "/")
}

// isBelow reports whether p is strictly below at.
func isBelow(at, p string) bool {
	return p != at && (at == "/" || strings.HasPrefix(p, at+"/"))
}

func comparePath(m Mounted, p string) int { return cmp.Compare(m.Path, p) }

// whatIsMounted helps who mistyped a mount.
func whatIsMounted(mounts []Mounted) string {
	const shown = 8
	if len(mounts) == 0 {
		return "nothing is mounted"
	}
	var paths []string
	for _, m := range mounts[:min(len(mounts), shown)] {
		paths = append(paths, m.Path)
	}
	if len(mounts) > shown {
		paths = append(paths, "…")
	}
	return "mounted are " + strings.Join(paths, ", ")
}
