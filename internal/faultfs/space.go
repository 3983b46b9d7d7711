package faultfs

import "syscall"

// spaceFor returns how many of n bytes at offset the disk has space for, and
// takes it. What is written where there is space already needs none.
func (f *FS) spaceFor(p *file, offset, n int64) (int64, syscall.Errno) {
	if n <= 0 {
		return n, 0
	}
	for i := offset / pageBytes; i <= (offset+n-1)/pageBytes; i++ {
		if p.has(i) {
			continue
		}
		if f.space >= 0 && f.space < pageBytes {
			fits := i*pageBytes - offset
			if fits <= 0 {
				return 0, syscall.ENOSPC
			}
			return fits, 0
		}
		if f.space >= 0 {
			f.space -= pageBytes
		}
		p.spaced[i] = struct{}{}
	}
	return n, 0
}

func (p *file) has(i int64) bool {
	_, ok := p.spaced[i]
	return ok || i < p.reserved
}

// give returns the space of a file from a page on.
func (f *FS) give(p *file, from int64) {
	given := max(0, p.reserved-from)
	p.reserved = min(p.reserved, from)
	for i := range p.spaced {
		if i >= from {
			delete(p.spaced, i)
			given++
		}
	}
	if f.space >= 0 {
		f.space += given * pageBytes
	}
}

// lacking returns how many bytes a range needs that have no space yet.
func (f *FS) lacking(p *file, offset, n int64) (need int64) {
	for i := offset / pageBytes; n > 0 && i <= (offset+n-1)/pageBytes; i++ {
		if !p.has(i) {
			need += pageBytes
		}
	}
	return need
}
