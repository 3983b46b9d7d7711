package git

import (
	"io/fs"
	"syscall"
	"time"
)

// statOf returns what the index remembers of a file.
func statOf(fi fs.FileInfo) IndexStat {
	s := IndexStat{Size: uint32(fi.Size())}
	sys, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		m := fi.ModTime()
		s.MTimeSec, s.MTimeNano = uint32(m.Unix()), uint32(m.Nanosecond())
		return s
	}
	t := statTimes(sys)
	s.CTimeSec, s.CTimeNano = uint32(t.ctime/1e9), uint32(t.ctime%1e9)
	s.MTimeSec, s.MTimeNano = uint32(t.mtime/1e9), uint32(t.mtime%1e9)
	s.Dev, s.Ino, s.UID, s.GID = uint32(sys.Dev), uint32(sys.Ino), sys.Uid, sys.Gid
	return s
}

// sameFile reports whether a file still has the stat that the index remembers.
// Like git it does not look at the device, and at nanoseconds only where both
// have some.
func (s IndexStat) sameFile(now IndexStat, trustCTime bool) bool {
	if s.Size != now.Size || s.MTimeSec != now.MTimeSec || s.Ino != now.Ino && s.Ino != 0 ||
		s.UID != now.UID || s.GID != now.GID {
		return false
	}
	if s.MTimeNano != 0 && now.MTimeNano != 0 && s.MTimeNano != now.MTimeNano {
		return false
	}
	if !trustCTime {
		return true
	}
	return s.CTimeSec == now.CTimeSec && (s.CTimeNano == 0 || now.CTimeNano == 0 || s.CTimeNano == now.CTimeNano)
}

// racy reports whether the file may have changed after it was looked at
// without a new stat: it was as young as the index when that was written.
// See Documentation/technical/racy-git.txt in git.
func (s IndexStat) racy(written time.Time) bool {
	if written.IsZero() {
		return true
	}
	if s.MTimeNano == 0 {
		return int64(s.MTimeSec) >= written.Unix()
	}
	return int64(s.MTimeSec)*1e9+int64(s.MTimeNano) >= written.UnixNano()-int64(tick)
}

// modeOf returns the mode that git gives a file on disk; 0: git does not track
// such things. old is the mode that it has in the index, 0 for none.
func modeOf(fi fs.FileInfo, old Mode, trustExec, symlinks bool) Mode {
	switch m := fi.Mode(); {
	case m.IsRegular():
		if !symlinks && old == Symlink {
			return Symlink
		}
		if !trustExec {
			if old.IsFile() {
				return old
			}
			return Regular
		}
		if m&0o100 != 0 {
			return Executable
		}
		return Regular
	case m&fs.ModeSymlink != 0:
		return Symlink
	case m.IsDir():
		return Tree
	}
	return 0
}
