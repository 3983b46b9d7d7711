package git

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"
)

// indexCache keeps the index that was read or written last, until the file
// changes.
type indexCache struct {
	mu    sync.Mutex
	stamp fileStamp
	index *Index // nobody changes it
}

// ReadIndex returns what the index file says now; without a file it is empty.
// Errors wrap kaijutsu.ErrInvalid if it is damaged and kaijutsu.ErrUnavailable
// if it is of a kind that is not understood.
func (w *Worktree) ReadIndex() (*Index, error) {
	x, err := w.cachedIndex()
	if err != nil {
		return nil, err
	}
	return x.clone(), nil
}

// cachedIndex returns an index that nobody may change.
func (w *Worktree) cachedIndex() (*Index, error) {
	path := filepath.Join(w.gitdir, "index")
	stamp := stampOf(path)
	c := &w.index
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.index != nil && stamp == c.stamp && (!stamp.fresh() || c.index.isIn(path)) {
		return c.index, nil
	}
	x, stamp, err := readIndexFile(path)
	if err != nil {
		return nil, err
	}
	c.index, c.stamp = x, stamp
	return x, nil
}

func readIndexFile(path string) (*Index, fileStamp, error) {
	stamp := stampOf(path)
	data, err := readFile(path, maxIndexFile, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return &Index{Version: 2}, fileStamp{}, nil
	}
	if err != nil {
		return nil, stamp, fmt.Errorf("reading index %s: %w", path, err)
	}
	x, err := decodeIndex(data)
	if err != nil {
		return nil, stamp, fmt.Errorf("index %s: %w", path, err)
	}
	x.mtime = time.Unix(0, stamp.mtime)
	return x, stamp, nil
}

// writeIndex puts x in the place of the index, of which read are the entries,
// and keeps it.
func (w *Worktree) writeIndex(l *lock, x *Index, read []IndexEntry) error {
	data, err := x.encodeAfter(read)
	if err != nil {
		return fmt.Errorf("writing %s: %w", l.path, err)
	}
	if _, err := l.Write(data); err != nil {
		return fmt.Errorf("writing %s: %w", l.path, err)
	}
	written, err := l.file.Stat()
	if err != nil {
		return fmt.Errorf("writing %s: %w", l.path, err)
	}
	if err := l.commit(); err != nil {
		return err
	}
	x.sum = [20]byte(data[len(data)-20:])
	w.index.keep(x, stampFrom(written), stampOf(l.path))
	return nil
}

// keep takes an index that was written. now is the stamp of what has its name
// since: the rename made ctime later, and if anything else differs then
// somebody wrote the next one already.
func (c *indexCache) keep(x *Index, written, now fileStamp) {
	c.mu.Lock()
	defer c.mu.Unlock()
	written.ctime = now.ctime
	if written != now {
		c.index = nil
		return
	}
	x.mtime = time.Unix(0, now.mtime)
	c.index, c.stamp = x, now
}

// isIn reports whether a file ends in the checksum of the index, where it has
// one: two states of a file that are a moment apart may have the same stamp.
func (x *Index) isIn(path string) bool {
	if x.sum == [20]byte{} {
		return false
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() < int64(len(x.sum)) {
		return false
	}
	var sum [20]byte
	_, err = f.ReadAt(sum[:], info.Size()-int64(len(sum)))
	return err == nil && bytes.Equal(sum[:], x.sum[:])
}

// clone returns an index that shares nothing with x that is ever changed.
func (x *Index) clone() *Index {
	c := *x
	c.Entries, c.kept, c.trees = slices.Clone(x.Entries), slices.Clone(x.kept), x.trees.clone()
	return &c
}

func (t *cacheTree) clone() *cacheTree {
	if t == nil {
		return nil
	}
	c := *t
	c.below = slices.Clone(t.below)
	for i, sub := range c.below {
		c.below[i] = sub.clone()
	}
	return &c
}
