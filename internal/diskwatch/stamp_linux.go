package diskwatch

import (
	"io/fs"
	"syscall"
)

// inode returns when a file's inode changed, in nanoseconds, and which it is.
func inode(info fs.FileInfo) (ctime int64, id identity) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, identity{1, 1}
	}
	return st.Ctim.Nano(), identity{uint64(st.Dev), st.Ino}
}
