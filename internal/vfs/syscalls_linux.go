package vfs

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// exchange puts what has the temporary name in the place and takes what stands
// there, in one step.
func (s *swap) exchange() error {
	return again(func() error {
		return unix.Renameat2(s.temps, s.temp, s.parent, s.baseName, unix.RENAME_EXCHANGE)
	})
}

// moveIn puts what has the temporary name in the place if nothing stands there.
func (s *swap) moveIn() error {
	return again(func() error {
		return unix.Renameat2(s.temps, s.temp, s.parent, s.baseName, unix.RENAME_NOREPLACE)
	})
}

// moveOut takes what stands in the place.
func (s *swap) moveOut() error {
	return again(func() error {
		return unix.Renameat2(s.parent, s.baseName, s.temps, s.temp, unix.RENAME_NOREPLACE)
	})
}

// again repeats a call that a signal interrupted.
func again(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// openat opens a name in a directory; a link is never followed.
func openat(dir int, name string, flags int, mode uint32) (fd int, err error) {
	err = again(func() error {
		fd, err = unix.Openat(dir, name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, mode)
		return err
	})
	return fd, err
}

// openFile opens a file to read it, without waiting for anybody.
func openFile(dir int, name string) (*os.File, error) {
	fd, err := openat(dir, name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

func isLink(dir int, name string) bool {
	var st unix.Stat_t
	err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	return err == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK
}

// identity returns which file has a name.
func (s *swap) identity(dir int, name string) (identity, bool) {
	var st unix.Stat_t
	err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	return identity{uint64(st.Dev), st.Ino}, err == nil
}

func statFD(fd int) (identity, error) {
	var st unix.Stat_t
	err := unix.Fstat(fd, &st)
	return identity{uint64(st.Dev), st.Ino}, err
}

func stat(file *os.File) (status, error) {
	info, err := file.Stat()
	if err != nil {
		return status{}, err
	}
	st := StampOf(info)
	return status{identity{st.Dev, st.Ino}, info.Mode(), st.Size, st.MTime}, nil
}

func ownerOf(file *os.File) owner {
	info, err := file.Stat()
	if err != nil {
		return owner{}
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return owner{}
	}
	return owner{int(st.Uid), int(st.Gid)}
}

// modeOf returns the type of a file, and its permissions.
func modeOf(mode uint32) fs.FileMode {
	m := fs.FileMode(mode & 0o777)
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		m |= fs.ModeDir
	case unix.S_IFLNK:
		m |= fs.ModeSymlink
	default:
		m |= fs.ModeIrregular
	}
	return m
}
