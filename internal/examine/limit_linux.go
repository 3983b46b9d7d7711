package examine

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// limitProcess bounds what this process may take. It cannot be undone.
func limitProcess(l Limits) {
	seconds := uint64(l.CPU / time.Second)
	expired := make(chan os.Signal, 1)
	signal.Notify(expired, syscall.SIGXCPU)
	go func() { // ends with the process
		<-expired
		os.Exit(exitCPU)
	}()
	// What cannot be set is not: the Runner has a limit of its own.
	_ = syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: seconds, Max: seconds + 2})
	space := uint64(2*l.Memory) + 2<<30 // the runtime reserves more than it uses
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: space, Max: space})
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
}
