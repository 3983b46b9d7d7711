package peer

import (
	"log/slog"
	"sync"
	"time"
)

// linesPerSecond is how many lines about peers' faults are logged in a second,
// all connections together: strangers must not fill the disk.
const linesPerSecond = 20

// lines logs what peers do wrong, up to a rate. What is beyond it is counted
// and told with the next line.
type lines struct {
	log *slog.Logger
	now func() time.Time

	mu         sync.Mutex
	second     int64 // guarded by mu; the Unix second that count is of
	count      int   // guarded by mu
	suppressed int   // guarded by mu
}

func (l *lines) info(msg string, args ...any) {
	l.mu.Lock()
	if second := l.now().Unix(); second != l.second {
		l.second, l.count = second, 0
	}
	l.count++
	quiet := l.count > linesPerSecond
	suppressed := l.suppressed
	if quiet {
		l.suppressed++
	} else {
		l.suppressed = 0
	}
	l.mu.Unlock()
	if quiet {
		return
	}
	if suppressed > 0 {
		args = append(args, "suppressed", suppressed)
	}
	l.log.Info(msg, args...)
}
