package git

import (
	"os"
	"syscall"
	"time"
)

// fileStamp tells states of a file apart. Zero: there is none.
type fileStamp struct {
	size, mtime, ctime int64
	ino                uint64
}

func stampOf(path string) fileStamp {
	st, err := os.Stat(path)
	if err != nil {
		return fileStamp{}
	}
	return stampFrom(st)
}

func stampFrom(st os.FileInfo) fileStamp {
	s := fileStamp{size: st.Size(), mtime: st.ModTime().UnixNano()}
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		s.ino = uint64(sys.Ino)
		s.ctime = statTimes(sys).ctime
	}
	return s
}

// tick is longer than the steps in which file systems count time.
const tick = 20 * time.Millisecond

// fresh reports whether the file changed so recently that a further change
// might leave the same stamp.
func (s fileStamp) fresh() bool {
	age := time.Now().UnixNano() - max(s.mtime, s.ctime)
	return age < int64(tick)
}
