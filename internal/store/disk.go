package store

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"kaijutsu"
)

// errDiskReadOnly says that nothing can be written whatever is free.
var errDiskReadOnly = errors.New("the file system is mounted read-only; hint: look into the system's log, and mount it for writing")

// freeBytes returns how much of the disk under dir is left for us. It costs
// about half a microsecond.
func freeBytes(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	if mountedReadOnly(&st) {
		return 0, errDiskReadOnly
	}
	if st.Blocks == 0 {
		return math.MaxInt64, nil // a file system without a size
	}
	return int64(st.Bavail) * int64(st.Bsize), nil
}

// standardReserve is what is kept free of the disk under dir unless it is said
// otherwise: a quarter of a small one. dir need not exist.
func standardReserve(dir string) int64 {
	for {
		var st unix.Statfs_t
		err := unix.Statfs(dir, &st)
		if err == nil && st.Blocks > 0 {
			return min(defaultMinFree, max(flushBytes, int64(st.Blocks)/4*int64(st.Bsize)))
		}
		parent := filepath.Dir(dir)
		if err == nil || parent == dir {
			return defaultMinFree
		}
		dir = parent
	}
}

// checkSpace returns an error wrapping ErrUnavailable unless need bytes can be
// written and reserve stay free.
func checkSpace(dir string, need, reserve int64) (free int64, err error) {
	free, err = freeBytes(dir)
	switch {
	case errors.Is(err, errDiskReadOnly):
		return 0, fmt.Errorf("%w: %w", err, kaijutsu.ErrUnavailable)
	case err != nil:
		return 0, fmt.Errorf("cannot tell how much of the disk is free: %w: %w", err, kaijutsu.ErrUnavailable)
	case free < reserve:
		return free, fmt.Errorf("disk has %s free, %s are kept in reserve: free some space: %w",
			mebibytes(free), mebibytes(reserve), kaijutsu.ErrUnavailable)
	case need > 0 && free-reserve < need:
		return free, fmt.Errorf("disk has %s free, %s are kept in reserve and this needs %s: free some space: %w",
			mebibytes(free), mebibytes(reserve), mebibytes(need), kaijutsu.ErrUnavailable)
	}
	return free, nil
}

func mebibytes(n int64) string {
	if n < 10<<20 {
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

// diskBytes returns the bytes that the files below dir occupy. Badger's logs
// are mostly holes, which do not count.
func diskBytes(dir string) int64 {
	var n int64
	// Files come and go while we look; what cannot be read counts nothing.
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			if st, ok := info.Sys().(*syscall.Stat_t); ok {
				n += st.Blocks * 512
			}
		}
		return nil
	})
	return n
}

// ErrInUse says that another process has the directory open.
var ErrInUse = errors.New("in use by another server")

// lockDir takes the lock that one store holds on dir for as long as it is
// open, and writes into it whose it is. The kernel drops it with the process,
// however that ends.
func lockDir(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		holder := lockHolder(f)
		f.Close()
		return nil, fmt.Errorf("%s is %w%s; hint: stop it, or use another directory: %w",
			dir, ErrInUse, holder, kaijutsu.ErrUnavailable)
	}
	if err := f.Truncate(0); err == nil { // on a full disk nobody knows whose it is
		_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	return f, nil
}

// lockHolder says which process holds a lock, if the file tells.
func lockHolder(f *os.File) string {
	var b [20]byte
	n, _ := f.ReadAt(b[:], 0)
	pid, err := strconv.Atoi(strings.TrimSpace(string(b[:n])))
	if err != nil || pid <= 0 {
		return ""
	}
	return fmt.Sprintf(" (process %d)", pid)
}

// probeDisk takes the space that need bytes take, writes, syncs and removes the
// file: statfs knows neither quotas nor bad sectors.
func probeDisk(dir string, need int64) error {
	f, err := os.CreateTemp(dir, "probe-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	err = reserveSpace(f, need)
	if err == nil {
		_, err = f.WriteAt(make([]byte, probeBytes), 0)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = syncDir(dir)
	}
	return errors.Join(err, f.Close())
}

// probeBytes is what a probe writes.
const probeBytes = 64 << 10

// writeZeros gives a file n bytes where there is no other way.
func writeZeros(f *os.File, n int64) error {
	block := make([]byte, min(n, 1<<20))
	for n > 0 {
		some := block[:min(n, int64(len(block)))]
		if _, err := f.Write(some); err != nil {
			return err
		}
		n -= int64(len(some))
	}
	return nil
}

// MakeDir makes a directory and those above it, for their owner alone, durably:
// without that a power cut may take the names of directories and with them all
// that was synced in them. One that is there is left as it is.
func MakeDir(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := MakeDir(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncParent(dir)
}

// syncParent makes the name of dir durable, where this process may open the
// directory that it is in.
func syncParent(dir string) error {
	err := syncDir(filepath.Dir(dir))
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// syncDir makes the names in dir durable.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
