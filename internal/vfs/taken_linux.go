package vfs

import (
	"context"
	"os"

	"golang.org/x/sys/unix"
)

// taken is a file that is out of the tree, held by its descriptor. A file that
// is not compared has none.
type taken struct {
	seen
	file  *os.File
	lease lease
	busy  bool // somebody has it open for writing
}

func (t *taken) close() {
	if t != nil && t.file != nil {
		t.lease.release()
		t.file.Close()
	}
}

// touched reports whether somebody wrote to the file since it was read, or is
// about to.
func (t *taken) touched() bool {
	if t.file == nil {
		return false
	}
	info, err := t.file.Stat()
	if err != nil {
		return true
	}
	now := StampOf(info)
	return now.Size != t.stamp.Size || now.MTime != t.stamp.MTime || t.lease.broken()
}

// takeOut opens what came out, sees to it that nobody writes to it unseen, and
// then reads it.
func (s *swap) takeOut() (*taken, error) {
	t, err := s.open(s.temps, s.temp)
	if err != nil || !s.compare {
		return t, err
	}
	held, quiet := s.lease(t.file)
	t.lease, t.busy = held, !quiet
	if err := s.read(t); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// open opens a regular file, never waiting and never a device, and reads it
// where it is compared.
func (s *swap) open(dir int, base string) (*taken, error) {
	var st unix.Stat_t
	err := unix.Fstatat(dir, base, &st, unix.AT_SYMLINK_NOFOLLOW)
	if err == nil {
		err = regular(modeOf(st.Mode))
	}
	if err != nil {
		return nil, problem("look at", s.name, err)
	}
	if !s.compare {
		mode := modeOf(st.Mode)
		stamp := Stamp{st.Size, st.Mtim.Nano(), st.Ctim.Nano(), st.Ino, uint64(st.Dev), st.Mode}
		return &taken{seen: seen{true, stamp, mode, owner{int(st.Uid), int(st.Gid)}, nil}}, nil
	}
	file, err := openFile(dir, base)
	if err != nil {
		return nil, problem("look at", s.name, err)
	}
	t := &taken{file: file}
	if err := s.read(t); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (s *swap) read(t *taken) error {
	info, err := t.file.Stat()
	if err == nil {
		err = regular(info.Mode())
	}
	if err == nil {
		_, err = t.file.Seek(0, 0)
	}
	if err != nil {
		return problem("look at", s.name, err)
	}
	data, err := readAtMost(context.Background(), t.file, info.Size(), maxRead)
	if err != nil {
		return problem("read", s.name, err)
	}
	t.seen = seen{true, StampOf(info), info.Mode(), ownerOf(t.file), data}
	return nil
}
