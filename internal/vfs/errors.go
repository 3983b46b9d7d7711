package vfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"kaijutsu"
)

// What callers branch on besides the kinds of the root package; each wraps one.
var (
	// ErrReadOnly says that the mount may not be changed.
	ErrReadOnly = fmt.Errorf("mount is read only: %w", kaijutsu.ErrDenied)
	// ErrEscapes says that a path leads out of its mount.
	ErrEscapes = fmt.Errorf("path leads out of the mount: %w", kaijutsu.ErrDenied)
	// ErrCrossDevice says that a rename would go from one mount into another.
	ErrCrossDevice = fmt.Errorf("not the same mount; write a copy and remove the original: %w", kaijutsu.ErrInvalid)
	// ErrNoMount says that nothing is mounted at or above a path.
	ErrNoMount = fmt.Errorf("no mount: %w", kaijutsu.ErrNotFound)
	// ErrNotDirectory says that a file stands where a directory is meant.
	ErrNotDirectory = fmt.Errorf("not a directory: %w", kaijutsu.ErrInvalid)
	// ErrIsDirectory says that a directory stands where a file is meant.
	ErrIsDirectory = fmt.Errorf("is a directory: %w", kaijutsu.ErrInvalid)
	// ErrNotEmpty says that a directory still holds something.
	ErrNotEmpty = fmt.Errorf("directory is not empty; remove it with recursive: %w", kaijutsu.ErrConflict)
	// ErrExists says that something is there already.
	ErrExists = fmt.Errorf("exists already: %w", kaijutsu.ErrConflict)
)

// errNotRegular is what reading or writing a pipe, socket or device gets.
var errNotRegular = fmt.Errorf("not a regular file: %w", kaijutsu.ErrInvalid)

// errSymlink is what writing to a link gets.
var errSymlink = fmt.Errorf("is a symbolic link; write to the file it names, or remove it first: %w", kaijutsu.ErrConflict)

// Displaced is the error of Replace and RemoveIf when what they took away
// could not be put back, because somebody wrote into what stood in its place
// in the same moment. It wraps the reason for putting it back.
type Displaced struct {
	Name string
	// Old is what was taken away; it is nowhere else any more.
	Old []byte
	Err error
}

func (d *Displaced) Error() string {
	return fmt.Sprintf("%s: another program wrote to it in the same moment; the %d bytes before that are in this error only: %v", d.Name, len(d.Old), d.Err)
}

// Unwrap returns the reason for which it was to be put back.
func (d *Displaced) Unwrap() error { return d.Err }

// escapesRoot returns what os.Root answers to a path that leaves it, which the
// package os does not export.
var escapesRoot = sync.OnceValue(func() error {
	root, err := os.OpenRoot("/")
	if err != nil {
		return nil
	}
	defer root.Close()
	var path *fs.PathError
	if _, err := root.Lstat("../x"); errors.As(err, &path) {
		return path.Err
	}
	return nil
})

// kinds gives the errors of the operating system theirs, first match first.
var kinds = []struct{ is, as error }{
	{fs.ErrNotExist, kaijutsu.ErrNotFound},
	{syscall.ENOTEMPTY, ErrNotEmpty},
	{fs.ErrExist, ErrExists},
	{syscall.ENOTDIR, ErrNotDirectory},
	{syscall.EISDIR, ErrIsDirectory},
	{syscall.EROFS, ErrReadOnly},
	{fs.ErrPermission, kaijutsu.ErrDenied},
	{syscall.ELOOP, kaijutsu.ErrInvalid},
	{syscall.ENAMETOOLONG, kaijutsu.ErrInvalid},
	{syscall.EINVAL, kaijutsu.ErrInvalid},
	{syscall.EXDEV, kaijutsu.ErrInvalid},
	{syscall.ENXIO, errNotRegular},
	{syscall.EFBIG, kaijutsu.ErrTooLarge},
	{syscall.ENOSPC, kaijutsu.ErrUnavailable},
	{syscall.EDQUOT, kaijutsu.ErrUnavailable},
	{fs.ErrClosed, kaijutsu.ErrUnavailable},
}

// problem says what was being done to which name when the operating system
// refused, without the paths of the server's disk, and gives it its kind.
func problem(doing, name string, err error) error {
	if err == nil {
		return nil
	}
	if known(err) {
		return fmt.Errorf("%s %q: %w", doing, name, err)
	}
	cause := bare(err)
	if escapes := escapesRoot(); escapes != nil && errors.Is(err, escapes) {
		return fmt.Errorf("%s %q: a link on the way names something outside: %w", doing, name, ErrEscapes)
	}
	for _, k := range kinds {
		if !errors.Is(err, k.is) {
			continue
		}
		if _, system := cause.(syscall.Errno); system && !plain(k.as) {
			return fmt.Errorf("%s %q: %w", doing, name, k.as)
		}
		return fmt.Errorf("%s %q: %w: %w", doing, name, cause, k.as)
	}
	return fmt.Errorf("%s %q: %w: %w", doing, name, cause, kaijutsu.ErrUnavailable)
}

// known reports whether an error has its kind already.
func known(err error) bool {
	for _, kind := range []error{kaijutsu.ErrNotFound, kaijutsu.ErrInvalid, kaijutsu.ErrConflict, kaijutsu.ErrDenied, kaijutsu.ErrTooLarge, kaijutsu.ErrUnavailable} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// plain reports whether a kind says nothing that the system's own words do not.
func plain(kind error) bool {
	return kind == kaijutsu.ErrDenied || kind == kaijutsu.ErrInvalid || kind == kaijutsu.ErrTooLarge || kind == kaijutsu.ErrUnavailable
}

// bare takes paths and system calls off an error.
func bare(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	var call *os.SyscallError
	if errors.As(err, &call) {
		return call.Err
	}
	return err
}
