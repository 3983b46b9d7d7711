package store

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// chores numbers chores and blobs, wakes the sweeper, and knows which chores
// are not to be done yet.
type chores struct {
	wake chan struct{} // holds one

	mu     sync.Mutex
	next   uint64
	floor  uint64              // chores below are done; deleted rows are slow to scan
	active map[uint64]struct{} // blobs being written
}

func newChores() *chores {
	return &chores{wake: make(chan struct{}, 1), active: map[uint64]struct{}{}}
}

func (c *chores) poke() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// start sets the first number to be given out.
func (c *chores) start(next uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next = next
}

// take returns a new number.
func (c *chores) take() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	return c.next - 1
}

// begin returns a new number whose chore is not to be done before end.
func (c *chores) begin() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	c.active[c.next-1] = struct{}{}
	return c.next - 1
}

func (c *chores) end(numbers []uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, number := range numbers {
		delete(c.active, number)
	}
}

func (c *chores) isActive(number uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.active[number]
	return ok
}

func (c *chores) lowest() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.floor
}

// done says that every chore below next was done, but for active ones.
func (c *chores) done(next uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for number := range c.active {
		next = min(next, number)
	}
	c.floor = max(c.floor, next)
}

const (
	// sweepRows is how many rows the sweeper deletes in one transaction.
	sweepRows = 500
	// sweepAgain is how long it waits when it could not.
	sweepAgain = 30 * time.Second
)

// sweep deletes, until ctx is done, what chores promise to delete. What it
// cannot delete now it tries again a little later.
func (s *Store) sweep(ctx context.Context) {
	for {
		select {
		case <-s.chores.wake:
		case <-ctx.Done():
			return
		}
		if err := s.doChores(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, errClosed) {
			s.log.Warn("unused rows remain until later", "err", err)
			time.AfterFunc(sweepAgain, s.chores.poke)
		}
	}
}

func (s *Store) doChores(ctx context.Context) error {
	for from := s.chores.lowest(); ; {
		number, c, err := s.nextChore(from)
		if err == errAbsent {
			s.chores.done(from)
			return nil
		}
		if err == nil {
			err = s.doChore(ctx, number, c)
		}
		if err != nil {
			return err
		}
		from = number + 1
	}
}

// nextChore returns the first chore numbered from or more that may be done.
func (s *Store) nextChore(from uint64) (number uint64, c chore, err error) {
	err = s.view(func(v view) error {
		found := false
		err := v.scan([]byte{classChore}, numberKey(classChore, from), func(item *badger.Item) (bool, error) {
			key := item.KeyCopy(nil)
			if number = indexOf(key); s.chores.isActive(number) {
				return true, nil
			}
			found = true
			return false, item.Value(func(frame []byte) error {
				payload, err := unsealAs(kindChore, key, frame)
				if err == nil {
					c, err = decodeChore(payload)
				}
				if err != nil {
					return v.damaged(key, err.Error())
				}
				return nil
			})
		})
		if err == nil && !found {
			err = errAbsent
		}
		return err
	})
	return number, c, err
}

// doChore deletes what c lists, then c. Doing it twice does no harm. It stops
// when c is gone: between looking for chores and asking whether a blob is
// being written, its writer may have published it.
func (s *Store) doChore(ctx context.Context, number uint64, c chore) error {
	err := s.deleteGarbage(ctx, number, c)
	if errors.Is(err, errNoChore) {
		return nil
	}
	return err
}

var errNoChore = errors.New("the chore is gone")

func (s *Store) deleteGarbage(ctx context.Context, number uint64, c chore) error {
	d := deletion{s: s, ctx: ctx, chore: numberKey(classChore, number)}
	if err := d.blob(c.blob); err != nil {
		return err
	}
	if !c.doc.IsZero() {
		if err := d.rows(span{classChange, c.doc, c.from, c.to}); err != nil {
			return err
		}
		if err := d.rows(span{classActor, c.doc, 0, c.actors}); err != nil {
			return err
		}
	}
	if c.doc.IsZero() {
		if err := d.outbox(c.from, c.to); err != nil {
			return err
		}
	}
	if err := d.key(d.chore); err != nil {
		return err
	}
	return d.flush()
}

