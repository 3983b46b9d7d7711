package vfs

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lease is a read lease on a file, fcntl(2) F_SETLEASE: while it is held, who
// opens the file to write to it waits. It cannot be had of a file that somebody
// has open for writing. The zero value is none.
type lease struct {
	file *os.File
	held bool
}

// lease reports besides whether nobody writes to a file. Where there are no
// leases, or the file is another's, nobody is taken to.
func (s *swap) lease(file *os.File) (lease, bool) {
	_, err := unix.FcntlInt(file.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if errors.Is(err, unix.EAGAIN) {
		return lease{}, !s.leasesWork()
	}
	return lease{file, err == nil}, true
}

// broken reports whether somebody waits to write.
func (l lease) broken() bool {
	if !l.held {
		return false
	}
	kind, err := unix.FcntlInt(l.file.Fd(), unix.F_GETLEASE, 0)
	return err != nil || kind != unix.F_RDLCK
}

func (l lease) release() {
	if l.held {
		_, _ = unix.FcntlInt(l.file.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
	}
}

// leasesWork tries with a file that nobody knows: some file systems, NFS for
// one, answer that somebody writes to any file.
func (s *swap) leasesWork() bool {
	name := tempName()
	fd, err := openat(s.temps, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, 0o600)
	if err != nil {
		return true
	}
	unix.Close(fd)
	defer func() { _ = unix.Unlinkat(s.temps, name, 0) }()
	file, err := openFile(s.temps, name)
	if err != nil {
		return true
	}
	defer file.Close()
	_, err = unix.FcntlInt(file.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	return err == nil
}
