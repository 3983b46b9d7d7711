package diskwatch

import (
	"io/fs"
	"os"
)

// stamp tells versions of a file apart; the zero value is that of no file.
type stamp struct {
	size, mtime, ctime int64
	id                 identity
	mode               fs.FileMode
}

// identity tells files and directories apart; the zero value is none.
type identity struct{ dev, ino uint64 }

// look returns the stamp of what stands at a path; of a link, the link's. What
// cannot be looked at counts as missing.
func look(path string) stamp {
	info, err := os.Lstat(path)
	if err != nil {
		return stamp{}
	}
	st := stamp{size: info.Size(), mtime: info.ModTime().UnixNano(), mode: info.Mode()}
	st.ctime, st.id = inode(info)
	return st
}
