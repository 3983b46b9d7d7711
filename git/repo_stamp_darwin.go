package git

import "syscall"

type times struct{ ctime, mtime int64 } // nanoseconds since 1970

func statTimes(st *syscall.Stat_t) times {
	return times{syscall.TimespecToNsec(st.Ctimespec), syscall.TimespecToNsec(st.Mtimespec)}
}
