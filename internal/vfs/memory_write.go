package vfs

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"kaijutsu"
)

// Write makes a copy of data the whole of a file. Directories that are missing
// are made, whatever o.Parents says. What would pass the limit is
// kaijutsu.ErrTooLarge, and changes nothing.
func (m *Memory) Write(_ context.Context, _ kaijutsu.Principal, name string, data []byte, o WriteOptions) (Info, error) {
	name, err := Clean(name)
	if err != nil {
		return Info{}, fmt.Errorf("write: %w", err)
	}
	data = slices.Clone(data)
	m.mu.Lock()
	defer m.mu.Unlock()
	old, err := m.replaceableLocked(name, o)
	if err != nil {
		return Info{}, err
	}
	need := weight(path.Base(name), len(data))
	if old != nil {
		need -= weight(path.Base(name), len(old.data))
	}
	parent, err := m.parentLocked("write", name, need)
	if err != nil {
		return Info{}, err
	}
	// A new node, so that readers keep the one they have.
	n := &node{data: data, modified: time.Now().UTC()}
	if old != nil {
		n.exec = old.exec
	}
	if o.Exec != nil {
		n.exec = *o.Exec
	}
	parent.children[path.Base(name)] = n
	info := n.info(name)
	info.Binary, info.Hash = IsBinary(data), HashOf(data)
	return info, nil
}

// replaceableLocked returns the file that Write replaces, nil for none.
func (m *Memory) replaceableLocked(name string, o WriteOptions) (*node, error) {
	old, _, err := m.findLocked("write", name)
	switch {
	case err != nil && o.IfHash != "":
		return nil, staleError(name, false)
	case err != nil:
		return nil, nil // parentLocked judges the way there
	case old.isDir():
		return nil, fmt.Errorf("write %q: %w", name, ErrIsDirectory)
	case o.Exclusive:
		return nil, fmt.Errorf("write %q: %w", name, ErrExists)
	case o.IfHash != "" && HashOf(old.data) != o.IfHash:
		return nil, staleError(name, true)
	}
	return old, nil
}

// staleError is what a write with IfHash gets.
func staleError(name string, exists bool) error {
	if !exists {
		return fmt.Errorf("write %q: if_hash: the file is not there any more: %w", name, kaijutsu.ErrConflict)
	}
	return fmt.Errorf("write %q: if_hash: the file has other bytes now; read it again: %w", name, kaijutsu.ErrConflict)
}

// parentLocked returns the directory that name goes into, made with those
// above it, when there is room for them and for need bytes more. It changes
// nothing when there is not.
func (m *Memory) parentLocked(doing, name string, need int64) (*node, error) {
	dir := path.Dir(name)
	n, missing := m.root, 0
	for part := range parts(dir) {
		switch {
		case missing > 0:
		case !n.isDir():
			return nil, fmt.Errorf("%s %q: %w", doing, name, ErrNotDirectory)
		case n.children[part] != nil:
			n = n.children[part]
			continue
		}
		missing++
		need += weight(part, 0)
	}
	if !n.isDir() {
		return nil, fmt.Errorf("%s %q: %w", doing, name, ErrNotDirectory)
	}
	if need > 0 && m.used+need > m.limit {
		return nil, fmt.Errorf("%s %q: %d bytes more do not fit: %d of %d are used; remove something: %w",
			doing, name, need, m.used, m.limit, kaijutsu.ErrTooLarge)
	}
	m.used += need
	return m.makeLocked(dir), nil
}

// makeLocked returns a directory, made with those above it. Nothing but
// directories stands on the way.
func (m *Memory) makeLocked(dir string) *node {
	n, now := m.root, time.Now()
	for part := range parts(dir) {
		child := n.children[part]
		if child == nil {
			child = newDir(now)
			n.children[part] = child
			n.modified = now.UTC()
		}
		n = child
	}
	return n
}

// Mkdir makes a directory, and those above it.
func (m *Memory) Mkdir(_ context.Context, _ kaijutsu.Principal, name string) error {
	name, err := Clean(name)
	if err != nil {
		return fmt.Errorf("mkdir: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, _, err := m.findLocked("mkdir", name); err == nil {
		return fmt.Errorf("mkdir %q: %w", name, ErrExists)
	}
	if _, err := m.parentLocked("mkdir", name, weight(path.Base(name), 0)); err != nil {
		return err
	}
	m.makeLocked(name)
	return nil
}

// Remove removes a file or directory.
func (m *Memory) Remove(_ context.Context, _ kaijutsu.Principal, name string, recursive bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, name, err := m.findLocked("remove", name)
	switch {
	case err != nil:
		return err
	case name == ".":
		return errRoot("remove")
	case len(n.children) > 0 && !recursive:
		return fmt.Errorf("remove %q: %w", name, ErrNotEmpty)
	}
	parent := m.makeLocked(path.Dir(name))
	delete(parent.children, path.Base(name))
	parent.modified = time.Now().UTC()
	m.used -= n.weight(path.Base(name))
	return nil
}

// errRoot is what removing or renaming a mount through its FS gets.
func errRoot(doing string) error {
	return fmt.Errorf("%s: it is the mount itself: %w", doing, kaijutsu.ErrInvalid)
}

// weight returns what a node counts for under a name, with all in it.
func (n *node) weight(name string) int64 {
	sum := weight(name, len(n.data))
	for name, child := range n.children {
		sum += child.weight(name)
	}
	return sum
}

// Rename moves a file or directory; directories of the new name that are
// missing are made.
func (m *Memory) Rename(_ context.Context, _ kaijutsu.Principal, from, to string) error {
	to, err := Clean(to)
	if err != nil {
		return fmt.Errorf("rename: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	n, from, err := m.findLocked("rename", from)
	switch {
	case err != nil:
		return err
	case from == "." || to == ".":
		return errRoot("rename")
	case from == to:
		return nil
	case strings.HasPrefix(to, from+"/"):
		return fmt.Errorf("rename %q to %q: into itself: %w", from, to, kaijutsu.ErrInvalid)
	}
	base := path.Base(to)
	need := int64(len(base) - len(path.Base(from)))
	old, _, err := m.findLocked("rename", to)
	if err == nil {
		if old.isDir() || n.isDir() {
			return fmt.Errorf("rename %q to %q: %w", from, to, ErrExists)
		}
		need -= old.weight(base)
	}
	parent, err := m.parentLocked("rename", to, need)
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	source := m.makeLocked(path.Dir(from))
	delete(source.children, path.Base(from))
	parent.children[base] = n
	source.modified, parent.modified = now, now
	return nil
}
