package faultfs

import (
	"context"
	"os"
	"path/filepath"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// node is a file, directory or symbolic link that the kernel knows.
type node struct {
	fs.Inode
	fs *FS
}

var (
	_ fs.NodeLookuper       = (*node)(nil)
	_ fs.NodeGetattrer      = (*node)(nil)
	_ fs.NodeSetattrer      = (*node)(nil)
	_ fs.NodeStatfser       = (*node)(nil)
	_ fs.NodeReaddirer      = (*node)(nil)
	_ fs.NodeReadlinker     = (*node)(nil)
	_ fs.NodeOpener         = (*node)(nil)
	_ fs.NodeCreater        = (*node)(nil)
	_ fs.NodeFsyncer        = (*node)(nil)
	_ fs.NodeMkdirer        = (*node)(nil)
	_ fs.NodeRmdirer        = (*node)(nil)
	_ fs.NodeUnlinker       = (*node)(nil)
	_ fs.NodeRenamer        = (*node)(nil)
	_ fs.NodeLinker         = (*node)(nil)
	_ fs.NodeSymlinker      = (*node)(nil)
	_ fs.NodeCopyFileRanger = (*node)(nil)
)

// name is the path below the mount point.
func (n *node) name() string { return n.Path(n.Root()) }

// child is the path of an entry below the mount point.
func (n *node) child(name string) string { return filepath.Join(n.name(), name) }

// path is where the backing directory has it.
func (n *node) path() string { return filepath.Join(n.fs.backing, n.name()) }

func (n *node) inode() uint64 { return n.StableAttr().Ino }

// found returns the node of a file that is there, and what there is to say of
// it.
func (n *node) found(ctx context.Context, path string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	var st unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BASIC_STATS|unix.STATX_BTIME, &st); err != nil {
		return nil, fs.ToErrno(err)
	}
	plain := syscall.Stat_t{}
	if err := syscall.Lstat(path, &plain); err != nil {
		return nil, fs.ToErrno(err)
	}
	out.Attr.FromStat(&plain)
	// A number that is used again belongs to a file that was made later.
	born := uint64(st.Btime.Sec)*1e9 + uint64(st.Btime.Nsec)
	return n.NewInode(ctx, &node{fs: n.fs}, fs.StableAttr{Mode: plain.Mode & syscall.S_IFMT, Ino: plain.Ino, Gen: max(1, born)}), 0
}

func (n *node) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return n.found(ctx, filepath.Join(n.path(), name), out)
}

func (n *node) Getattr(_ context.Context, open fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	st := syscall.Stat_t{}
	var err error
	if h, ok := open.(*handle); ok {
		err = syscall.Fstat(int(h.file.Fd()), &st)
	} else {
		err = syscall.Lstat(n.path(), &st)
	}
	if err != nil {
		return fs.ToErrno(err)
	}
	out.FromStat(&st)
	return 0
}

func (n *node) Setattr(ctx context.Context, open fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	if size, ok := in.GetSize(); ok {
		file, err := n.content(open)
		if err != nil {
			return fs.ToErrno(err)
		}
		errno := n.fs.do(pid(ctx), Truncate, n.name(), 0, int64(size), func() syscall.Errno { return n.truncate(file, int64(size)) })
		file.Close()
		if errno != 0 {
			return errno
		}
	}
	if mode, ok := in.GetMode(); ok {
		errno := n.fs.do(pid(ctx), Chmod, n.name(), 0, 0, func() syscall.Errno { return fs.ToErrno(syscall.Chmod(n.path(), mode)) })
		if errno != 0 {
			return errno
		}
	}
	return n.Getattr(ctx, open, out) // owners and times are not looked at by anybody
}

// content returns a descriptor of its own for reading and writing, also of a
// file that has no name any more when it is open.
func (n *node) content(open fs.FileHandle) (*os.File, error) {
	if h, ok := open.(*handle); ok && h.writes {
		fd, err := unix.FcntlInt(h.file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			return nil, err
		}
		return os.NewFile(uintptr(fd), h.file.Name()), nil
	}
	return os.OpenFile(n.path(), os.O_RDWR|syscall.O_NOFOLLOW, 0)
}

func (n *node) Statfs(_ context.Context, out *fuse.StatfsOut) syscall.Errno {
	st := syscall.Statfs_t{}
	if err := syscall.Statfs(n.fs.backing, &st); err != nil {
		return fs.ToErrno(err)
	}
	out.FromStatfsT(&st)
	n.fs.mu.Lock()
	defer n.fs.mu.Unlock()
	if n.fs.space >= 0 {
		out.Bfree = uint64(n.fs.space) / uint64(out.Bsize)
		out.Bavail = out.Bfree
	}
	return 0
}

func (n *node) Readdir(context.Context) (fs.DirStream, syscall.Errno) {
	return fs.NewLoopbackDirStream(n.path())
}

func (n *node) Readlink(context.Context) ([]byte, syscall.Errno) {
	to, err := os.Readlink(n.path())
	return []byte(to), fs.ToErrno(err)
}

// access is how the backing file is opened: written pages are read first.
func access(flags uint32) (how int, writes bool) {
	if flags&syscall.O_ACCMODE == syscall.O_RDONLY {
		return os.O_RDONLY, false
	}
	return os.O_RDWR, true
}

func (n *node) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	if v := n.fs.ask(pid(ctx), Open, n.name(), 0, 0); v.Errno != 0 {
		return nil, 0, v.Errno
	}
	how, writes := access(flags)
	file, err := os.OpenFile(n.path(), how|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, 0, fs.ToErrno(err)
	}
	return &handle{node: n, file: file, writes: writes}, 0, 0
}

// Fsync is also of directories, and of what is mapped.
func (n *node) Fsync(ctx context.Context, open fs.FileHandle, _ uint32) syscall.Errno {
	kind := Fsync
	if n.IsDir() {
		kind = FsyncDir
	}
	v := n.fs.ask(pid(ctx), kind, n.name(), 0, 0)
	n.fs.mu.Lock()
	errno := syscall.Errno(0)
	if !v.Lie {
		errno = n.sync(open, v.Errno)
	}
	n.fs.mu.Unlock()
	if v.After != nil && v.Errno == 0 {
		v.After()
	}
	return errno
}

// sync makes certain what belongs to the node, or fails to, under the lock.
func (n *node) sync(open fs.FileHandle, fails syscall.Errno) syscall.Errno {
	if n.fs.cut || n.fs.dead {
		return syscall.EIO
	}
	if h, ok := open.(*handle); ok {
		info, err := h.file.Stat()
		if err != nil {
			return fs.ToErrno(err)
		}
		p := n.fs.file(n.inode(), info)
		if fails != 0 {
			p.fail()
			return fails
		}
		p.synced(info.Size())
	}
	if fails == 0 {
		n.fs.certain(n.inode())
	}
	return fails
}

func (n *node) CopyFileRange(context.Context, fs.FileHandle, uint64, *fs.Inode, fs.FileHandle, uint64, uint64, uint64) (uint32, syscall.Errno) {
	return 0, syscall.EOPNOTSUPP // the kernel reads and writes then
}

// pid is the thread that a request comes from.
func pid(ctx context.Context) int {
	if caller, ok := fuse.FromContext(ctx); ok {
		return int(caller.Pid)
	}
	return 0
}
