package courier

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/internal/records"
)

const (
	maxGroup      = 1000    // records in one write
	maxGroupBytes = 1 << 20 // begun with fewer
)

// job is something to be written, all or none. The writer answers once.
type job struct {
	recs []records.Record
	item *drift.Item // gets a number and is written, unless it is nil
	done func(error) // must return at once; it must not write
}

// size returns how many records a job writes, and about how many bytes.
func (j *job) size() (n, bytes int) {
	for _, r := range j.recs {
		bytes += len(r.Name) + len(r.Value)
	}
	n = len(j.recs)
	if j.item != nil {
		n, bytes = n+2, bytes+len(j.item.Content)
	}
	return n, bytes
}

// begin has records written, and done told when they are on disk and the queue
// has followed, or why not. It waits while many others are waiting.
func (c *Courier) begin(j *job) {
	select {
	case c.jobs <- j:
		if c.life.Err() != nil {
			c.refuseJobs() // the writer may be gone
		}
	case <-c.life.Done():
		j.done(errClosed)
	}
}

// write writes records, together with what others write meanwhile.
func (c *Courier) write(ctx context.Context, recs ...records.Record) error {
	return c.await(ctx, &job{recs: recs})
}

// await has a job done. When ctx ends before, it may be done all the same.
func (c *Courier) await(ctx context.Context, j *job) error {
	done := make(chan error, 1)
	j.done = func(err error) { done <- err }
	c.begin(j)
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stage gives an item a number and puts it into the queue.
func (c *Courier) stage(ctx context.Context, it *drift.Item) error {
	own := *it
	if err := c.await(ctx, &job{item: &own}); err != nil {
		return err
	}
	*it = own
	return nil
}

// put writes an item that has its number.
func (c *Courier) put(ctx context.Context, it drift.Item) error {
	value, err := drift.EncodeItem(it)
	if err != nil {
		return err
	}
	return c.write(ctx, records.Record{Name: itemRecord + it.ID, Value: value})
}

// writer writes what piles up, in groups.
func (c *Courier) writer() {
	var next *job
	for {
		if next == nil {
			select {
			case next = <-c.jobs:
			case <-c.life.Done():
				c.refuseJobs()
				return
			}
		}
		var group []*job
		group, next = c.gather(next)
		c.writeGroup(group)
	}
}

// refuseJobs answers what waits when the courier is closed.
func (c *Courier) refuseJobs() {
	for {
		select {
		case j := <-c.jobs:
			j.done(errClosed)
		default:
			return
		}
	}
}

// gather returns what can be written together, from first on, and the first
// that cannot.
func (c *Courier) gather(first *job) (group []*job, rest *job) {
	names := make(map[string]bool)
	count, bytes := 1, 0 // the last number
	for j := first; j != nil; {
		n, b := j.size()
		clash := slices.ContainsFunc(j.recs, func(r records.Record) bool { return names[r.Name] }) ||
			j.item != nil && names[itemRecord+j.item.ID]
		if len(group) > 0 && (clash || count+n > maxGroup || bytes >= maxGroupBytes) {
			return group, j
		}
		for _, r := range j.recs {
			names[r.Name] = true
		}
		if j.item != nil {
			names[itemRecord+j.item.ID] = true
		}
		group, count, bytes = append(group, j), count+n, bytes+b
		select {
		case j = <-c.jobs:
		default:
			j = nil
		}
	}
	return group, nil
}

// writeGroup writes jobs with one change. When that does not work, each is
// tried by itself: what is wrong with one is not the others' fault.
func (c *Courier) writeGroup(group []*job) {
	var recs []records.Record
	var good []*job
	items := 0
	for _, j := range group {
		if j.item != nil {
			items++
		}
	}
	last := c.numbers(items)
	was := last
	for _, j := range group {
		rs, err := c.recordsOf(j, last+1)
		if err != nil {
			j.done(err)
			continue
		}
		if j.item != nil {
			last++
			c.queue.reserve(j.item, rs[len(rs)-1].Value)
		}
		recs, good = append(recs, rs...), append(good, j)
	}
	if len(good) == 0 {
		return
	}
	if last > was {
		recs = append(recs, records.Record{Name: c.lastName(), Value: strconv.AppendUint(nil, last, 10)})
	}
	err := c.cfg.Table.Write(c.life, records.Mover, recs...)
	c.queue.free()
	if err != nil && len(good) > 1 && !errors.Is(err, kaijutsu.ErrUnavailable) && c.life.Err() == nil {
		for _, j := range good {
			c.writeGroup([]*job{j})
		}
		return
	}
	if err != nil && c.life.Err() != nil {
		err = errClosed
	}
	for _, j := range good {
		j.done(err)
	}
}

// recordsOf returns what a job writes; its item gets the number.
func (c *Courier) recordsOf(j *job, number uint64) ([]records.Record, error) {
	if j.item == nil {
		return j.recs, nil
	}
	j.item.Number = number
	if j.item.Via == "" {
		j.item.Meta.Number = number
	}
	value, err := drift.EncodeItem(*j.item)
	if err != nil {
		return nil, err
	}
	if err := c.queue.roomFor(j.item, len(value)); err != nil {
		return nil, err
	}
	return append(slices.Clip(j.recs), records.Record{Name: itemRecord + j.item.ID, Value: value}), nil
}
