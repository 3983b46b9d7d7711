package vfs

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"kaijutsu"
)

// Memory is a file system that ends with the process. Directories come with
// what is written in them. It is safe for concurrent use; each call sees the
// tree between two others.
type Memory struct {
	limit int64

	mu   sync.RWMutex
	root *node
	used int64 // bytes, as weight counts them
}

// node is a file, or with children a directory.
type node struct {
	children map[string]*node // nil: a file
	data     []byte           // never changed in place
	exec     bool
	modified time.Time
}

// nodeBytes is what a file or directory counts for beyond its name and bytes,
// so that empty ones are bounded too.
const nodeBytes = 256

// NewMemory returns an empty file system of at most limit bytes, names and
// what keeps them included; 64 MiB where limit is not positive.
func NewMemory(limit int64) *Memory {
	if limit <= 0 {
		limit = 64 << 20
	}
	return &Memory{limit: limit, root: newDir(time.Now())}
}

func newDir(at time.Time) *node {
	return &node{children: map[string]*node{}, modified: at.UTC()}
}

func (n *node) isDir() bool { return n.children != nil }

func weight(name string, size int) int64 { return nodeBytes + int64(len(name)) + int64(size) }

// Used returns how many bytes of the limit are taken.
func (m *Memory) Used() (used, limit int64) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.used, m.limit
}

// Stat describes a file or directory.
func (m *Memory) Stat(_ context.Context, name string) (Info, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n, name, err := m.findLocked("stat", name)
	if err != nil {
		return Info{}, err
	}
	return n.info(name), nil
}

// List describes what a directory holds, by name.
func (m *Memory) List(_ context.Context, name string) ([]Info, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n, name, err := m.findLocked("list", name)
	if err != nil {
		return nil, err
	}
	if !n.isDir() {
		return nil, fmt.Errorf("list %q: %w", name, ErrNotDirectory)
	}
	infos := make([]Info, 0, len(n.children))
	for _, child := range slices.Sorted(maps.Keys(n.children)) {
		infos = append(infos, n.children[child].info(path.Join(name, child)))
	}
	return infos, nil
}

// Read returns a copy of a file's bytes.
func (m *Memory) Read(_ context.Context, _ kaijutsu.Principal, name string, limit int64) ([]byte, Info, error) {
	m.mu.RLock()
	n, name, err := m.findLocked("read", name)
	m.mu.RUnlock()
	switch {
	case err != nil:
		return nil, Info{}, err
	case n.isDir():
		return nil, n.info(name), fmt.Errorf("read %q: %w", name, ErrIsDirectory)
	}
	info := n.info(name)
	if limit = readLimit(limit); info.Size > limit {
		return nil, info, tooLarge(name, info.Size, limit)
	}
	info.Binary, info.Hash = IsBinary(n.data), HashOf(n.data)
	return slices.Clone(n.data), info, nil
}

func readLimit(limit int64) int64 {
	if limit <= 0 {
		return maxRead
	}
	return limit
}

func tooLarge(name string, size, limit int64) error {
	return fmt.Errorf("read %q: %d bytes, at most %d: %w", name, size, limit, kaijutsu.ErrTooLarge)
}

// findLocked returns what stands at a name, and the name as it is clean.
func (m *Memory) findLocked(doing, name string) (*node, string, error) {
	name, err := Clean(name)
	if err != nil {
		return nil, name, fmt.Errorf("%s: %w", doing, err)
	}
	n := m.root
	for part := range parts(name) {
		if !n.isDir() {
			return nil, name, fmt.Errorf("%s %q: %w", doing, name, ErrNotDirectory)
		}
		if n = n.children[part]; n == nil {
			return nil, name, fmt.Errorf("%s %q: %w", doing, name, kaijutsu.ErrNotFound)
		}
	}
	return n, name, nil
}

// parts yields the components of a clean name; "." has none.
func parts(name string) func(func(string) bool) {
	if name == "." {
		return func(func(string) bool) {}
	}
	return strings.SplitSeq(name, "/")
}

func (n *node) info(name string) Info {
	info := Info{Path: name, Kind: KindFile, Size: int64(len(n.data)), Mode: 0o644, ModTime: n.modified}
	switch {
	case n.isDir():
		info.Kind, info.Mode = KindDir, fs.ModeDir|0o755
	case n.exec:
		info.Mode = 0o755
	}
	return info
}
