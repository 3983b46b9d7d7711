package faultfs

import (
	"context"
	"io"
	"os"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// handle is an open file.
type handle struct {
	node   *node
	file   *os.File
	writes bool
}

var (
	_ fs.FileReader    = (*handle)(nil)
	_ fs.FileWriter    = (*handle)(nil)
	_ fs.FileFlusher   = (*handle)(nil)
	_ fs.FileReleaser  = (*handle)(nil)
	_ fs.FileAllocater = (*handle)(nil)
)

func (h *handle) Read(ctx context.Context, buf []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	v := h.node.fs.ask(pid(ctx), Read, h.node.name(), off, int64(len(buf)))
	if v.Errno != 0 {
		return nil, v.Errno
	}
	n, err := h.file.ReadAt(buf, off)
	if err != nil && err != io.EOF {
		return nil, fs.ToErrno(err)
	}
	if v.After != nil {
		v.After()
	}
	return fuse.ReadResultData(buf[:n]), 0
}

func (h *handle) Write(ctx context.Context, data []byte, off int64) (uint32, syscall.Errno) {
	f := h.node.fs
	v := f.ask(pid(ctx), Write, h.node.name(), off, int64(len(data)))
	if v.Errno != 0 {
		data = data[:min(v.Cut, int64(len(data)))]
	}
	n, errno := 0, syscall.Errno(0)
	if len(data) > 0 || v.Errno == 0 {
		f.mu.Lock()
		n, errno = h.write(data, off)
		f.mu.Unlock()
	}
	if v.Errno != 0 {
		return 0, v.Errno
	}
	if v.After != nil {
		v.After()
	}
	return uint32(n), errno
}

// write is under the lock.
func (h *handle) write(data []byte, off int64) (int, syscall.Errno) {
	f := h.node.fs
	if f.dead {
		return 0, syscall.EIO
	}
	info, err := h.file.Stat()
	if err != nil {
		return 0, fs.ToErrno(err)
	}
	p := f.file(h.node.inode(), info)
	fits, errno := f.spaceFor(p, off, int64(len(data)))
	if errno != 0 {
		return 0, errno
	}
	if err := p.remember(h.file, off, fits); err != nil {
		return 0, fs.ToErrno(err)
	}
	n, err := h.file.WriteAt(data[:fits], off)
	return n, fs.ToErrno(err)
}

func (h *handle) Flush(context.Context) syscall.Errno { return 0 }

func (h *handle) Release(context.Context) syscall.Errno { return fs.ToErrno(h.file.Close()) }

func (h *handle) Allocate(ctx context.Context, off, size uint64, mode uint32) syscall.Errno {
	if mode&^unix.FALLOC_FL_KEEP_SIZE != 0 {
		return syscall.EOPNOTSUPP
	}
	f := h.node.fs
	return f.do(pid(ctx), Fallocate, h.node.name(), int64(off), int64(size), func() syscall.Errno {
		info, err := h.file.Stat()
		if err != nil {
			return fs.ToErrno(err)
		}
		p := f.file(h.node.inode(), info)
		if f.space >= 0 && f.lacking(p, int64(off), int64(size)) > f.space {
			return syscall.ENOSPC
		}
		if _, errno := f.spaceFor(p, int64(off), int64(size)); errno != 0 {
			return errno
		}
		if to := int64(off + size); mode&unix.FALLOC_FL_KEEP_SIZE == 0 && to > info.Size() {
			if errno := h.node.truncate(h.file, to); errno != 0 {
				return errno
			}
		}
		return fs.ToErrno(unix.Fallocate(int(h.file.Fd()), mode, int64(off), int64(size)))
	})
}
