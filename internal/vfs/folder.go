package vfs

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Folder is a directory of this machine's disk and what is below it. It stays
// the same directory when that is moved or replaced. It is safe for concurrent
// use.
type Folder struct {
	dir  string
	root *os.Root

	// swap serialises what replaces and removes files, so that putting back
	// never meets another of our own writes.
	swap sync.Mutex

	mu      sync.Mutex
	base    *os.File // the folder itself
	scratch *os.File // nil: none
	closed  bool
}

// OpenFolder opens a directory. A link to one is resolved now, once. The
// folder must be closed.
func OpenFolder(dir string) (*Folder, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, problem("open folder", dir, err)
	}
	if full, err = filepath.EvalSymlinks(full); err != nil {
		return nil, problem("open folder", dir, err)
	}
	info, err := os.Stat(full)
	if err != nil {
		return nil, problem("open folder", dir, err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("open folder %q: %w", dir, ErrNotDirectory)
	}
	root, err := os.OpenRoot(full)
	if err != nil {
		return nil, problem("open folder", dir, err)
	}
	base, err := root.Open(".")
	if err != nil {
		root.Close()
		return nil, problem("open folder", dir, err)
	}
	return &Folder{dir: full, root: root, base: base}, nil
}

// SetScratch names a directory, made when it is missing, where files are
// written before they take their places. On the same file system they do so
// in one step; on another, and without one, a hidden file beside the one that
// is written does. It is outside of the folder, and nobody else's: what a
// process that was killed left there may be deleted.
func (f *Folder) SetScratch(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return problem("make scratch directory", dir, err)
	}
	scratch, err := os.Open(dir)
	if err != nil {
		return problem("open scratch directory", dir, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		scratch.Close()
		return problem("set scratch directory", dir, fs.ErrClosed)
	}
	if f.scratch != nil {
		f.scratch.Close()
	}
	f.scratch = scratch
	return nil
}

// Dir returns the folder's path when it was opened, absolute and without
// links.
func (f *Folder) Dir() string { return f.dir }

// Close closes the folder. What is under way ends as it would have.
func (f *Folder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	if f.scratch != nil {
		f.scratch.Close()
		f.scratch = nil
	}
	f.base.Close()
	return f.root.Close()
}

// Stat describes what stands at a name; of a link, the link.
func (f *Folder) Stat(_ context.Context, name string) (Info, error) {
	name, info, err := f.lstat("stat", name)
	if err != nil {
		return Info{}, err
	}
	return f.describe(name, info), nil
}

// Stamp returns the stamp of what stands at a name; of a link, the link's.
func (f *Folder) Stamp(name string) (Stamp, error) {
	_, info, err := f.lstat("stat", name)
	if err != nil {
		return Stamp{}, err
	}
	return StampOf(info), nil
}

// lstat returns a name clean, and what stands there.
func (f *Folder) lstat(doing, name string) (string, fs.FileInfo, error) {
	name, err := Clean(name)
	if err != nil {
		return name, nil, fmt.Errorf("%s: %w", doing, err)
	}
	info, err := f.root.Lstat(name)
	if err != nil {
		return name, nil, problem(doing, name, err)
	}
	return name, info, nil
}

func (f *Folder) describe(name string, info fs.FileInfo) Info {
	out := Info{Path: name, Kind: kindOf(info.Mode()), Mode: info.Mode(), ModTime: info.ModTime().UTC()}
	switch out.Kind {
	case KindFile:
		out.Size = info.Size()
	case KindSymlink:
		out.Target, _ = f.root.Readlink(name) // it may be gone again
	}
	return out
}
