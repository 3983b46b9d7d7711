package faultfs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

func (n *node) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (made *fs.Inode, open fs.FileHandle, _ uint32, errno syscall.Errno) {
	path := filepath.Join(n.path(), name)
	errno = n.fs.do(pid(ctx), Create, n.child(name), 0, 0, func() syscall.Errno {
		if n.fs.space == 0 {
			return syscall.ENOSPC
		}
		how, writes := access(flags)
		_, before := os.Lstat(path)
		file, err := os.OpenFile(path, how|os.O_CREATE|syscall.O_NOFOLLOW|int(flags)&syscall.O_EXCL, os.FileMode(mode))
		if err != nil {
			return fs.ToErrno(err)
		}
		var errno syscall.Errno
		if made, errno = n.found(ctx, path, out); errno != 0 {
			file.Close()
			return errno
		}
		child := made.Operations().(*node)
		open = &handle{node: child, file: file, writes: writes}
		if before != nil {
			n.fs.files[child.inode()] = newFile(0, 0) // the number may have been another's
			n.made(path, child.inode())
		}
		return 0
	})
	return made, open, 0, errno
}

// made notes a new name, of a file that may be gone after a loss of power.
func (n *node) made(path string, inode uint64) {
	n.fs.note(&change{inodes: []uint64{n.inode()}, subject: inode, undo: func() error { return os.Rename(path, n.fs.park()) }})
}

func (n *node) Unlink(ctx context.Context, name string) syscall.Errno {
	path := filepath.Join(n.path(), name)
	return n.fs.do(pid(ctx), Unlink, n.child(name), 0, 0, func() syscall.Errno {
		st, err := stat(path)
		if err != nil {
			return fs.ToErrno(err)
		}
		parked := n.fs.park()
		if err := os.Rename(path, parked); err != nil {
			return fs.ToErrno(err)
		}
		n.fs.give(n.fs.fileAt(st), 0)
		n.fs.note(&change{
			inodes: []uint64{n.inode()}, subject: st.Ino,
			undo:    func() error { return os.Rename(parked, path) },
			forever: func() { os.Remove(parked) },
		})
		return 0
	})
}

func (n *node) Rename(ctx context.Context, name string, parent fs.InodeEmbedder, newName string, flags uint32) syscall.Errno {
	to, ok := parent.EmbeddedInode().Operations().(*node)
	if !ok || flags&^unix.RENAME_NOREPLACE != 0 {
		return syscall.EINVAL
	}
	from, at := filepath.Join(n.path(), name), filepath.Join(to.path(), newName)
	return n.fs.do(pid(ctx), Rename, to.child(newName), 0, 0, func() syscall.Errno {
		st, err := stat(from)
		if err != nil {
			return fs.ToErrno(err)
		}
		if st.Mode&unix.S_IFMT == unix.S_IFDIR {
			n.fs.barrier() // what is undone later has its paths
		}
		back := func() error { return os.Rename(at, from) }
		undo, forever := back, func() {}
		was, err := stat(at)
		switch {
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			return fs.ToErrno(err)
		case flags&unix.RENAME_NOREPLACE != 0:
			return syscall.EEXIST
		case was.Ino == st.Ino:
			return 0
		case was.Mode&unix.S_IFMT == unix.S_IFDIR:
			undo = func() error { return errors.Join(back(), os.Mkdir(at, os.FileMode(was.Mode&0o777))) }
		default:
			parked := n.fs.park()
			if err := os.Link(at, parked); err != nil {
				return fs.ToErrno(err)
			}
			undo = func() error { return errors.Join(back(), os.Rename(parked, at)) }
			forever = func() { os.Remove(parked) }
		}
		if err := os.Rename(from, at); err != nil {
			forever()
			return fs.ToErrno(err)
		}
		if was.Ino != 0 && was.Mode&unix.S_IFMT == unix.S_IFREG {
			n.fs.give(n.fs.fileAt(was), 0)
		}
		n.fs.note(&change{inodes: []uint64{n.inode(), to.inode()}, subject: st.Ino, undo: undo, forever: forever})
		return 0
	})
}

func (n *node) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (made *fs.Inode, errno syscall.Errno) {
	path := filepath.Join(n.path(), name)
	errno = n.fs.do(pid(ctx), Mkdir, n.child(name), 0, 0, func() syscall.Errno {
		if err := os.Mkdir(path, os.FileMode(mode)); err != nil {
			return fs.ToErrno(err)
		}
		return n.added(ctx, path, out, &made)
	})
	return made, errno
}

// added notes a new name and returns its node.
func (n *node) added(ctx context.Context, path string, out *fuse.EntryOut, made **fs.Inode) (errno syscall.Errno) {
	if *made, errno = n.found(ctx, path, out); errno == 0 {
		n.made(path, (*made).StableAttr().Ino)
	}
	return errno
}

func (n *node) Rmdir(ctx context.Context, name string) syscall.Errno {
	path := filepath.Join(n.path(), name)
	return n.fs.do(pid(ctx), Rmdir, n.child(name), 0, 0, func() syscall.Errno {
		st, err := stat(path)
		if err == nil {
			err = os.Remove(path)
		}
		if err != nil {
			return fs.ToErrno(err)
		}
		n.fs.note(&change{
			inodes: []uint64{n.inode(), st.Ino}, subject: st.Ino,
			undo: func() error { return os.Mkdir(path, os.FileMode(st.Mode&0o777)) },
		})
		return 0
	})
}

func (n *node) Link(ctx context.Context, target fs.InodeEmbedder, name string, out *fuse.EntryOut) (made *fs.Inode, errno syscall.Errno) {
	path := filepath.Join(n.path(), name)
	errno = n.fs.do(pid(ctx), Link, n.child(name), 0, 0, func() syscall.Errno {
		if err := os.Link(target.EmbeddedInode().Operations().(*node).path(), path); err != nil {
			return fs.ToErrno(err)
		}
		return n.added(ctx, path, out, &made)
	})
	return made, errno
}

func (n *node) Symlink(ctx context.Context, target, name string, out *fuse.EntryOut) (made *fs.Inode, errno syscall.Errno) {
	path := filepath.Join(n.path(), name)
	errno = n.fs.do(pid(ctx), Link, n.child(name), 0, 0, func() syscall.Errno {
		if err := os.Symlink(target, path); err != nil {
			return fs.ToErrno(err)
		}
		return n.added(ctx, path, out, &made)
	})
	return made, errno
}
