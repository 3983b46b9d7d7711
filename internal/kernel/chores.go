package kernel

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/internal/guard"
)

// choreAgain is how long what could not be done waits before it is tried again,
// at first and at most.
const (
	choreAgain     = time.Second
	choreAgainMost = time.Minute
)

// chores are what records of other nodes, and our own, ask of this node: to
// delete documents, and to ask anew what peers may do with one. The worker does
// them, one after the other.
type chores struct {
	k     *Kernel
	woken chan struct{} // holds a token when there is something to do
	ended chan struct{} // closed when the worker has ended

	stopping context.Context
	stop     context.CancelFunc

	mu      sync.Mutex
	deletes map[kaijutsu.DocumentID]*deletion // guarded by mu
	reviews map[kaijutsu.DocumentID]struct{}  // guarded by mu
}

// deletion is a document that is to be deleted here.
type deletion struct {
	tried chan struct{} // closed after the first time
	err   error         // what came of that; read after tried
	next  time.Time     // guarded by chores.mu: when to try again
	pause time.Duration // guarded by chores.mu
	over  bool          // guarded by chores.mu: tried is closed
}

func (c *chores) start(k *Kernel) {
	c.k, c.woken, c.ended = k, make(chan struct{}, 1), make(chan struct{})
	c.deletes, c.reviews = make(map[kaijutsu.DocumentID]*deletion), make(map[kaijutsu.DocumentID]struct{})
	c.stopping, c.stop = context.WithCancel(context.Background())
	guard.Go(k.cfg.Log, "chores", c.work)
}

// close ends the worker and waits for it. What is not deleted yet is after the
// next start: its record says so.
func (c *chores) close() {
	c.stop()
	<-c.ended
}

func (c *chores) wake() {
	select {
	case c.woken <- struct{}{}:
	default:
	}
}

// delete has a document deleted here.
func (c *chores) delete(doc kaijutsu.DocumentID) *deletion {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.deletes[doc]
	if d == nil {
		d = &deletion{tried: make(chan struct{}), pause: choreAgain}
		c.deletes[doc] = d
		c.wake()
	}
	return d
}

// review has peers that have a document open told that they may do other things
// with it now.
func (c *chores) review(doc kaijutsu.DocumentID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reviews[doc] = struct{}{}
	c.wake()
}

// work is the worker.
func (c *chores) work() {
	defer close(c.ended)
	for {
		wait := c.round()
		timer := time.NewTimer(cmp.Or(wait, time.Hour)) // nothing is due then, and nothing is done
		select {
		case <-c.woken:
		case <-timer.C:
		case <-c.stopping.Done():
			timer.Stop()
			return
		}
		timer.Stop()
	}
}

// round does everything that is due, and returns how long until more is; 0:
// there is nothing.
func (c *chores) round() (wait time.Duration) {
	now := time.Now()
	c.mu.Lock()
	reviews := c.reviews
	c.reviews = make(map[kaijutsu.DocumentID]struct{})
	due := make(map[kaijutsu.DocumentID]*deletion)
	for doc, d := range c.deletes {
		if !d.next.After(now) {
			due[doc] = d
		}
	}
	c.mu.Unlock()
	for doc := range reviews {
		c.k.cfg.Repo.Review(doc)
	}
	for doc, d := range due {
		if c.stopping.Err() != nil {
			return 0
		}
		c.try(doc, d)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range c.deletes {
		if left := max(time.Until(d.next), time.Millisecond); wait == 0 || left < wait {
			wait = left
		}
	}
	return wait
}

// try deletes a document; one that cannot be deleted now is tried again.
func (c *chores) try(doc kaijutsu.DocumentID, d *deletion) {
	err := c.k.remove(c.stopping, doc)
	if absent(err) {
		err = nil // it never was here, or is gone already
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !d.over {
		d.err, d.over = err, true
		close(d.tried)
	}
	if err == nil {
		delete(c.deletes, doc)
		return
	}
	d.next = time.Now().Add(d.pause)
	d.pause = min(2*d.pause, choreAgainMost)
	if !errors.Is(err, context.Canceled) {
		c.k.log.Warn("document not deleted yet", "document", doc, "again", d.pause, "err", err)
	}
}

// await waits until a document was tried to be deleted, and returns what came
// of it.
func (c *chores) await(ctx context.Context, d *deletion) error {
	select {
	case <-d.tried:
		return d.err
	case <-ctx.Done():
		return ctx.Err()
	case <-c.ended:
		return errClosing
	}
}
