package limit

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"kaijutsu"
)

// Limiter holds the values of all limits, and what they are counted with. It is
// safe for concurrent use.
type Limiter struct {
	now    func() time.Time
	values []atomic.Int64
	counts []counter

	mu      sync.Mutex
	buckets map[place]*Bucket // guarded by mu
	full    int               // guarded by mu: how many buckets make the next sweep
	held    map[place]int64   // guarded by mu
}

// place is for whom something is counted.
type place struct {
	rule int
	key  string
}

// counter is what a limit held back.
type counter struct {
	hits   atomic.Int64
	waited atomic.Int64 // nanoseconds
}

// New returns a Limiter with the values given; limits that they do not name have
// their defaults. The error is a *kaijutsu.ErrInvalid one that names the limit.
// now is the clock of the buckets; nil is the real one.
func New(values map[Name]int64, now func() time.Time) (*Limiter, error) {
	if now == nil {
		now = time.Now
	}
	l := &Limiter{
		now: now, values: make([]atomic.Int64, len(rules)), counts: make([]counter, len(rules)),
		buckets: make(map[place]*Bucket), full: sweepFrom, held: make(map[place]int64),
	}
	for i := range rules {
		l.values[i].Store(rules[i].Default)
	}
	for name, v := range values {
		if err := l.Set(name, v); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// Set changes a limit, for everybody and at once; 0 is no limit. The error wraps
// kaijutsu.ErrNotFound when there is no such limit and kaijutsu.ErrInvalid when
// the value is negative.
func (l *Limiter) Set(name Name, value int64) error {
	i, ok := indexOf(name)
	if !ok {
		return unknown(name)
	}
	if value < 0 {
		return fmt.Errorf("limit %s of %d: %w: want 0 for none, or more", name, value, kaijutsu.ErrInvalid)
	}
	l.values[i].Store(value) // buckets look when something is taken
	return nil
}

// Value returns a limit as it is now. It panics when there is no such limit.
func (l *Limiter) Value(name Name) int64 { return l.values[must(name)].Load() }

func must(name Name) int {
	i, ok := indexOf(name)
	if !ok {
		panic("limit: no limit " + string(name))
	}
	return i
}

// Row is a limit and what it did since New.
type Row struct {
	Rule
	Value  int64
	Hits   int64         // how often something was slowed or refused
	Waited time.Duration // for how long, all together
	InUse  int           // principals, documents, addresses or connections that it is counted for now
}

// Stats returns all limits, in the order of Rules.
func (l *Limiter) Stats() []Row {
	rows := make([]Row, len(rules))
	for i := range rules {
		rows[i] = Row{
			Rule: rules[i], Value: l.values[i].Load(),
			Hits: l.counts[i].hits.Load(), Waited: time.Duration(l.counts[i].waited.Load()),
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for at := range l.buckets {
		rows[at.rule].InUse++
	}
	for at := range l.held {
		rows[at.rule].InUse++
	}
	return rows
}

// hit notes that a limit held something back.
func (l *Limiter) hit(rule int, wait time.Duration) {
	l.counts[rule].hits.Add(1)
	l.counts[rule].waited.Add(int64(wait))
}

// Check holds a total against a quota: n more where there are have already. The
// error is an *Exceeded that wraps kaijutsu.ErrTooLarge.
func (l *Limiter) Check(name Name, key string, have, n int64) error {
	i := must(name)
	limit := l.values[i].Load()
	if limit == 0 || have+n <= limit {
		return nil
	}
	l.hit(i, 0)
	return &Exceeded{Rule: rules[i], Key: key, Value: limit}
}

// Enter takes a place of a count; leave gives it back, once. The error is an
// *Exceeded that wraps kaijutsu.ErrUnavailable.
func (l *Limiter) Enter(name Name, key string) (leave func(), err error) {
	i := must(name)
	at := place{i, key}
	l.mu.Lock()
	defer l.mu.Unlock()
	if limit := l.values[i].Load(); limit != 0 && l.held[at] >= limit {
		l.hit(i, 0)
		return nil, &Exceeded{Rule: rules[i], Key: key, Value: limit, After: time.Second}
	}
	l.held[at]++
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.held[at]--; l.held[at] == 0 {
			delete(l.held, at)
		}
	}), nil
}

// Find returns a limit. The error wraps kaijutsu.ErrNotFound and says what limits
// there are.
func (l *Limiter) Find(name Name) (Row, error) {
	i, ok := indexOf(name)
	if !ok {
		return Row{}, unknown(name)
	}
	return l.Stats()[i], nil
}

// BurstOf returns how much of a rate may come at once after a pause.
func BurstOf(r Rule, value int64) int64 {
	if value == 0 {
		return 0
	}
	_, burst := rateOf(r, value)
	return int64(burst)
}

// rateOf returns a value as golang.org/x/time/rate has it.
func rateOf(r Rule, value int64) (rate.Limit, int) {
	if value == 0 {
		return rate.Inf, math.MaxInt32
	}
	perSecond := float64(value) / r.Per.Seconds()
	burst := max(1, perSecond*r.Burst.Seconds())
	return rate.Limit(perSecond), int(min(burst, math.MaxInt32))
}
