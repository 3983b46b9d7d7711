package courier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/flowbus"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
)

const (
	shownDeliveries = 100
	// answerBefore is how long before a call's time is over a flush answers how
	// far it is.
	answerBefore = 2 * time.Second
	// progressEvery is how many items a flush is done with between two progress
	// events.
	progressEvery = 500
	// leaseTries is how often a flush that is to go on waits for the lease: as
	// long as a node that was killed has it, perhaps this one before it was
	// started again.
	leaseTries = 6
)

// flushRow is a flush that was asked for and is under way.
type flushRow struct {
	V    int       `json:"v"`
	Node string    `json:"node,omitempty"`
	At   time.Time `json:"at"`
}

// run is a flush under way.
type run struct {
	source kaijutsu.DocumentID
	done   chan struct{} // closed when it is over

	mu       sync.Mutex
	total    int
	finished int
	out      Flushed // guarded by mu
	err      error   // guarded by mu
}

// Flush delivers what is staged in a context, in the order of its numbers, each
// item by what its stager may do now, and copies dead letters to lost+found. The
// caller must be able to edit the context; of one that is gone, named by its
// UUID, it delivers the caller's own items, and all for an owner of the kernel.
// "#3" or the id of an item delivers that alone, for who may cancel it. Nothing
// staged is no error. A flush outlasts its caller, and the server: when the
// call's time is nearly over, the answer says how far it is.
func (c *Courier) Flush(ctx context.Context, call op.Call, from string) (Flushed, error) {
	if e := c.itemNamed(call, from); e != nil {
		return c.flushItem(ctx, call, e)
	}
	doc, err := c.source(ctx, call, from, kaijutsu.RightEdit)
	if err != nil {
		return Flushed{}, err
	}
	keep := flushable
	if c.cfg.Kernel.Right(call, doc) < kaijutsu.RightEdit && !owns(call) {
		keep = func(e *entry) bool { return flushable(e) && e.By == call.By }
	}
	out, err := c.flushSource(ctx, doc, keep)
	if err != nil {
		return out, err
	}
	out.LostFound = c.fillLostFound(ctx)
	return out, nil
}

// flushable reports whether a flush has something to do with an item.
func flushable(e *entry) bool {
	return e.State == drift.StateStaged || e.State == drift.StateOffered
}

// itemNamed returns the item that a reference means when it can be nothing else.
func (c *Courier) itemNamed(call op.Call, ref string) *entry {
	if _, err := drift.ParseID(ref); err != nil && !strings.HasPrefix(ref, "#") {
		return nil
	}
	if e, err := c.find(call, ref); err == nil && c.mayUse(call, &e.Item) {
		return e
	}
	return nil
}

// flushItem delivers one item.
func (c *Courier) flushItem(ctx context.Context, call op.Call, e *entry) (Flushed, error) {
	if !flushable(e) {
		return Flushed{}, fmt.Errorf("drift #%d: %w: it is %s, not staged", e.Number, kaijutsu.ErrConflict, e.State)
	}
	return c.flushSource(ctx, e.From, func(o *entry) bool { return o.ID == e.ID && flushable(o) })
}

// flushSource waits for a flush of a source, begun by it, or for as long as the
// call may take.
func (c *Courier) flushSource(ctx context.Context, source kaijutsu.DocumentID, keep func(*entry) bool) (Flushed, error) {
	for {
		r, own := c.starts(source, keep)
		if r == nil {
			return Flushed{}, errClosed
		}
		var soon <-chan time.Time
		if deadline, ok := ctx.Deadline(); ok {
			left := time.Until(deadline)
			t := time.NewTimer(left - min(answerBefore, left/10))
			defer t.Stop()
			soon = t.C
		}
		select {
		case <-r.done:
			if !own {
				continue // another flush was under way: what it has not seen is delivered now
			}
			return r.answer()
		case <-soon:
			out, _ := r.answer()
			out.Background = true
			return out, nil
		case <-ctx.Done():
			return Flushed{}, ctx.Err()
		}
	}
}

// starts returns the flush of a source that is under way, or one that it starts.
func (c *Courier) starts(source kaijutsu.DocumentID, keep func(*entry) bool) (r *run, own bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.runs[source]; r != nil {
		return r, false
	}
	if c.closing {
		return nil, false
	}
	r = &run{source: source, done: make(chan struct{}), out: Flushed{Source: source}}
	c.runs[source] = r
	c.running.Go(guard.Func(c.cfg.Log, "flush", func() {
		err := c.flush(r, keep)
		r.mu.Lock()
		r.err = err
		r.mu.Unlock()
		c.mu.Lock()
		delete(c.runs, source)
		c.mu.Unlock()
		close(r.done)
	}))
	return r, true
}

