package limit

import "time"

const (
	// busyFrom is how much a host has used when it is busy, as processor time that
	// what it did may have cost; mostUsed is the most that is counted, and
	// usedPerSecond is forgotten of it in a second.
	busyFrom      = 500 * time.Millisecond
	mostUsed      = 3 * time.Second
	usedPerSecond = 50 * time.Millisecond
	// usedByFault is what a connection counts that was cut for what it sent, and
	// usedByStranger one that ended and nobody knew it; usedByWaste a request that
	// was refused, and usedByRequest one of somebody whom nobody knows.
	usedByFault    = 500 * time.Millisecond
	usedByStranger = 50 * time.Millisecond
	usedByWaste    = 20 * time.Millisecond
	usedByRequest  = 5 * time.Millisecond
)

// account is what a host did, up to a moment.
type account struct {
	used time.Duration
	at   time.Time
}

// settle forgets what is long ago.
func (a *account) settle(now time.Time) {
	a.used = max(0, a.used-time.Duration(now.Sub(a.at).Seconds()*float64(usedPerSecond)))
	a.at = now
}

func (l *lane) isBusyLocked(host string, now time.Time) bool {
	a := l.books[host]
	if a == nil {
		return false
	}
	a.settle(now)
	return a.used >= busyFrom
}

// charge counts something against a host.
func (l *lane) charge(host string, used time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.chargeLocked(host, used, l.now())
}

func (l *lane) chargeLocked(host string, used time.Duration, now time.Time) {
	a := l.books[host]
	if a == nil {
		if len(l.books) >= l.swept {
			l.sweepLocked(now)
		}
		a = &account{at: now}
		l.books[host] = a
	}
	a.settle(now)
	a.used = min(a.used+used, mostUsed)
}

// sweepLocked forgets hosts of which nothing is counted any more.
func (l *lane) sweepLocked(now time.Time) {
	for host, a := range l.books {
		if a.settle(now); a.used == 0 {
			delete(l.books, host)
		}
	}
	l.swept = max(sweepFrom, 2*len(l.books))
}

// ring is who waits, by host; the hosts have turns.
type ring struct {
	order []*laneHost // the next first
	hosts map[string]*laneHost
}

// laneHost is who waits of one host.
type laneHost struct {
	name    string
	waiting []*Visitor
}

func newRing() ring { return ring{hosts: make(map[string]*laneHost)} }

func (r *ring) len() int { return len(r.order) }

func (r *ring) push(v *Visitor) {
	h := r.hosts[v.host]
	if h == nil {
		h = &laneHost{name: v.host}
		r.hosts[v.host] = h
		r.order = append(r.order, h)
	}
	h.waiting = append(h.waiting, v)
}

// pop takes the next one who still waits; nil is nobody.
func (r *ring) pop() *Visitor {
	for len(r.order) > 0 {
		h := r.order[0]
		r.order[0] = nil
		r.order = r.order[1:]
		v := h.waiting[0]
		h.waiting[0] = nil
		if h.waiting = h.waiting[1:]; len(h.waiting) > 0 {
			r.order = append(r.order, h)
		} else {
			delete(r.hosts, h.name)
		}
		if v.turn != nil {
			return v
		}
	}
	r.order = nil
	return nil
}
