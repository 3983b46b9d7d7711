package telemetry

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// States for Notify, as systemd's sd_notify(3) has them.
const (
	Ready    = "READY=1"
	Stopping = "STOPPING=1"
	Watchdog = "WATCHDOG=1"
)

// Status is a state that says in words what the process does.
func Status(words string) string { return "STATUS=" + strings.ReplaceAll(words, "\n", " ") }

// Notify tells the service manager that started the process; without one it
// does nothing. The protocol is a datagram of lines to the socket that
// $NOTIFY_SOCKET names, where a leading @ stands for Linux's abstract names.
func Notify(states ...string) error {
	name := os.Getenv("NOTIFY_SOCKET")
	if name == "" {
		return nil
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("tell the service manager: %w", err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(strings.Join(states, "\n"))); err != nil {
		return fmt.Errorf("tell the service manager: %w", err)
	}
	return nil
}

// WatchdogEvery returns how often the service manager wants to hear from this
// process before it takes it for hung; 0 when it does not.
func WatchdogEvery() time.Duration {
	if pid := os.Getenv("WATCHDOG_PID"); pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return 0
	}
	micros, err := strconv.ParseInt(os.Getenv("WATCHDOG_USEC"), 10, 64)
	if err != nil || micros <= 0 {
		return 0
	}
	return time.Duration(micros) * time.Microsecond
}

// FeedWatchdog tells the service manager, three times in every interval, that
// the process is alive, as long as alive says so in time; it returns when ctx
// ends, at once when there is no watchdog. A process whose alive hangs is
// restarted by the manager.
func FeedWatchdog(ctx context.Context, alive func(context.Context) error) {
	every := WatchdogEvery() / 3
	if every <= 0 {
		return
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		asking, cancel := context.WithTimeout(ctx, every)
		if alive(asking) == nil {
			_ = Notify(Watchdog) // it asks again, and restarts what it does not hear of
		}
		cancel()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
