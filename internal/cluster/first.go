package cluster

import (
	"context"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
)

// firstEach is between two looks whether the records are here.
const firstEach = 100 * time.Millisecond

// first holds back what other nodes bring, at the start and after NATS was away,
// until the kernel's records are as new as theirs: a right that was taken away
// is to count here before what was written since is shown. Documents of the
// records' own shard come in the order of the feed, and are not held back.
type first struct {
	doc kaijutsu.DocumentID // zero: nothing is held back

	mu   sync.Mutex
	held chan struct{} // closed when nothing is held back any more; nil: nothing is
}

// hold begins to hold back, if it is not so already.
func (c *Cluster) hold() {
	f := &c.first
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.doc.IsZero() || f.held != nil {
		return
	}
	held := make(chan struct{})
	if c.spawn(func(ctx context.Context) { c.bringRecords(ctx); f.release() }) {
		f.held = held
	}
}

func (f *first) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.held)
	f.held = nil
}

// holds reports whether a document is held back.
func (f *first) holds(doc kaijutsu.DocumentID) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.held != nil && doc != f.doc
}

// wait waits until nothing is held back.
func (f *first) wait(ctx context.Context) error {
	f.mu.Lock()
	held := f.held
	f.mu.Unlock()
	if held == nil {
		return ctx.Err()
	}
	select {
	case <-held:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// bringRecords waits until the feed has brought the kernel's records, and gets
// from the others what it does not hold any more.
func (c *Cluster) bringRecords(ctx context.Context) {
	asked := make(map[string]bool)
	for left := c.tune.first; left > 0; {
		if !sleep(ctx, firstEach) {
			return
		}
		if !c.connected.Load() {
			continue
		}
		begun := time.Now()
		if c.hasRecords(ctx, asked) {
			return
		}
		left -= firstEach + time.Since(begun)
	}
	if ctx.Err() == nil {
		c.log.Warn("the kernel's records may not be up to date: nobody brings them")
	}
}

// hasRecords asks whoever has not been asked, and reports whether all that is in
// the feed is here and counts.
func (c *Cluster) hasRecords(ctx context.Context, asked map[string]bool) bool {
	ctx, cancel := context.WithTimeout(ctx, c.tune.first/2)
	defer cancel()
	nodes, known := c.nodes.living()
	for _, node := range nodes {
		if asked[node] {
			continue
		}
		asked[node] = true
		_, err := c.pull(ctx, node, []wanted{{doc: c.first.doc, have: c.haveOf(ctx, c.first.doc)}})
		if err != nil {
			c.log.Debug("records not fetched", "peer", node, "err", err) // the feed brings them
		}
	}
	shard := flowbus.Shard(c.first.doc)
	last, err := c.bus.Feed().Last(ctx, shard)
	if s := c.shards[shard].status(); !known || err != nil || s.Received < last || s.Pending > 0 {
		return false
	}
	return c.cfg.Settle == nil || c.cfg.Settle(ctx) == nil
}
