package quarantine

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"kaijutsu"
)

// refusals are the changes that a validator refused last.
type refusals struct {
	seen atomic.Int64

	mu     sync.Mutex
	ring   []Entry                    // guarded by mu
	next   int                        // guarded by mu
	minute int64                      // guarded by mu; the one that told counts in
	told   map[kaijutsu.Principal]int // guarded by mu
}

// Note lists a change that a validator refused. Of one principal so many are
// listed in a minute; all are counted.
func (l *List) Note(e Entry) {
	if l == nil {
		return
	}
	r := &l.refused
	r.seen.Add(1)
	if e.At.IsZero() {
		e.At = l.now().UTC()
	}
	e.Kind, e.ReadOnly = Refused, false
	e.Why = e.Why[:min(len(e.Why), maxWhy)]
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := e.At.Unix() / int64(time.Minute/time.Second); m != r.minute || r.told == nil {
		r.minute, r.told = m, make(map[kaijutsu.Principal]int)
	}
	if r.told[e.By]++; r.told[e.By] > perMinute {
		return
	}
	if len(r.ring) < maxRefused {
		r.ring = append(r.ring, e)
		return
	}
	r.ring[r.next] = e
	r.next = (r.next + 1) % maxRefused
}

func (r *refusals) list() []Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append(slices.Clone(r.ring[r.next:]), r.ring[:r.next]...)
}
