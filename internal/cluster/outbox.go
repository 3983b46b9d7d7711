package cluster

import (
	"context"
	"sync"
	"time"

	"kaijutsu/internal/repo"
)

// outbox counts the changes of this node that NATS has not acknowledged.
type outbox struct {
	mu      sync.Mutex
	steps   []step // ascending; what was noted within stepTime is one
	changes int
	bytes   int64
	done    uint64 // the last number that was acknowledged
}

// step is some changes with journal numbers up to upTo.
type step struct {
	upTo    uint64
	changes int
	bytes   int64
	at      time.Time
}

const (
	stepTime = 20 * time.Millisecond
	maxSteps = 1 << 14
)

func newOutbox() *outbox { return &outbox{} }

// start counts what was left when the process ended, an entry as a change.
func (o *outbox) start(end, relayed uint64, now time.Time) {
	if end <= relayed {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	n := int(end - relayed)
	o.steps, o.changes = []step{{upTo: end, changes: n, at: now}}, n
}

func (o *outbox) note(seq uint64, changes []repo.Change, now time.Time) {
	var bytes int64
	for i := range changes {
		bytes += int64(len(changes[i].Raw))
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if seq <= o.done {
		return // it went before it was told of
	}
	o.changes += len(changes)
	o.bytes += bytes
	if n := len(o.steps); n > 0 && (now.Sub(o.steps[n-1].at).Abs() < stepTime || n >= maxSteps) {
		s := &o.steps[n-1]
		s.upTo, s.changes, s.bytes = max(s.upTo, seq), s.changes+len(changes), s.bytes+bytes
		return
	}
	upTo := seq
	if n := len(o.steps); n > 0 {
		upTo = max(upTo, o.steps[n-1].upTo)
	}
	o.steps = append(o.steps, step{upTo, len(changes), bytes, now})
}

// acked says that everything up to seq needs nothing more.
func (o *outbox) acked(seq uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.done = max(o.done, seq)
	for len(o.steps) > 0 && o.steps[0].upTo <= seq {
		o.changes -= o.steps[0].changes
		o.bytes -= o.steps[0].bytes
		o.steps = o.steps[1:]
	}
}

// depth returns the unacknowledged changes, their bytes and the age of the
// oldest.
func (o *outbox) depth(now time.Time) (changes int, bytes int64, oldest time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.steps) > 0 {
		oldest = max(now.Sub(o.steps[0].at), 0)
	}
	return o.changes, o.bytes, oldest
}

// admitMost is the longest that one call of Admit waits.
const admitMost = 100 * time.Millisecond

// Admit slows editing down while NATS takes less than is written: the more
// waits for its acknowledgement the longer it waits, at most 100 ms. It does
// not wait while NATS is away. The error is that of ctx.
func (c *Cluster) Admit(ctx context.Context) error {
	if c.bus.Embedded() || !c.connected.Load() {
		return ctx.Err()
	}
	depth, _, _ := c.outbox.depth(c.now())
	over := depth - c.tune.outbox
	if over <= 0 {
		return ctx.Err()
	}
	sleep(ctx, min(admitMost*time.Duration(over)/time.Duration(c.tune.outbox), admitMost))
	return ctx.Err()
}
