package bench

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuClock reads the clock of the processor time of a process, which counts
// nanoseconds; false when there is none. The clock's id is made of the process id
// as in clock_getcpuclockid(3) and the kernel's posix-timers.h.
func cpuClock(pid int) (time.Duration, bool) {
	const ofScheduler = 2
	var t unix.Timespec
	err := unix.ClockGettime(int32(^pid)<<3|ofScheduler, &t)
	return time.Duration(t.Nano()), err == nil
}
