package cluster

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"kaijutsu/flowbus"
)

const (
	relayEntries = 1024    // journal entries in one chunk
	relayBytes   = 2 << 20 // and the bytes of their changes
	relayPace    = 50 * time.Millisecond
	keptBytes    = 8 << 20 // of changes kept so that they are not read again
	relayTries   = 3       // to read an entry before it is left to the comparison
)

// relay brings the journal to the feed. It takes its time, relayPace, unless
// there is a lot: what is written to a document meanwhile is one record, and
// the live copy, which is what people wait for, is there before it.
type relay struct {
	wake   chan struct{}
	chunks chan *chunk // sent, in order; bounded: reading waits for acks

	skipTo  atomic.Uint64 // entries up to here are not relayed any more
	skipped atomic.Int64  // entries that were not
	// skippedAt is when that last happened; not nil once it did.
	skippedAt atomic.Pointer[time.Time]

	mu    sync.Mutex
	kept  map[uint64]liveItem // by journal number
	bytes int
}

func newRelay() *relay {
	return &relay{wake: make(chan struct{}, 1), chunks: make(chan *chunk, 4), kept: make(map[uint64]liveItem)}
}

func (r *relay) poke() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// keep keeps what was committed until it is relayed, if there is room.
func (r *relay) keep(seq uint64, item liveItem) {
	n := item.bytes()
	r.mu.Lock()
	if r.bytes+n <= keptBytes {
		r.kept[seq] = item
		r.bytes += n
	}
	r.mu.Unlock()
	r.poke()
}

// takeKept returns what was kept of an entry, and keeps it no longer.
func (r *relay) takeKept(seq uint64) (liveItem, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	item, ok := r.kept[seq]
	if ok {
		delete(r.kept, seq)
		r.bytes -= item.bytes()
	}
	return item, ok
}

// dropKept forgets what was noted late, after its entry had been read.
func (r *relay) dropKept(upTo uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for seq, item := range r.kept {
		if seq <= upTo {
			delete(r.kept, seq)
			r.bytes -= item.bytes()
		}
	}
}

// chunk is some entries of the journal on their way to the feed.
type chunk struct {
	upTo  uint64
	full  bool // more follows
	sends []*send
}

// send is one message to the feed.
type send struct {
	shard       int
	subject, id string
	data        []byte
	ack         *flowbus.Ack
}

// runRelay reads the journal while NATS is there.
func (c *Cluster) runRelay(ctx context.Context) {
	at := c.marks.relayed()
	for ctx.Err() == nil {
		at = c.skipAhead(ctx, at)
		if !c.connected.Load() {
			c.awaitRelay(ctx, time.Second)
			continue
		}
		k, err := c.readChunk(ctx, at)
		if err != nil {
			if ctx.Err() == nil {
				c.log.Warn("journal not read", "err", err)
			}
			sleep(ctx, time.Second)
			continue
		}
		if k.upTo == at {
			c.awaitRelay(ctx, time.Second)
			sleep(ctx, relayPace)
			continue
		}
		for _, s := range k.sends {
			c.append(ctx, s)
		}
		at = k.upTo
		select {
		case c.relay.chunks <- k:
		case <-ctx.Done():
			return
		}
		if !k.full {
			sleep(ctx, relayPace)
		}
	}
}

// awaitRelay waits until there may be something to relay.
func (c *Cluster) awaitRelay(ctx context.Context, most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-c.relay.wake:
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (c *Cluster) append(ctx context.Context, s *send) {
	s.ack = c.bus.Feed().Append(ctx, s.shard, s.subject, s.id, s.data)
}
