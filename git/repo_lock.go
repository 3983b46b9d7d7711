package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"kaijutsu"
)

// lock is a file that is being written anew while its name with ".lock" keeps
// others out, as git does it. The lock is a link to nowhere whose target says
// which process holds it, so that one that a killed process left can be told
// from others'; the new content is beside it until it takes its place. Where
// there are no links the lock is the new content, as git's is.
type lock struct {
	path string
	temp string   // what file has as its name
	file *os.File // nil: over
}

// lockFile takes the lock of path. It does not wait: if somebody has the lock,
// the error wraps kaijutsu.ErrUnavailable and says how to get rid of a stale
// one. One that a dead process of this program left is taken away.
func lockFile(path string) (*lock, error) {
	name := path + lockSuffix
	err := os.Symlink(lockMark(), name)
	if errors.Is(err, fs.ErrExist) && dropStaleLock(name) {
		err = os.Symlink(lockMark(), name)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, fmt.Errorf("%s exists: another git process is at work; if none is, one crashed: remove the file: %w", name, kaijutsu.ErrUnavailable)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("locking %s: %w", path, err)
	case err != nil:
		return lockPlainly(path)
	}
	l := &lock{path: path, temp: path + tempSuffix}
	if l.file, err = os.OpenFile(l.temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NOFOLLOW, 0o666); err != nil {
		os.Remove(name)
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	return l, nil
}

// git passes over names that end so where it looks for refs.
const (
	lockSuffix = ".lock"
	tempSuffix = ".kaijutsu.lock"
)

// lockPlainly takes a lock where the file system has no links.
func lockPlainly(path string) (*lock, error) {
	f, err := os.OpenFile(path+lockSuffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s%s exists: another git process is at work; if none is, one crashed: remove the file: %w", path, lockSuffix, kaijutsu.ErrUnavailable)
	}
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	return &lock{path, path + lockSuffix, f}, nil
}

// Write adds to the new content.
func (l *lock) Write(p []byte) (int, error) { return l.file.Write(p) }

// commit puts the new content in the place of the old and gives the lock back.
func (l *lock) commit() error {
	err := l.file.Close()
	if err == nil {
		err = os.Rename(l.temp, l.path)
	}
	l.file = nil
	if err != nil {
		os.Remove(l.temp)
	}
	l.free()
	if err != nil {
		return fmt.Errorf("writing %s: %w", l.path, err)
	}
	return nil
}

// free gives the lock back, where it is not the new content itself.
func (l *lock) free() {
	if l.temp != l.path+lockSuffix {
		os.Remove(l.path + lockSuffix)
	}
}

// abort gives the lock back and leaves the old content. After commit it does
// nothing.
func (l *lock) abort() {
	if l.file == nil {
		return
	}
	l.file.Close()
	os.Remove(l.temp)
	l.free()
	l.file = nil
}
