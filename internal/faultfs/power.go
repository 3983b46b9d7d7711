package faultfs

import (
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// PowerLoss ends the mount and makes the backing directory what a disk might
// hold that lost its power now; see the package comment. The random numbers
// say which of the possibilities.
//
// Who used the mount should have been killed and have ended: then what it had
// written to mapped files is part of the possibilities. Requests of a process
// that lives on fail, and what it wrote to mapped files and did not sync is
// lost.
func (f *FS) PowerLoss(r *rand.Rand) error {
	f.mu.Lock()
	f.cut = true
	f.mu.Unlock()
	if err := f.end(); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	m := newMood(r)
	if err := f.unwind(m); err != nil {
		return err
	}
	paths, err := f.paths()
	if err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) { // so that a seed does the same again
		if err := f.files[paths[path]].settleAt(path, m); err != nil {
			return err
		}
	}
	return os.RemoveAll(f.undo)
}

// paths returns where the files are that are accounted for.
func (f *FS) paths() (map[string]uint64, error) {
	paths := make(map[string]uint64)
	err := filepath.WalkDir(f.backing, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		inode, err := inodeOf(d)
		if _, ok := f.files[inode]; ok {
			paths[path] = inode
		}
		return err
	})
	return paths, err
}

func (p *file) settleAt(path string, m mood) error {
	content, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(p.settle(content, m), content.Close())
}

// clear removes what a power loss would have needed.
func (f *FS) clear() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.barrier()
	return os.RemoveAll(f.undo)
}
