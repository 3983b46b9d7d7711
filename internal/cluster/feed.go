package cluster

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
)

// maxPending bounds the records of a shard that are read and not yet on disk.
const maxPending = 4096

// shard reads one shard of the feed.
type shard struct {
	number int
	room   chan struct{} // tokens: pending records

	mu       sync.Mutex
	pending  []*pending
	run      int // counts resets
	received uint64
	resets   int
	why      string // of the last reset

	readAt atomic.Int64 // when a record last came, by the monotonic clock
}

// pending is a record that is not known to be on disk.
type pending struct {
	cursor flowbus.Cursor
	done   bool
}

func newShard(number int, from flowbus.Cursor) *shard {
	return &shard{number: number, room: make(chan struct{}, maxPending), received: from.Seq}
}

// started is where monotonic readings count from.
var started = time.Now()

// consume reads a shard until ctx ends.
func (c *Cluster) consume(ctx context.Context, i int) {
	s := c.shards[i]
	for ctx.Err() == nil {
		err := c.bus.Feed().Consume(ctx, i, c.marks.cursor(i),
			func(r flowbus.Record) error { return c.hearRecord(ctx, s, r) },
			func(why string) { c.resetShard(s, why) })
		if ctx.Err() == nil {
			c.log.Warn("feed not read", "shard", i, "err", err)
			sleep(ctx, time.Second)
		}
	}
}

// hearRecord takes a record of the feed. It waits when there are too many.
func (c *Cluster) hearRecord(ctx context.Context, s *shard, r flowbus.Record) error {
	if s.number != flowbus.Shard(c.first.doc) {
		if err := c.first.wait(ctx); err != nil {
			return err
		}
	}
	select {
	case s.room <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	s.readAt.Store(int64(time.Since(started)))
	item, run := s.add(r)
	if r.Refused {
		c.finish(s, item, run)
		return nil
	}
	p, err := c.open(r.Node, r.Data)
	if err == nil && !ofDocument(r, p.doc()) {
		err = errShard
	}
	if err != nil {
		c.refused.note(r.Node, err)
		c.finish(s, item, run)
		return nil
	}
	if p.batch != nil && c.recent.holdsAll(p.batch.doc, p.batch.hashes) { // nearly all: they came live
		c.count.duplicates.Add(int64(p.changes()))
		c.finish(s, item, run)
		return nil
	}
	p.from = fromFeed
	p.done = func(err error) {
		if err != nil && ctx.Err() != nil {
			<-s.room
			return // broken off: it is read again after the next start
		}
		c.finish(s, item, run)
	}
	if err := c.lanes.deliver(ctx, c, p); err != nil {
		return err
	}
	return nil
}

// ofDocument reports whether a record came under its document's subject.
func ofDocument(r flowbus.Record, doc kaijutsu.DocumentID) bool {
	token := r.Subject
	if i := strings.LastIndexByte(token, '.'); i >= 0 {
		token = token[i+1:]
	}
	return r.Shard == flowbus.Shard(doc) && token == doc.String()
}

func (s *shard) add(r flowbus.Record) (*pending, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	item := &pending{cursor: r.Cursor}
	s.pending = append(s.pending, item)
	s.received = r.Seq
	return item, s.run
}

// finish notes that a record needs nothing more, and moves the cursor behind
// all that are finished before the first that is not. What can never be taken
// is finished too: comparing digests brings what there is to bring.
func (c *Cluster) finish(s *shard, item *pending, run int) {
	<-s.room
	s.mu.Lock()
	defer s.mu.Unlock()
	item.done = true
	if run != s.run {
		return
	}
	n := 0
	for n < len(s.pending) && s.pending[n].done {
		n++
	}
	if n > 0 {
		c.marks.setCursor(s.number, s.pending[n-1].cursor)
		s.pending = s.pending[n:]
	}
}

// resetShard is told that the feed is not the one that the cursor is of, or has
// lost records: whatever was in it has to be found by comparing digests.
func (c *Cluster) resetShard(s *shard, why string) {
	s.mu.Lock()
	s.run++
	s.pending = nil
	s.resets++
	s.why = why
	s.mu.Unlock()
	c.marks.setCursor(s.number, flowbus.Cursor{})
	c.log.Info("feed is read again", "shard", s.number, "reason", why)
	c.healer.urge()
}

// feedQuiet reports whether no shard has brought anything for a while.
func (c *Cluster) feedQuiet(d time.Duration) bool {
	now := int64(time.Since(started))
	for _, s := range c.shards {
		if at := s.readAt.Load(); at > 0 && now-at < int64(d) {
			return false
		}
	}
	return true
}
