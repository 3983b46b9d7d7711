package vfs

import (
	"errors"

	"golang.org/x/sys/unix"

	"kaijutsu"
)

// take moves a file out of the tree, and back when it is not what was expected.
func (f *Folder) take(name string, expect func(seen) error) error {
	f.swap.Lock()
	s, err := f.beginSwap(name, false, false)
	if err != nil {
		f.swap.Unlock()
		if errors.Is(err, kaijutsu.ErrNotFound) {
			return expect(seen{})
		}
		return err
	}
	s.compare = true
	err = s.take(expect)
	s.close()
	f.swap.Unlock()
	if errors.Is(err, errNoExchange) {
		return f.takeChecked(name, expect)
	}
	return err
}

func (s *swap) take(expect func(seen) error) error {
	for range tries {
		was, err := s.look()
		if err == nil {
			err = expect(was)
		}
		if err != nil || !was.exists {
			return err
		}
		s.temp = tempName()
		err = s.moveOut()
		if err == nil {
			return s.judgeTaken(was, expect)
		}
		s.temp = ""
		switch {
		case errors.Is(err, unix.ENOENT):
			continue
		case errors.Is(err, unix.EXDEV) && s.temps != s.parent:
			s.temps = s.parent // hidden beside
		case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EOPNOTSUPP):
			return errNoExchange
		default:
			return problem("remove", s.name, err)
		}
	}
	return errRestless(s.name)
}

func (s *swap) judgeTaken(was seen, expect func(seen) error) error {
	out, err := s.takeOut()
	if err == nil {
		defer out.close()
		if out.stamp.Ino == was.stamp.Ino && out.stamp.MTime == was.stamp.MTime {
			out.stamp.CTime = was.stamp.CTime
		}
		if err = expect(out.seen); err == nil && out.busy {
			err = errBusy(s.name)
		}
	}
	if err == nil {
		err = s.stillThere()
	}
	if err == nil && out.touched() {
		err = errBusy(s.name)
	}
	if err == nil {
		s.discardTemp()
		return nil
	}
	switch back := s.moveIn(); {
	case back == nil:
		s.temp = ""
		return err
	case out == nil:
		return s.leave(err)
	}
	s.discardTemp()
	return &Displaced{s.name, out.data, err}
}
