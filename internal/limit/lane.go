package limit

import (
	"runtime"
	"sync"
	"time"
)

const (
	// laneTurn is how long one may be in the lane while others wait: whoever stays
	// longer waits for something, and does so outside.
	laneTurn = 5 * time.Millisecond
	// laneTick is how often it is looked whether somebody may go in who waits for
	// time.
	laneTick = 2 * time.Millisecond
	// laneSaved is how much processor time is kept that nobody used.
	laneSaved = 50 * time.Millisecond
	// laneShare is the part of the machine's processors that the lane has.
	laneShare = 4
)

// lane is where the work for connections is done that nobody trusts: reading what
// they sent, and answering. The processor has no priorities among goroutines: a
// hundred that are given garbage as fast as they can read it take turns of 10 ms,
// and everybody else comes after them. So only few of them run at a time, and all
// together have a quarter of the processors; the others wait, the addresses in
// turn, and of an address whoever came first. A lane is safe for concurrent use.
type lane struct {
	width int     // how many are in at a time
	share float64 // processors that they have together
	now   func() time.Time

	mu     sync.Mutex
	inside map[*Visitor]time.Time // guarded by mu: since when
	ring   []*laneHost            // guarded by mu: hosts of which somebody waits, the next first
	hosts  map[string]*laneHost   // guarded by mu: the same by name
	credit time.Duration          // guarded by mu: processor time that may be used now
	filled time.Time              // guarded by mu: when credit was that
	armed  bool                   // guarded by mu: tick comes
}

// laneHost is who waits of one host.
type laneHost struct {
	name    string
	waiting []*Visitor
}

func newLane() *lane {
	processors := float64(runtime.GOMAXPROCS(0)) / laneShare
	return &lane{
		width: max(1, int(processors)), share: processors, now: time.Now, credit: laneSaved,
		inside: make(map[*Visitor]time.Time), hosts: make(map[string]*laneHost),
	}
}

// enter waits until it is the visitor's turn, or it is gone.
func (l *lane) enter(v *Visitor) {
	l.mu.Lock()
	if _, in := l.inside[v]; in || v.gone || v.turn != nil {
		l.mu.Unlock()
		return
	}
	now := l.now()
	l.refillLocked(now)
	if len(l.ring) == 0 && len(l.inside) < l.width && l.credit > 0 {
		l.inside[v] = now
		l.mu.Unlock()
		return
	}
	turn := make(chan struct{})
	v.turn = turn
	h := l.hosts[v.host]
	if h == nil {
		h = &laneHost{name: v.host}
		l.hosts[v.host] = h
		l.ring = append(l.ring, h)
	}
	h.waiting = append(h.waiting, v)
	l.dispatchLocked(now)
	l.mu.Unlock()
	<-turn
}

// leave lets the next one in. It does nothing for who is not in.
func (l *lane) leave(v *Visitor) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leaveLocked(v, l.now())
}

func (l *lane) leaveLocked(v *Visitor, now time.Time) {
	since, in := l.inside[v]
	if !in {
		return
	}
	delete(l.inside, v)
	l.refillLocked(now)
	l.credit -= min(now.Sub(since), laneTurn) // beyond that it waited for something
	l.dispatchLocked(now)
}

// forget is for a visitor whose connection is closed: it does not wait any more.
func (l *lane) forget(v *Visitor) {
	l.mu.Lock()
	defer l.mu.Unlock()
	v.gone = true
	if v.turn != nil {
		close(v.turn)
		v.turn = nil
	}
	l.leaveLocked(v, l.now())
}

// refillLocked counts the time that has passed.
func (l *lane) refillLocked(now time.Time) {
	if !l.filled.IsZero() {
		l.credit = min(l.credit+time.Duration(float64(now.Sub(l.filled))*l.share), laneSaved)
	}
	l.filled = now
}

// dispatchLocked lets in whoever may go in, and has the others looked after.
func (l *lane) dispatchLocked(now time.Time) {
	for len(l.inside) < l.width && l.credit > 0 {
		v := l.nextLocked()
		if v == nil {
			return
		}
		l.inside[v] = now
		close(v.turn)
		v.turn = nil
	}
	if len(l.ring) > 0 && !l.armed {
		l.armed = true
		time.AfterFunc(laneTick, l.tick)
	}
}

// nextLocked takes the next one who waits; nil is nobody.
func (l *lane) nextLocked() *Visitor {
	for len(l.ring) > 0 {
		h := l.ring[0]
		l.ring[0] = nil
		l.ring = l.ring[1:]
		v := h.waiting[0]
		h.waiting[0] = nil
		if h.waiting = h.waiting[1:]; len(h.waiting) > 0 {
			l.ring = append(l.ring, h)
		} else {
			delete(l.hosts, h.name)
		}
		if v.turn != nil {
			return v
		}
	}
	return nil
}

// tick takes those out who have been in for too long, and lets others in.
func (l *lane) tick() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.armed = false
	now := l.now()
	l.refillLocked(now)
	for v, since := range l.inside {
		if now.Sub(since) >= laneTurn {
			l.leaveLocked(v, now)
		}
	}
	l.dispatchLocked(now)
}