// flush delivers the items of a source. It is on record while it does.
func (c *Courier) flush(r *run, keep func(*entry) bool) error {
	if len(c.queue.of(r.source, keep)) == 0 {
		return nil
	}
	leave, err := c.lease.hold(c.life, r.source)
	if err != nil {
		return err
	}
	defer leave()
	items := c.queue.of(r.source, keep) // what another node has done is here now
	if len(items) == 0 {
		return nil
	}
	name := flushRecord + r.source.String()
	if len(items) > 1 {
		value, err := json.Marshal(flushRow{V: 1, Node: c.node(), At: c.now()})
		if err == nil {
			err = c.write(c.life, records.Record{Name: name, Value: value})
		}
		if err != nil {
			return fmt.Errorf("flush context %s: %w", r.source.Name(), err)
		}
	}
	r.mu.Lock()
	r.total = len(items)
	r.mu.Unlock()
	c.deliverAll(r, items)
	if c.life.Err() != nil {
		return errClosed
	}
	if len(items) > 1 {
		if err := c.write(c.life, records.Record{Name: name}); err != nil {
			c.log.Warn("a flush is over and still on record: the next start looks at it again", "context", r.source.Name(), "err", err)
		}
	}
	return nil
}

// note enters what became of an item, and returns how many are done.
func (r *run) note(d Delivery, err error) (finished, total int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.finished++
	switch {
	case d.State == drift.StateDelivered:
		r.out.Delivered++
	case d.State == drift.StateOffered:
		r.out.Held++
	case d.State == drift.StateDead:
		r.out.Dead++
	case d.State == drift.StateCancelled:
	default:
		r.out.Failed++
	}
	if err != nil && r.err == nil && d.State != drift.StateDelivered {
		r.err = err
	}
	r.out.Items = append(r.out.Items, d)
	if len(r.out.Items) > 2*shownDeliveries {
		r.trimLocked()
	}
	return r.finished, r.total
}

func (r *run) trimLocked() {
	slices.SortFunc(r.out.Items, func(a, b Delivery) int {
		if a.Number != b.Number {
			return int(int64(a.Number) - int64(b.Number))
		}
		return strings.Compare(a.ID, b.ID)
	})
	r.out.Items = r.out.Items[:min(len(r.out.Items), shownDeliveries)]
}

// answer returns how far the flush is.
func (r *run) answer() (Flushed, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trimLocked()
	out := r.out
	out.Items = slices.Clone(out.Items)
	out.Left = r.total - r.finished
	return out, r.err
}

// progress tells how far a long flush is.
func (c *Courier) progress(r *run, finished, total int) {
	if total < 2*progressEvery || finished%progressEvery != 0 && finished != total {
		return
	}
	e := flowbus.Event{
		Kernel: c.cfg.Name, Kind: flowbus.ProgressUpdate, Principal: records.Mover, Time: c.cfg.Now().UTC(), Node: c.node(),
		Data: &flowbus.Progress{
			Token: "drift.flush." + r.source.Name(), Progress: float64(finished), Total: float64(total),
			Message: fmt.Sprintf("%d of %d drifts", finished, total),
		},
	}
	if b := r.source.Bytes(); len(b) == len(e.Context) {
		e.Context = kaijutsu.ContextID(b)
	}
	c.cfg.Emit(e)
}

// followFlush takes over which flushes are under way.
func (q *queue) followFlush(name string, value []byte) {
	doc, err := kaijutsu.ParseDocumentID(strings.TrimPrefix(name, flushRecord))
	if err != nil {
		return
	}
	var row flushRow
	q.mu.Lock()
	defer q.mu.Unlock()
	if value == nil || json.Unmarshal(value, &row) != nil {
		delete(q.flushes, doc)
		return
	}
	q.flushes[doc] = row
}

// resume goes on with flushes that are on record and that nobody carries out:
// at the start those of this node, later also those of nodes that are gone.
func (c *Courier) resume(start bool) {
	c.queue.mu.RLock()
	var sources []kaijutsu.DocumentID
	for doc, row := range c.queue.flushes {
		if start && (row.Node == c.node() || row.Node == "") || !start && c.cfg.Now().Sub(row.At) > keepEvery {
			sources = append(sources, doc)
		}
	}
	c.queue.mu.RUnlock()
	for _, doc := range sources {
		if c.idle(doc) {
			c.goes(func() { c.goOn(doc) })
		}
	}
}

// goOn carries a flush that is on record to its end.
func (c *Courier) goOn(source kaijutsu.DocumentID) {
	out, err := c.flushSource(c.life, source, flushable)
	for try := 1; errors.Is(err, kaijutsu.ErrUnavailable) && c.life.Err() == nil && try < leaseTries; try++ {
		out, err = c.flushSource(c.life, source, flushable)
	}
	switch {
	case c.life.Err() != nil:
		return // it goes on at the next start
	case err != nil:
		c.log.Warn("a flush does not go on", "context", source.Name(), "err", err)
		return
	}
	if err := c.write(c.life, records.Record{Name: flushRecord + source.String()}); err != nil {
		return
	}
	c.log.Info("a flush went on after a restart", "context", source.Name(), "delivered", out.Delivered, "failed", out.Failed+out.Dead)
	c.fillLostFound(c.life)
}
