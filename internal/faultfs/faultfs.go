package faultfs

import (
	"fmt"
	"sync"
	"syscall"
	"time"

	"kaijutsu"
)

// ErrUnsupported says that there can be no such mount here, and why.
var ErrUnsupported = fmt.Errorf("no fault-injecting file system here: %w", kaijutsu.ErrUnavailable)

// Options say how a directory is served. The zero value is usual.
type Options struct {
	// Strict has a power loss keep only what POSIX promises.
	Strict bool
	// Undo is a directory on the same file system as the backing one, made and
	// removed by the mount, which holds deleted files for as long as a power
	// loss could bring them back. Default: the backing directory's name with
	// ".undo" behind it.
	Undo string
}

// Kind is a sort of request.
type Kind int

// The kinds of requests that a verdict is asked for.
const (
	Write     Kind = iota // into a file: by write, or of mapped pages
	Fsync                 // of a file, also by msync
	Rename                // Path is the new name
	Create                // of a file that was not there
	Unlink                // of a file
	Truncate              // to Len bytes, also to more than there were
	Fallocate             // of Len bytes at Offset
	Mkdir
	Rmdir
	Link     // a second name, or a symbolic one; Path is the new name
	FsyncDir // of a directory
	Open     // of a file that is there
	Read     // from a file: by read, or of mapped pages that the kernel does not have
	Chmod    // or owner, or times
	kinds
)

var kindNames = [kinds]string{"write", "fsync", "rename", "create", "unlink", "truncate", "fallocate", "mkdir", "rmdir", "link", "fsyncdir", "open", "read", "chmod"}

// String returns the kind's name, such as "fsync".
func (k Kind) String() string {
	if k < 0 || k >= kinds {
		return fmt.Sprintf("kind %d", int(k))
	}
	return kindNames[k]
}

// Changes reports whether requests of the kind change what is on the disk,
// or make it certain.
func (k Kind) Changes() bool { return k != Open && k != Read && k != Chmod }

// Op is one request.
type Op struct {
	N           uint64 // counts all requests of a mount, from 1
	Kind        Kind
	Path        string // below the mount point, such as "badger/00001.mem"
	Offset, Len int64
	PID         int // of the thread that asks; 0 when the kernel does so by itself
}

// Verdict says what becomes of a request. The zero value lets it pass.
type Verdict struct {
	// Delay is how long it takes longer than it would.
	Delay time.Duration
	// Before is called before it is done.
	Before func()
	// Errno, when not 0, is its answer; it is not done, except of a Write the
	// first Cut bytes. What an Fsync failed to write is lost with the power, also
	// when a later one succeeds, as the kernel believes it written.
	Errno syscall.Errno
	Cut   int64
	// Lie has an Fsync answered as done that is not, as disks do that lie.
	Lie bool
	// After is called when it is done and not yet answered.
	After func()
}

// FS is one mount. It is safe for concurrent use.
type FS struct {
	backing, point, undo string
	strict               bool
	unmount              func() error // waits until nothing is served any more

	hookMu sync.Mutex
	onOp   func(Op) Verdict // guarded by hookMu
	count  uint64           // guarded by hookMu

	mu     sync.Mutex
	cut    bool             // nothing becomes certain any more
	dead   bool             // nothing may be changed any more
	files  map[uint64]*file // by inode number: what is not certain, and space
	log    []*change        // names and lengths that are not certain, oldest first
	seq    uint64           // of the last change
	space  int64            // bytes that are free; below 0: what the disk has
	parked int              // files that were put into undo
}

// OnOp sets who is asked about each request from now on; nil lets all pass. It
// is called by one request at a time and must not block; what its verdict says
// happens outside.
func (f *FS) OnOp(ask func(Op) Verdict) {
	f.hookMu.Lock()
	defer f.hookMu.Unlock()
	f.onOp = ask
}

// Ops returns how many requests there were.
func (f *FS) Ops() uint64 {
	f.hookMu.Lock()
	defer f.hookMu.Unlock()
	return f.count
}

// ask counts a request and returns its verdict, when Before and the delay are
// over.
func (f *FS) ask(pid int, kind Kind, path string, offset, n int64) Verdict {
	f.hookMu.Lock()
	f.count++
	op := Op{N: f.count, Kind: kind, Path: path, Offset: offset, Len: n, PID: pid}
	var v Verdict
	if f.onOp != nil {
		v = f.onOp(op)
	}
	f.hookMu.Unlock()
	if v.Delay > 0 {
		time.Sleep(v.Delay)
	}
	if v.Before != nil {
		v.Before()
	}
	return v
}

// do asks about a request and does it, under the lock, unless the answer is an
// error.
func (f *FS) do(pid int, kind Kind, path string, offset, n int64, act func() syscall.Errno) syscall.Errno {
	v := f.ask(pid, kind, path, offset, n)
	if v.Errno != 0 {
		return v.Errno
	}
	f.mu.Lock()
	errno := syscall.EIO
	if !f.dead {
		errno = act()
	}
	f.mu.Unlock()
	if v.After != nil {
		v.After()
	}
	return errno
}

// Point returns the directory at which the files are served.
func (f *FS) Point() string { return f.point }

// Backing returns the directory that holds them.
func (f *FS) Backing() string { return f.backing }

// SetFree has the disk hold that many bytes more and no further ones: what
// needs more gets ENOSPC, and statfs says so. What is deleted or cut gives its
// space back. Below 0 there is what the disk of the backing directory has.
func (f *FS) SetFree(bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.space = max(bytes, -1)
}

// Unmount ends the mount and keeps everything that was written. Processes that
// still use it get errors.
func (f *FS) Unmount() error {
	if err := f.end(); err != nil {
		return err
	}
	return f.clear()
}

// end ends the mount; what processes that have ended left in the kernel is
// written before.
func (f *FS) end() error {
	if err := f.unmount(); err != nil {
		return fmt.Errorf("unmount %s: %w", f.point, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dead = true
	return nil
}
