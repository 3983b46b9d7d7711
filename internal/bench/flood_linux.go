package bench

import (
	"os"
	"strconv"
	"syscall"
)

// yield gives this process the lowest priority: a flood from elsewhere would take
// no processor time of this machine. Threads that come later inherit it.
func yield() {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return
	}
	for _, t := range threads {
		if id, err := strconv.Atoi(t.Name()); err == nil {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, 19) // gone since
		}
	}
}
