package cluster

import (
	"context"
	"errors"
	"time"

	"kaijutsu"
)

// awaitAcks moves the mark when everything before it is in the feed, and sends
// again what is not.
func (c *Cluster) awaitAcks(ctx context.Context) {
	for {
		select {
		case k := <-c.relay.chunks:
			for _, s := range k.sends {
				if !c.awaitAck(ctx, s, k.upTo) {
					return
				}
			}
			c.marks.setRelayed(k.upTo)
			c.outbox.acked(k.upTo)
		case <-ctx.Done():
			return
		}
	}
}

// awaitAck waits until a message is in the feed, or skipped, or ctx ends, which
// it reports.
func (c *Cluster) awaitAck(ctx context.Context, s *send, seq uint64) bool {
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		select {
		case <-s.ack.Done():
		case <-ctx.Done():
			return false
		}
		err := s.ack.Err()
		if err == nil || c.relay.skipTo.Load() >= seq {
			return true
		}
		if !errors.Is(err, kaijutsu.ErrUnavailable) {
			c.log.Warn("changes not relayed", "err", err)
			return true
		}
		for first := true; first || !c.connected.Load(); first = false {
			if !sleep(ctx, wait) {
				return false
			}
			if c.relay.skipTo.Load() >= seq {
				return true
			}
		}
		c.append(ctx, s)
	}
}

// skipAhead gives up on entries of a journal that has become too long, or for
// which there is no disk. The other nodes get them by comparing digests.
func (c *Cluster) skipAhead(ctx context.Context, at uint64) uint64 {
	first, last := c.repo.JournalEnds()
	mark := max(c.marks.relayed(), min(first, last+1)-1)
	waiting := last - min(mark, last)
	short := c.store.Trouble() != nil && waiting > journalKept
	if waiting <= c.tune.journal && !short {
		return at
	}
	c.log.Warn("changes skipped in the feed: the other nodes get them by comparing", "entries", waiting, "short_of_disk", short)
	c.relay.skipTo.Store(last)
	now := c.now()
	c.relay.skippedAt.Store(&now)
	c.relay.skipped.Add(int64(waiting))
	c.relay.dropKept(last)
	c.marks.setRelayed(last)
	c.outbox.acked(last)
	return last
}
