package vfs

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"kaijutsu"
)

// put writes a file beside the tree and exchanges it with the one that is to be
// replaced (renameat2(2), RENAME_EXCHANGE); where there is none it is moved in
// with RENAME_NOREPLACE.
func (f *Folder) put(r replacement) (fs.FileInfo, error) {
	info, err := f.putExchanged(r)
	if errors.Is(err, errNoExchange) {
		return f.putChecked(r)
	}
	return info, err
}

func (f *Folder) putExchanged(r replacement) (fs.FileInfo, error) {
	f.swap.Lock()
	defer f.swap.Unlock()
	s, err := f.beginSwap(r.name, r.follow, false)
	if r.makes && errors.Is(err, kaijutsu.ErrNotFound) {
		if err = r.expect(seen{}); err == nil {
			s, err = f.beginSwap(r.name, r.follow, true)
		}
	}
	if err != nil {
		return nil, err
	}
	defer s.close()
	s.compare = r.compare
	return s.put(r)
}

func (s *swap) put(r replacement) (fs.FileInfo, error) {
	for range tries {
		was, err := s.look()
		if err == nil {
			err = r.expect(was)
		}
		if err == nil {
			err = s.write(r, was)
		}
		if err != nil {
			return nil, err
		}
		if was.exists {
			err = s.exchange()
		} else {
			err = s.moveIn()
		}
		switch {
		case err == nil && was.exists:
			return s.judge(r, was)
		case err == nil:
			return s.created(r)
		case errors.Is(err, unix.ENOENT) && was.exists, errors.Is(err, unix.EEXIST):
			continue // it went, or came
		case errors.Is(err, unix.EXDEV) && s.temps != s.parent:
			s.discard()
			s.temps = s.parent // write it again, hidden beside
		case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EOPNOTSUPP):
			return nil, errNoExchange
		default:
			return nil, problem("replace", r.name, err)
		}
	}
	return nil, errRestless(r.name)
}

// write makes the new file under a temporary name, and keeps it open for
// reading.
func (s *swap) write(r replacement, was seen) error {
	s.discard()
	// A process that is started meanwhile would have our file open for writing.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	mode := r.mode(was.mode.Perm(), was.exists).Perm()
	s.temp = tempName()
	fd, err := openat(s.temps, s.temp, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, uint32(mode))
	if errors.Is(err, unix.ENOENT) && s.temps != s.parent {
		s.temps = s.parent // somebody removed the scratch directory
		fd, err = openat(s.temps, s.temp, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, uint32(mode))
	}
	if err != nil {
		s.temp = ""
		return problem("write", r.name, err)
	}
	file := os.NewFile(uintptr(fd), r.name)
	if was.exists {
		if st := ownerOf(file); st != was.owner {
			_ = file.Chown(was.owner.uid, was.owner.gid) // where the system allows
		}
		err = file.Chmod(mode)
	}
	if wrote := writeAll(file, r.data); err == nil {
		err = wrote
	}
	if err == nil {
		s.ours, err = openFile(s.temps, s.temp)
	}
	if err == nil {
		s.mine, err = stat(s.ours)
	}
	return problem("write", r.name, err)
}

// judge looks at what came out of the exchange, and puts it back when it is
// not what was expected.
func (s *swap) judge(r replacement, was seen) (fs.FileInfo, error) {
	out, err := s.takeOut()
	if err != nil {
		return nil, s.putBack(r, nil, err)
	}
	defer out.close()
	if out.stamp.Ino == was.stamp.Ino && out.stamp.MTime == was.stamp.MTime {
		out.stamp.CTime = was.stamp.CTime // the exchange has changed it
	}
	if err = r.expect(out.seen); err == nil && out.busy {
		err = errBusy(r.name)
	}
	if err == nil {
		if mode := r.mode(out.mode.Perm(), true).Perm(); mode != s.mine.mode.Perm() {
			err = problem("write", r.name, s.ours.Chmod(mode))
		}
	}
	if err == nil {
		err = s.afterwards(r)
	}
	if err == nil && out.touched() {
		err = errBusy(r.name)
	}
	if err != nil {
		return nil, s.putBack(r, out, err)
	}
	s.discardTemp()
	info, err := s.ours.Stat()
	return info, problem("write", r.name, err)
}

// created is judge for a file that was not there.
func (s *swap) created(r replacement) (fs.FileInfo, error) {
	s.temp = ""
	if err := s.afterwards(r); err != nil {
		return nil, s.takeBack(r, err)
	}
	info, err := s.ours.Stat()
	return info, problem("write", r.name, err)
}

// afterwards asks what can only be known when the new file is in place.
func (s *swap) afterwards(r replacement) error {
	if err := s.stillThere(); err != nil || r.after == nil {
		return err
	}
	return r.after()
}
