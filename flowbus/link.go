package flowbus

import (
	"sync"
	"time"
)

// link is whether NATS can be reached, and lets others wait for a change.
type link struct {
	mu      sync.Mutex
	up      bool
	server  string
	cluster string
	since   time.Time
	at      time.Time     // monotonic time of the last change
	changed chan struct{} // closed at the next change
}

func (l *link) init(now time.Time) {
	l.since, l.at = now, time.Now()
	l.changed = make(chan struct{})
}

// set notes the state and reports whether it is another one. server and
// cluster are kept when it goes down.
func (l *link) set(up bool, server, cluster string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.up == up && (!up || l.server == server) {
		return false
	}
	l.up, l.since, l.at = up, now, time.Now()
	if up {
		l.server, l.cluster = server, cluster
	}
	close(l.changed)
	l.changed = make(chan struct{})
	return true
}

// state returns whether NATS can be reached and a channel that is closed when
// that changes: also when it was away and came back.
func (l *link) state() (up bool, changed <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.up, l.changed
}

// steady reports whether the link has been up for d.
func (l *link) steady(d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.up && time.Since(l.at) > d
}
