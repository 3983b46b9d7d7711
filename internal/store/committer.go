package store

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/dgraph-io/badger/v4"

	"kaijutsu"
	"kaijutsu/internal/planted"
)

const (
	cachedDocuments = 4096
	// mendEvery spaces the attempts to reopen Badger after a failed write.
	mendEvery = time.Second
)

// committer is the one goroutine that writes: group commit. Each round takes
// what queued while the round before waited for the disk, and writes it in
// one transaction with one wait for the disk.
type committer struct {
	s        *Store
	state    state                               // durable
	docs     map[kaijutsu.DocumentID]documentRow // some durable rows
	doubtful map[kaijutsu.DocumentID]documentRow // as they were before a write of unknown outcome
	held     *item                               // taken, but too large for the round before
	tables   int64                               // bytes in tables, some time ago
	unseen   int                                 // bytes to write until tables are counted again
	failed   error                               // Badger's last write failed: it must not write again
	mended   time.Time                           // of the last attempt to
}

func newCommitter(s *Store, now state) *committer {
	return &committer{
		s:        s,
		state:    now,
		docs:     map[kaijutsu.DocumentID]documentRow{},
		doubtful: map[kaijutsu.DocumentID]documentRow{},
	}
}

func (c *committer) run() {
	defer close(c.s.committed)
	for {
		first := c.held
		c.held = nil
		if first == nil {
			select {
			case first = <-c.s.queue:
			case <-c.s.look:
				_, _ = c.ready() // which says what it finds
				continue
			case <-c.s.stop:
				return
			}
		}
		c.flush(c.gather(first))
	}
}

// gather takes what is queued behind first, as far as it fits.
func (c *committer) gather(first *item) []*item {
	// Let the writers that have just been answered queue again: without, they
	// fall into two halves of which one always waits for the other.
	runtime.Gosched()
	items := []*item{first}
	rows, bytes := first.rows, first.bytes
	for {
		select {
		case it := <-c.s.queue:
			if rows+it.rows > c.s.batchRows || bytes+it.bytes > c.s.batchBytes {
				c.held = it
				return items
			}
			rows, bytes = rows+it.rows, bytes+it.bytes
			items = append(items, it)
		default:
			return items
		}
	}
}

// flush answers every item.
func (c *committer) flush(items []*item) {
	spare, err := c.ready()
	if err != nil {
		c.refuse(items, err)
		return
	}
	if n := len(items); n > 1 && planted.On("lost-half") {
		items[n-1].done <- nil
		items = items[:n-1]
	}
	b := newBatch(c)
	var staged []*item
	for _, it := range items {
		if err := c.stage(b, it, spare); err != nil {
			it.done <- err
			continue
		}
		staged = append(staged, it)
	}
	if len(staged) == 0 {
		return
	}
	if len(b.docs) > 0 && planted.On("saved-light-early") {
		c.answerEarly(staged)
	}
	began := time.Now()
	switch err := b.write(c.s.db); {
	case err == nil:
		took := time.Since(began)
		c.s.count.wrote(took)
		c.succeed(b, staged)
		if c.s.wrote != nil {
			bytes := 0
			for _, it := range staged {
				bytes += it.bytes
			}
			c.s.wrote(began, took, len(staged), bytes)
		}
	case (errors.Is(err, badger.ErrTxnTooBig) || errors.Is(err, kaijutsu.ErrTooLarge)) && len(staged) > 1:
		c.flush(staged[:len(staged)/2])
		c.flush(staged[len(staged)/2:])
	case errors.Is(err, badger.ErrTxnTooBig):
		c.refuse(staged, fmt.Errorf("%d rows do not fit a transaction: %w", len(b.ops), kaijutsu.ErrTooLarge))
	case errors.Is(err, kaijutsu.ErrTooLarge):
		c.refuse(staged, err)
	default:
		c.fail(b, staged, err)
	}
}

func (c *committer) stage(b *batch, it *item, spare int64) error {
	if err := it.cancelled(); err != nil {
		return err
	}
	if it.need > spare {
		_, err := checkSpace(c.s.dir, it.need, c.reserve())
		if err != nil {
			return err
		}
	}
	return it.stage(b)
}

// answerEarly is a planted bug: a save that is put off, as clients' storage does
// it, and acknowledged before.
func (c *committer) answerEarly(items []*item) {
	for _, it := range items {
		it.done <- nil
	}
	time.Sleep(100 * time.Millisecond)
}

func (c *committer) refuse(items []*item, err error) {
	c.s.count.refused.Add(uint64(len(items)))
	for _, it := range items {
		it.done <- err
	}
}

func (c *committer) succeed(b *batch, items []*item) {
	c.state = b.state
	for doc, row := range b.docs {
		if len(c.docs) >= cachedDocuments {
			for other := range c.docs { // any
				delete(c.docs, other)
				break
			}
		}
		c.docs[doc] = row
		delete(c.doubtful, doc)
	}
	c.s.publish(c.state)
	c.s.count.batch(len(items))
	for _, it := range items {
		c.unseen -= it.bytes
		it.done <- nil
	}
}

// fail remembers what the writers will believe. After a failed fsync, or when
// Badger could not make its next log, another write could be lost behind a
// hole or end the process: Badger must be closed and opened before it writes
// again.
func (c *committer) fail(b *batch, items []*item, err error) {
	c.stop(err)
	for doc := range b.docs {
		if _, ok := c.doubtful[doc]; !ok {
			c.doubtful[doc] = b.before[doc]
		}
	}
	clear(c.docs)
	c.refuse(items, c.failed)
}

// stop refuses all writes until Badger was closed and opened again.
func (c *committer) stop(err error) {
	err = errors.New(oneLine(err.Error()))
	c.failed = fmt.Errorf("writing failed (%v); the store only reads until the disk works again: %w", err, kaijutsu.ErrUnavailable)
	c.mended = time.Time{}
	c.s.count.failures.Add(1)
	c.s.log.Error("write failed", "err", err)
	c.s.setTrouble(c.failed)
}
