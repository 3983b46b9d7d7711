package vfs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"syscall"

	"golang.org/x/sys/unix"

	"kaijutsu"
)

// errNoExchange says that the file system has no renameat2 with flags.
var errNoExchange = errors.New("the file system cannot exchange files")

// swap is one exchange of files under way. All of it is by open directories,
// so that nothing that is renamed meanwhile leads it elsewhere.
type swap struct {
	f        *Folder
	name     string // below the folder
	follow   bool
	compare  bool
	parent   int    // the directory of name, O_PATH
	baseName string // the last component of name
	scratch  int    // -1: none
	temps    int    // scratch or parent: where temp is
	temp     string // "": no file
	ours     *os.File
	mine     status // of ours, as it was written
}

// identity tells files apart while they are open.
type identity struct{ dev, ino uint64 }

// status is what we know of the file that we wrote.
type status struct {
	id   identity
	mode fs.FileMode
	size int64
	at   int64 // modified
}

// beginSwap opens the directories. Those that are missing are made where makes
// is set.
func (f *Folder) beginSwap(name string, follow, makes bool) (*swap, error) {
	parent, err := f.openParent(path.Dir(name), follow, makes)
	if err != nil {
		return nil, err
	}
	s := &swap{f: f, name: name, follow: follow, parent: parent, baseName: path.Base(name), scratch: f.duplicate(false)}
	if s.temps = s.scratch; s.temps < 0 {
		s.temps = s.parent
	}
	return s, nil
}

func (s *swap) close() {
	s.discard()
	unix.Close(s.parent)
	if s.scratch >= 0 {
		unix.Close(s.scratch)
	}
}

// duplicate returns a descriptor of the folder, or of the scratch directory,
// that stays open when the Folder is closed; -1 when it was.
func (f *Folder) duplicate(base bool) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	file := f.scratch
	if base {
		file = f.base
	}
	if file == nil || f.closed {
		return -1
	}
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	return fd
}

// openParent opens a directory below the folder: by os.Root, which follows
// links that stay inside, or component by component, following none.
func (f *Folder) openParent(dir string, follow, makes bool) (int, error) {
	if !follow {
		return f.descend(dir, makes)
	}
	file, err := f.root.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return -1, problem("open the directory", dir, err)
	}
	defer file.Close()
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	return fd, problem("open the directory", dir, err)
}

func (f *Folder) descend(dir string, makes bool) (int, error) {
	at := f.duplicate(true)
	if at < 0 {
		return -1, problem("open the directory", dir, fs.ErrClosed)
	}
	for part := range parts(dir) {
		next, err := openat(at, part, unix.O_PATH|unix.O_DIRECTORY, 0)
		if errors.Is(err, unix.ENOENT) && makes {
			if err = unix.Mkdirat(at, part, 0o777); err == nil || errors.Is(err, unix.EEXIST) {
				next, err = openat(at, part, unix.O_PATH|unix.O_DIRECTORY, 0)
			}
		}
		if errors.Is(err, unix.ENOTDIR) && isLink(at, part) {
			err = fmt.Errorf("%q %w", part, errLinkOnWay)
		}
		unix.Close(at)
		if err != nil {
			return -1, problem("open the directory", dir, err)
		}
		at = next
	}
	return at, nil
}

// stillThere returns an error when the directory is not the one that its name
// leads to any more: somebody moved or replaced it.
func (s *swap) stillThere() error {
	now, err := s.f.openParent(path.Dir(s.name), s.follow, false)
	if err != nil {
		return fmt.Errorf("replace %q: its directory was moved: %w: %w", s.name, err, kaijutsu.ErrConflict)
	}
	defer unix.Close(now)
	a, errA := statFD(now)
	b, errB := statFD(s.parent)
	if errA != nil || errB != nil || a != b {
		return fmt.Errorf("replace %q: its directory was replaced: %w", s.name, kaijutsu.ErrConflict)
	}
	return nil
}

// look returns what stands at the name. A link, a directory or what is no file
// is an error.
func (s *swap) look() (seen, error) {
	t, err := s.open(s.parent, s.baseName)
	if errors.Is(err, kaijutsu.ErrNotFound) {
		return seen{}, nil
	}
	if err != nil {
		return seen{}, err
	}
	t.close()
	return t.seen, nil
}

// oursTouched reports whether somebody wrote into the file that we put there.
func (s *swap) oursTouched(data []byte) bool {
	now, err := stat(s.ours)
	if err != nil || now.size != s.mine.size || now.at != s.mine.at {
		return true
	}
	if _, err := s.ours.Seek(0, 0); err != nil {
		return true
	}
	held, err := readAtMost(context.Background(), s.ours, int64(len(data)), int64(len(data)))
	return err != nil || !bytes.Equal(held, data)
}

// discard closes the new file and removes what has its temporary name.
func (s *swap) discard() {
	if s.ours != nil {
		s.ours.Close()
		s.ours = nil
	}
	s.discardTemp()
}

// leave leaves what has the temporary name where it is, and says so: it could
// neither be read nor put back.
func (s *swap) leave(reason error) error {
	at := "the scratch directory"
	if s.temps == s.parent {
		at = "its directory"
	}
	name := s.temp
	s.temp = ""
	return fmt.Errorf("%w; what was there before is %s in %s", reason, name, at)
}

func (s *swap) discardTemp() {
	if s.temp != "" {
		_ = unix.Unlinkat(s.temps, s.temp, 0)
		s.temp = ""
	}
}