// outbox deletes the outbox entries from ≤ number < to.
func (d *deletion) outbox(from, to uint64) error {
	for from < to {
		rows, next, err := d.s.outboxGarbage(from, to)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := d.blob(row.blob); err != nil {
				return err
			}
			if err := d.key(row.key); err != nil {
				return err
			}
		}
		from = next
	}
	return nil
}

// outboxGarbage lists some of the outbox entries there are in a range, and where to go on.
func (s *Store) outboxGarbage(from, to uint64) (rows []garbageRow, next uint64, err error) {
	next = to
	err = s.view(func(v view) error {
		return v.scan([]byte{classOutbox}, numberKey(classOutbox, from), func(item *badger.Item) (bool, error) {
			row := garbageRow{key: item.KeyCopy(nil)}
			if indexOf(row.key) >= to {
				return false, nil
			}
			if len(rows) == sweepRows {
				next = indexOf(row.key)
				return false, nil
			}
			err := item.Value(func(frame []byte) error {
				// What cannot be read is not followed, only deleted.
				if kind, payload, err := unseal(row.key, frame); err == nil && kind == kindBlob {
					row.blob, _ = decodeBlob(payload)
				}
				return nil
			})
			rows = append(rows, row)
			return true, err
		})
	})
	return rows, next, err
}

// rows deletes the rows of a span that exist.
func (d *deletion) rows(p span) error {
	for p.from < p.to {
		rows, next, err := d.s.garbage(p)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := d.blob(row.blob); err != nil {
				return err
			}
			if err := d.key(row.key); err != nil {
				return err
			}
		}
		p.from = next
	}
	return nil
}

// garbageRow is a row of a log, with its blob when it is a segment.
type garbageRow struct {
	key  []byte
	blob blob
}

// garbage lists some of the rows of a span that exist, and where to go on.
func (s *Store) garbage(p span) (rows []garbageRow, next uint64, err error) {
	next = p.to
	err = s.view(func(v view) error {
		end := rowKey(p.class, p.doc, p.to)
		return v.scan(documentKey(p.class, p.doc), rowKey(p.class, p.doc, p.from), func(item *badger.Item) (bool, error) {
			row := garbageRow{key: item.KeyCopy(nil)}
			if bytes.Compare(row.key, end) >= 0 {
				return false, nil
			}
			if len(rows) == sweepRows {
				next = indexOf(row.key)
				return false, nil
			}
			if item.UserMeta() == segmentMark {
				err := item.Value(func(frame []byte) error {
					// What cannot be read is not followed, only deleted.
					if payload, err := unsealAs(kindSegment, row.key, frame); err == nil {
						_, row.blob, _ = decodeSegment(payload)
					}
					return nil
				})
				if err != nil {
					return false, err
				}
			}
			rows = append(rows, row)
			return true, nil
		})
	})
	return rows, next, err
}

// deletion deletes rows, many to a transaction, while its chore is there.
type deletion struct {
	s     *Store
	ctx   context.Context // of the call that the deletion lives in
	chore []byte
	keys  [][]byte
}

func (d *deletion) blob(b blob) error {
	for i := range b.parts {
		if err := d.key(partKey(b.number, i)); err != nil {
			return err
		}
	}
	return nil
}

func (d *deletion) key(key []byte) error {
	d.keys = append(d.keys, key)
	if len(d.keys) < sweepRows {
		return nil
	}
	return d.flush()
}

func (d *deletion) flush() error {
	keys := d.keys
	d.keys = nil
	if len(keys) == 0 {
		return nil
	}
	it := &item{rows: len(keys), bytes: len(keys) * rowOverhead}
	it.stage = func(b *batch) error {
		known, err := b.has(d.chore)
		if err == nil && !known {
			err = errNoChore
		}
		if err != nil {
			return err
		}
		for _, key := range keys {
			b.delete(key)
		}
		return nil
	}
	return d.s.submit(d.ctx, it)
}
