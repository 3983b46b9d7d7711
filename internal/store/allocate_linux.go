package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"sync"
	"time"
	_ "unsafe" // for go:linkname

	"golang.org/x/sys/unix"
)

// Badger makes a table or log by setting a file's length, mapping it, and
// copying into the mapping. The file is a hole then: every page it touches
// first asks the file system for a block, and on a full disk the answer is
// SIGBUS, which Go cannot recover from in Badger's goroutines. Comparing free
// space before is not enough: a process that fills the disk is faster than a
// flush or a compaction that is under way.
//
// So files get their blocks before they are mapped. The only place to do that
// is the function with which golang.org/x/sys/unix maps, which it keeps in a
// variable. A test notices when that changes; the reserve is all that is left
// then.

// In the value log nothing is kept: every value is below its threshold, which
// op.set makes sure of. Badger syncs it all the same before each transaction,
// which costs a flush of the disk's cache, a quarter of a commit. What is mapped
// for this process only has nothing to be synced.

// mapper has the layout of the variable in golang.org/x/sys/unix.
type mapper struct {
	sync.Mutex
	active map[*byte][]byte
	mmap   func(addr, length uintptr, prot, flags, fd int, offset int64) (uintptr, error)
	munmap func(addr, length uintptr) error
}

//go:linkname unixMapper golang.org/x/sys/unix.mapper
var unixMapper *mapper

// allocates reports whether files get their space before they are mapped. It
// is set before main begins, as nobody may map at the same time.
var allocates = allocateBeforeMapping(unixMapper)

func allocateBeforeMapping(m *mapper) bool {
	if m == nil || m.active == nil || funcName(m.mmap) != "golang.org/x/sys/unix.mmap" || funcName(m.munmap) != "golang.org/x/sys/unix.munmap" {
		return false
	}
	mmap := m.mmap
	m.mmap = func(addr, length uintptr, prot, flags, fd int, offset int64) (uintptr, error) {
		if prot&unix.PROT_WRITE != 0 && flags&unix.MAP_SHARED != 0 && offset == 0 {
			path, ext := fileOf(fd)
			if err := allocate(fd, path, int64(length)); err != nil {
				return 0, err
			}
			if ext == ".vlog" {
				flags = flags&^unix.MAP_SHARED | unix.MAP_PRIVATE
			}
		}
		return mmap(addr, length, prot, flags, fd, offset)
	}
	return true
}

// fileOf returns the path of a regular file and how it ends, or "".
func fileOf(fd int) (path, ext string) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return "", ""
	}
	path, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
	if err != nil {
		return "", ""
	}
	return path, filepath.Ext(path)
}

func funcName(f any) string {
	if fn := runtime.FuncForPC(reflect.ValueOf(f).Pointer()); fn != nil {
		return fn.Name()
	}
	return ""
}

const (
	// logBytes is as far as Badger writes into a memtable's log: it makes the
	// next one when this has memtableBytes, before the next transaction.
	logBytes = memtableBytes + memtableBytes/4
	// pageBytes is all that is ever written to the value log and its
	// statistics, in which nothing is kept.
	pageBytes = 4096
	// spaceEvery is how often a table that waits for space looks for it.
	spaceEvery = 50 * time.Millisecond
)

// allocate gives one of Badger's files, if it is new, the blocks it will need.
// Tables wait for them: Badger writes tables in the background, and would try
// again and again. For logs, which Badger makes while it holds up readers,
// the answer is an error, and the file is gone.
func allocate(fd int, path string, length int64) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || path == "" || st.Blocks > 0 {
		return nil // for mmap to judge
	}
	need, wait := int64(0), false
	switch {
	case filepath.Ext(path) == ".sst":
		need, wait = length, true
	case filepath.Ext(path) == ".mem":
		need = min(length, logBytes)
	case filepath.Ext(path) == ".vlog", filepath.Base(path) == "DISCARD":
		need = min(length, pageBytes)
	}
	for need > 0 {
		err := unix.Fallocate(fd, 0, 0, need)
		switch {
		case err == nil, errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
			return nil
		case errors.Is(err, unix.EINTR):
		case wait: // whatever it is: Badger would go on without the table that a compaction made
			time.Sleep(spaceEvery)
		default:
			os.Remove(path)
			return err
		}
	}
	return nil
}

// manifestAhead is the space that Badger's manifest has to grow into. When an
// append to it fails in the middle, Badger goes on behind the fragment, and
// the database cannot be opened again.
const manifestAhead = 64 << 10

// allocateManifest gives the manifest room to grow on a full disk.
func allocateManifest(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	err = unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, info.Size()+manifestAhead)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return nil
	}
	return err
}

// reserveSpace gives a file blocks for n bytes.
func reserveSpace(f *os.File, n int64) error {
	err := unix.Fallocate(int(f.Fd()), 0, 0, n)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return writeZeros(f, n)
	}
	return err
}

func mountedReadOnly(st *unix.Statfs_t) bool { return st.Flags&unix.ST_RDONLY != 0 }
