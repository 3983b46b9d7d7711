package faultfs

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"golang.org/x/sys/unix"
)

// removed is what a truncation took from a file.
type removed struct {
	size, certain int64
	content       map[int64][]byte   // pages that are not all zeros
	versions      map[int64][][]byte // what they had held
}

// truncate sets a file's length, under the lock.
func (n *node) truncate(file *os.File, to int64) syscall.Errno {
	info, err := file.Stat()
	if err != nil {
		return fs.ToErrno(err)
	}
	if info.Size() == to {
		return 0
	}
	p := n.fs.file(n.inode(), info)
	was, err := p.cutTo(file, info.Size(), to)
	if err != nil {
		return fs.ToErrno(err)
	}
	if err := file.Truncate(to); err != nil {
		return fs.ToErrno(err)
	}
	if to < info.Size() {
		n.fs.give(p, (to+pageBytes-1)/pageBytes)
	}
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return fs.ToErrno(err)
	}
	own := os.NewFile(uintptr(fd), file.Name())
	n.fs.note(&change{
		inodes: []uint64{n.inode()}, subject: n.inode(),
		undo:    func() error { return errors.Join(p.restore(own, was), own.Close()) },
		forever: func() { own.Close() },
	})
	return 0
}

// cutTo takes what is behind the new length out of the account.
func (p *file) cutTo(content *os.File, size, to int64) (removed, error) {
	was := removed{size: size, certain: p.certain, content: make(map[int64][]byte), versions: make(map[int64][][]byte)}
	for i := to / pageBytes; i*pageBytes < size; i++ {
		page, err := readPage(content, i)
		if err != nil {
			return was, err
		}
		if len(bytes.Trim(page, "\x00")) > 0 {
			was.content[i] = page
		}
	}
	for i, versions := range p.pages {
		if i < to/pageBytes {
			continue
		}
		was.versions[i] = versions
		delete(p.pages, i)
		if i*pageBytes < to { // its front stays
			for _, v := range versions {
				v = slices.Clone(v)
				clear(v[to-i*pageBytes:])
				p.pages[i] = append(p.pages[i], v)
			}
		}
	}
	p.certain = to
	return was, nil
}

// restore undoes a truncation.
func (p *file) restore(content *os.File, was removed) error {
	now, err := content.Stat()
	if err != nil {
		return err
	}
	if err := content.Truncate(min(was.size, now.Size())); err != nil {
		return err
	}
	if err := content.Truncate(was.size); err != nil {
		return err
	}
	for i, page := range was.content {
		if _, err := content.WriteAt(page[:min(pageBytes, was.size-i*pageBytes)], i*pageBytes); err != nil {
			return err
		}
	}
	for i := range p.pages {
		if (i+1)*pageBytes > min(was.size, now.Size()) {
			delete(p.pages, i)
		}
	}
	for i, versions := range was.versions {
		p.pages[i] = versions
	}
	p.certain = was.certain
	return nil
}
