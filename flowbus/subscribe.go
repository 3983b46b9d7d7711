package flowbus

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go"
)

// What may wait for one subscriber.
const (
	maxPendingMessages = 16384
	maxPendingBytes    = 64 << 20
)

// subscription calls one subscriber, one message at a time.
type subscription struct {
	b    *Bus
	sub  *nats.Subscription
	f    func(Message)
	lost func(int)
	gone atomic.Bool

	mu      sync.Mutex // held while f or lost runs
	dropped int        // of sub.Dropped, how many were told
}

// Subscribe has f called, one message at a time and in order, with what other
// nodes publish on the subject, which may hold '*' and '>'. Own messages are
// not delivered. Up to 16,384 messages (64 MiB) wait for f.
//
// When Subscribe returns, the server that we are connected to knows of it.
//
// lost is called between calls of f: with the number of messages that were
// dropped because f was too slow, or with 0 when the connection was away and
// nobody knows how many there were. stop does not wait for a running f.
func (b *Bus) Subscribe(subject string, f func(Message), lost func(n int)) (stop func(), err error) {
	full, err := b.subject(subject, true)
	if err != nil {
		return nil, err
	}
	s := &subscription{b: b, f: f, lost: lost}
	s.mu.Lock() // until sub is set
	defer s.mu.Unlock()
	s.sub, err = b.nc.Subscribe(full, s.take)
	if err != nil {
		return nil, unavailable("subscribe to "+subject, err)
	}
	if err := s.sub.SetPendingLimits(b.pending, maxPendingBytes); err != nil {
		return nil, fmt.Errorf("subscribe to %s: %w", subject, err)
	}
	b.known()
	stopped := make(chan struct{})
	b.spawn(func() { s.watch(stopped) })
	return sync.OnceFunc(func() {
		s.gone.Store(true)
		close(stopped)
		s.sub.Unsubscribe()
	}), nil
}

// known waits until the server has taken what was sent to it, if it is there.
func (b *Bus) known() {
	if up, _ := b.link.state(); up {
		b.nc.FlushTimeout(writeTimeout)
	}
}

func (s *subscription) take(m *nats.Msg) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone.Load() {
		return
	}
	// Messages are dropped only while the queue is full, so that one that was
	// queued always follows a drop and tells of it here.
	if n, err := s.sub.Dropped(); err == nil && n > s.dropped {
		lost := n - s.dropped
		s.dropped = n
		s.b.lost.Add(int64(lost))
		s.lost(lost)
	}
	node, ok := s.b.admit(m)
	if !ok || node == s.b.cfg.Node {
		return
	}
	s.f(Message{Subject: m.Subject[len(s.b.prefix):], Node: node, Data: m.Data})
}

// watch tells the subscriber when the connection is back after it was away.
func (s *subscription) watch(stopped <-chan struct{}) {
	_, changed := s.b.link.state()
	for {
		select {
		case <-s.b.ctx.Done():
			return
		case <-stopped:
			return
		case <-changed:
		}
		var up bool
		up, changed = s.b.link.state()
		if up { // also when it went and came between two looks
			s.tell()
		}
	}
}

func (s *subscription) tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.gone.Load() {
		s.lost(0)
	}
}
