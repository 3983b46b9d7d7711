package bench

import (
	"syscall"
	"time"
	"unsafe"
)

// cpuClock reads the clock of the processor time of a process, which counts
// nanoseconds; false when there is none. The clock's id is made of the process id
// as in clock_getcpuclockid(3) and the kernel's posix-timers.h.
func cpuClock(pid int) (time.Duration, bool) {
	const ofScheduler = 2
	clock := ^uintptr(pid)<<3 | ofScheduler
	var t syscall.Timespec
	_, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, uintptr(int32(clock)), uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano()), errno == 0
}
