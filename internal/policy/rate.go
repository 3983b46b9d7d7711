package policy

import (
	"sync"
	"time"
)

// maxBuckets is how many principals and targets are counted; those that have
// rested longest are forgotten first, which only ever allows more.
const maxBuckets = 10_000

// buckets count what was pushed: a token bucket for each principal and target
// (as in ATM's generic cell rate algorithm, kept as the time at which the bucket
// will be full). They are safe for concurrent use.
type buckets struct {
	mu   sync.Mutex
	full map[string]time.Time // guarded by mu
}

// draw is a bucket and how it fills.
type draw struct {
	key  string
	rate Rate
}

// take takes a token out of each bucket, or out of none: it returns how long it
// is then until all of them have one, and which is the last.
func (b *buckets) take(now time.Time, draws ...draw) (last int, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, d := range draws {
		if left := b.waitLocked(now, d); left > wait {
			last, wait = i, left
		}
	}
	if wait > 0 {
		return last, wait
	}
	for _, d := range draws {
		if d.rate == (Rate{}) {
			continue
		}
		if b.full == nil {
			b.full = make(map[string]time.Time)
		}
		full := b.full[d.key]
		if full.Before(now) {
			full = now
		}
		b.full[d.key] = full.Add(d.rate.every())
	}
	b.shrinkLocked(now)
	return 0, 0
}

// waitLocked returns how long it is until a bucket has a token.
func (b *buckets) waitLocked(now time.Time, d draw) time.Duration {
	full, ok := b.full[d.key]
	if d.rate == (Rate{}) || !ok {
		return 0
	}
	return full.Add(d.rate.every()).Sub(now) - time.Duration(d.rate.burst())*d.rate.every()
}

// shrinkLocked forgets buckets that are full, and when there are very many,
// any.
func (b *buckets) shrinkLocked(now time.Time) {
	if len(b.full) <= maxBuckets {
		return
	}
	for key, full := range b.full {
		if !full.After(now) {
			delete(b.full, key)
		}
	}
	for key := range b.full {
		if len(b.full) <= maxBuckets/2 {
			return
		}
		delete(b.full, key)
	}
}

// every is the time in which one token comes.
func (r Rate) every() time.Duration { return time.Minute / time.Duration(r.PerMinute) }

func (r Rate) burst() int {
	if r.Burst == 0 {
		return r.PerMinute
	}
	return r.Burst
}
