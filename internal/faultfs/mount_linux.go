package faultfs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// source begins the name of our mounts in the mount table; the process id of
// the server follows.
const source = "kj-faultfs:"

// cached is how long the kernel may believe what it was told of names.
const cached = 10 * time.Second

// Mount serves the directory backing at point; both exist. What is in backing
// is taken as certain. Nobody else may change it meanwhile. Mounts whose server
// is gone are unmounted first.
//
// The error wraps ErrUnsupported where mounting is not possible, and says why.
func Mount(backing, point string, o Options) (*FS, error) {
	sweep()
	if _, err := os.Stat("/dev/fuse"); err != nil {
		return nil, fmt.Errorf("%w: there is no /dev/fuse: %w", ErrUnsupported, err)
	}
	f := &FS{backing: backing, point: point, undo: o.Undo, strict: o.Strict, files: make(map[uint64]*file), space: -1}
	if f.undo == "" {
		f.undo = strings.TrimRight(backing, "/") + ".undo"
	}
	if err := os.MkdirAll(f.undo, 0o700); err != nil {
		return nil, err
	}
	root := &node{fs: f}
	st, err := stat(backing)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(f.undo))
	}
	attr, names := time.Second, cached
	server, err := fs.Mount(point, root, &fs.Options{
		AttrTimeout: &attr, EntryTimeout: &names, RootStableAttr: &fs.StableAttr{Ino: st.Ino, Gen: 1, Mode: unix.S_IFDIR},
		MountOptions: fuse.MountOptions{
			Name: "kj-faultfs", FsName: source + strconv.Itoa(os.Getpid()), DirectMountStrict: true,
			DisableXAttrs: true, ExplicitDataCacheControl: true, Logger: log.New(io.Discard, "", 0),
		},
		Logger: log.New(io.Discard, "", 0),
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: mount at %s, which takes root: %w", ErrUnsupported, point, err), os.RemoveAll(f.undo))
	}
	keepFromChildren()
	f.unmount = func() error {
		err := unix.Unmount(point, 0)
		if errors.Is(err, unix.EBUSY) {
			err = unix.Unmount(point, unix.MNT_FORCE|unix.MNT_DETACH)
		}
		if err != nil && !errors.Is(err, unix.EINVAL) { // not mounted any more
			return err
		}
		server.Wait()
		return nil
	}
	return f, nil
}

// keepFromChildren closes the kernel's end of our mounts in processes that this
// one starts, which the library does not: else one that waits for a mount keeps
// it, and so itself, when this process is killed.
func keepFromChildren() {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return
	}
	for _, e := range open {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err != nil || to != "/dev/fuse" {
			continue
		}
		if fd, err := strconv.Atoi(e.Name()); err == nil {
			unix.CloseOnExec(fd)
		}
	}
}

// sweep unmounts what servers left that were killed.
func sweep() {
	table, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return
	}
	defer table.Close()
	for sc := bufio.NewScanner(table); sc.Scan(); {
		before, after, _ := strings.Cut(sc.Text(), " - ")
		fields, kind := strings.Fields(before), strings.Fields(after)
		if len(fields) < 5 || len(kind) < 2 || !strings.HasPrefix(kind[1], source) {
			continue
		}
		pid := strings.TrimPrefix(kind[1], source)
		if _, err := os.Stat(filepath.Join("/proc", pid)); errors.Is(err, os.ErrNotExist) {
			_ = unix.Unmount(unescape(fields[4]), unix.MNT_FORCE|unix.MNT_DETACH) // it may be somebody else's by now
		}
	}
}

// unescape undoes what the mount table does to spaces and the like in names.
func unescape(s string) string {
	for _, c := range []string{" ", "\t", "\n", "\\"} {
		s = strings.ReplaceAll(s, fmt.Sprintf(`\%03o`, c[0]), c)
	}
	return s
}

// stat returns what the backing file system says of a file, not following a
// symbolic link.
func stat(path string) (st unix.Stat_t, err error) {
	err = unix.Lstat(path, &st)
	return st, err
}
