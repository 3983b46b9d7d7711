package flowbus

import (
	"context"
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
	at      time.Time       // monotonic time of the last change
	held    context.Context // ends at the next change
	end     context.CancelFunc
}

func (l *link) init(now time.Time) {
	l.since, l.at = now, time.Now()
	l.held, l.end = context.WithCancel(context.Background())
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
	l.end()
	l.held, l.end = context.WithCancel(context.Background())
	return true
}

// state returns whether NATS can be reached and a channel that is closed when
// that changes: also when it was away and came back.
func (l *link) state() (up bool, changed <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.up, l.held.Done()
}

// while returns a context that ends with ctx, after d, and when the link
// changes: a request that was under way then is not answered.
func (l *link) while(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, d)
	l.mu.Lock()
	held := l.held
	l.mu.Unlock()
	stop := context.AfterFunc(held, cancel)
	return ctx, func() { stop(); cancel() }
}

// steady reports whether the link has been up for d.
func (l *link) steady(d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.up && time.Since(l.at) > d
}
