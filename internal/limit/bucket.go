package limit

import (
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// sweepFrom is from how many buckets on those are looked for that nobody has
// open and that are full.
const sweepFrom = 1024

// Bucket is what one principal, document, connection or address has left of a
// rate. It is safe for concurrent use.
type Bucket struct {
	l     *Limiter
	at    place
	rate  *rate.Limiter
	value atomic.Int64 // that rate was set by
	users int          // guarded by Limiter.mu
}

func (l *Limiter) newBucket(at place) *Bucket {
	value := l.values[at.rule].Load()
	per, burst := rateOf(rules[at.rule], value)
	b := &Bucket{l: l, at: at, rate: rate.NewLimiter(per, burst)}
	b.value.Store(value)
	return b
}

// follow makes the bucket one of the value that its limit has now.
func (b *Bucket) follow(now time.Time) {
	value := b.l.values[b.at.rule].Load()
	if b.value.Swap(value) == value {
		return
	}
	per, burst := rateOf(rules[b.at.rule], value)
	b.rate.SetLimitAt(now, per)
	b.rate.SetBurstAt(now, burst)
}

// Bucket opens the bucket of a key, which all that open it share. Close it.
// It panics when there is no such rate.
func (l *Limiter) Bucket(name Name, key string) *Bucket {
	i := must(name)
	if rules[i].Kind != Rate {
		panic("limit: no rate: " + string(name))
	}
	at := place{i, key}
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.buckets[at]
	if b == nil {
		if len(l.buckets) >= l.full {
			l.sweepLocked()
		}
		b = l.newBucket(at)
		l.buckets[at] = b
	}
	b.users++
	return b
}

// Own returns a bucket that nobody shares and that need not be closed: for what
// belongs to one connection.
func (l *Limiter) Own(name Name) *Bucket { return l.newBucket(place{rule: must(name)}) }

// Close says that the opener does not take any more. The bucket is remembered
// until it is full again.
func (b *Bucket) Close() {
	b.l.mu.Lock()
	defer b.l.mu.Unlock()
	if b.users--; b.users == 0 && b.isFull(b.l.now()) {
		delete(b.l.buckets, b.at)
	}
}

// sweepLocked forgets the buckets that nobody has open and that are full.
func (l *Limiter) sweepLocked() {
	now := l.now()
	for at, b := range l.buckets {
		if b.users == 0 && b.isFull(now) {
			delete(l.buckets, at)
		}
	}
	l.full = max(sweepFrom, 2*len(l.buckets))
}

func (b *Bucket) isFull(now time.Time) bool {
	return b.rate.Limit() == rate.Inf || b.rate.TokensAt(now) >= float64(b.rate.Burst())
}

// Take takes n, always, and returns how long the taker has to wait before it goes
// on; 0 is not at all. What is taken beyond what is there is owed: whoever takes
// next waits for that too.
func (b *Bucket) Take(n int) time.Duration {
	now := b.l.now()
	b.follow(now)
	var wait time.Duration
	for n > 0 {
		part := min(n, b.rate.Burst())
		wait = b.rate.ReserveN(now, part).DelayFrom(now)
		n -= part
	}
	if wait > 0 {
		b.l.hit(b.at.rule, wait)
	}
	return wait
}

// fine takes n, or as much of it as makes whoever comes next wait no longer than
// most.
func (b *Bucket) fine(n int, most time.Duration) {
	now := b.l.now()
	b.follow(now)
	if b.rate.Limit() == rate.Inf {
		return
	}
	left := b.rate.TokensAt(now) + float64(b.rate.Limit())*most.Seconds()
	for n = min(n, int(left)); n > 0; {
		part := min(n, b.rate.Burst())
		b.rate.ReserveN(now, part)
		n -= part
	}
}

// Allow takes n if they are there. The error is an *Exceeded that wraps
// kaijutsu.ErrUnavailable, and nothing is taken then.
func (b *Bucket) Allow(n int) error {
	now := b.l.now()
	b.follow(now)
	r := b.rate.ReserveN(now, n)
	wait := r.DelayFrom(now)
	if r.OK() && wait == 0 {
		return nil
	}
	r.CancelAt(now)
	b.l.hit(b.at.rule, 0)
	value := b.l.values[b.at.rule].Load()
	return &Exceeded{Rule: rules[b.at.rule], Key: b.at.key, Value: value, After: min(max(wait, time.Second), time.Hour)}
}

// Rule returns the limit that the bucket keeps, and its value.
func (b *Bucket) Rule() (Rule, int64) { return rules[b.at.rule], b.value.Load() }

// Allow is Bucket.Allow for one who does not keep the bucket.
func (l *Limiter) Allow(name Name, key string, n int) error {
	b := l.Bucket(name, key)
	defer b.Close()
	return b.Allow(n)
}
