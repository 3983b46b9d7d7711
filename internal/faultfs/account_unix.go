//go:build unix

package faultfs

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// file returns the account of a file; one that was not touched yet is certain
// as it is.
func (f *FS) file(inode uint64, info os.FileInfo) *file {
	p, ok := f.files[inode]
	if !ok {
		p = newFile(info.Size(), info.Sys().(*syscall.Stat_t).Blocks*sectorBytes/pageBytes)
		f.files[inode] = p
	}
	return p
}

func (f *FS) fileAt(st unix.Stat_t) *file {
	p, ok := f.files[st.Ino]
	if !ok {
		p = newFile(st.Size, st.Blocks*sectorBytes/pageBytes)
		f.files[st.Ino] = p
	}
	return p
}

// park returns a name in the undo directory that was not used yet.
func (f *FS) park() string {
	f.parked++
	return filepath.Join(f.undo, strconv.Itoa(f.parked))
}

func inodeOf(d fs.DirEntry) (uint64, error) {
	info, err := d.Info()
	if err != nil {
		return 0, err
	}
	return info.Sys().(*syscall.Stat_t).Ino, nil
}
