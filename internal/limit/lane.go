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
	// laneSaved is how much processor time is kept that no busy host used.
	laneSaved = 50 * time.Millisecond
	// laneWide is how many may be in the lane at a time for each processor, of which
	// some wait for it. Of busy hosts it is one for each laneWidth processors, at
	// least one, and they have a laneShare-th of them together.
	laneWide, laneWidth, laneShare = 4, 4, 16
)

// lane is where the work for connections is done that nobody trusts: reading what
// they sent, and answering. The processor has no priorities among goroutines: a
// hundred that are given garbage as fast as they can read it take turns of 10 ms,
// and everybody else comes after them. So only few of them run at a time; the
// others wait, the hosts in turn, and of a host whoever came first. Busy hosts, which
// faults came from, go in one by one, and have a sixteenth of the processors
// together. A lane is safe for concurrent use.
type lane struct {
	wide  int     // how many are in at a time
	width int     // how many of busy hosts
	share float64 // processors that busy hosts have together
	now   func() time.Time

	mu         sync.Mutex
	inside     map[*Visitor]stay   // guarded by mu
	busyInside int                 // guarded by mu: how many of them are of busy hosts
	calm       ring                // guarded by mu: hosts of which somebody waits
	busy       ring                // guarded by mu: and those that were busy when he came
	books      map[string]*account // guarded by mu: what hosts have used
	swept      int                 // guarded by mu: how many accounts make the next sweep
	turns      int                 // guarded by mu
	credit     time.Duration       // guarded by mu: processor time that busy hosts may use now
	filled     time.Time           // guarded by mu: when credit was that
	armed      bool                // guarded by mu: tick comes
}

// stay is a turn in the lane.
type stay struct {
	since time.Time
	busy  bool
}

// busyTurns is how many turns there are for one that a busy host has in any case.
const busyTurns = 8

func newLane() *lane {
	processors := runtime.GOMAXPROCS(0)
	return &lane{
		wide: processors * laneWide, width: max(1, processors/laneWidth), share: float64(processors) / laneShare, now: time.Now, credit: laneSaved,
		inside: make(map[*Visitor]stay), books: make(map[string]*account), swept: sweepFrom,
		calm: newRing(), busy: newRing(),
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
	turn := make(chan struct{})
	v.turn = turn
	if l.isBusyLocked(v.host, now) {
		l.busy.push(v)
	} else {
		l.calm.push(v)
	}
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
	s, in := l.inside[v]
	if !in {
		return
	}
	delete(l.inside, v)
	l.refillLocked(now)
	took := min(now.Sub(s.since), laneTurn) // beyond that it waited for something
	if s.busy {
		l.busyInside--
		l.credit -= took
	}
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
	for len(l.inside) < l.wide {
		v, busy := l.nextLocked()
		if v == nil {
			break
		}
		l.inside[v] = stay{now, busy}
		if busy {
			l.busyInside++
		}
		close(v.turn)
		v.turn = nil
	}
	if !l.armed && (l.calm.len() > 0 || l.busy.len() > 0) {
		l.armed = true
		time.AfterFunc(laneTick, l.tick)
	}
}

// nextLocked takes the next one who may go in; nil is nobody.
func (l *lane) nextLocked() (v *Visitor, busy bool) {
	room := l.credit > 0 && l.busyInside < l.width
	l.turns++
	if room && l.turns%busyTurns == 0 {
		if v := l.busy.pop(); v != nil {
			return v, true
		}
	}
	if v := l.calm.pop(); v != nil || !room {
		return v, false
	}
	return l.busy.pop(), true
}

// tick takes those out who have been in for too long, and lets others in.
func (l *lane) tick() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.armed = false
	now := l.now()
	l.refillLocked(now)
	for v, s := range l.inside {
		if now.Sub(s.since) >= laneTurn {
			l.leaveLocked(v, now)
		}
	}
	l.dispatchLocked(now)
}
