package cluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/repo"
)

const (
	relayEntries = 1024    // journal entries in one chunk
	relayBytes   = 2 << 20 // and the bytes of their changes
	relayPace    = 5 * time.Millisecond
	keptBytes    = 8 << 20 // of changes kept so that they are not read again
	relayTries   = 3       // to read an entry before it is left to the comparison
)

// relay brings the journal to the feed.
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
		if len(k.sends) > 0 {
			sleep(ctx, relayPace) // what comes meanwhile goes together
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

// readChunk reads entries of the journal and joins those of each document.
func (c *Cluster) readChunk(ctx context.Context, after uint64) (*chunk, error) {
	k := &chunk{upTo: after}
	var items []liveItem
	bytes, entries := 0, 0
	for e, err := range c.repo.Journal(after) {
		if err != nil {
			return nil, err
		}
		if entries == relayEntries || bytes >= relayBytes {
			break
		}
		entries++
		k.upTo = e.Seq
		if e.Remote {
			continue
		}
		item, ok := c.relay.takeKept(e.Seq)
		if !ok {
			if item, err = c.readEntry(ctx, e); err != nil {
				return nil, err
			}
		}
		if len(item.changes) > 0 {
			items = append(items, item)
			bytes += item.bytes()
		}
	}
	c.relay.dropKept(k.upTo)
	for _, item := range byDocument(items) {
		shard := flowbus.Shard(item.doc)
		subject := item.doc.String()
		for _, m := range c.messages(item.doc, item.origin, item.changes) {
			id := subject + ":" + m.last.String()[:32] + ":" + strconv.Itoa(m.changes)
			k.sends = append(k.sends, &send{shard: shard, subject: subject, id: id, data: m.data})
		}
	}
	return k, nil
}

// readEntry reads the changes of an entry from the document's log. What cannot
// be read is left to the comparison of digests.
func (c *Cluster) readEntry(ctx context.Context, e repo.Entry) (liveItem, error) {
	item := liveItem{doc: e.Doc}
	var err error
	for range relayTries {
		item.changes, err = c.readChanges(ctx, e)
		if err == nil || ctx.Err() != nil || !errors.Is(err, kaijutsu.ErrUnavailable) || errors.Is(err, repo.ErrDeleted) {
			break
		}
		sleep(ctx, 100*time.Millisecond)
	}
	switch {
	case ctx.Err() != nil:
		return item, ctx.Err()
	case errors.Is(err, repo.ErrDeleted), errors.Is(err, kaijutsu.ErrNotFound):
		return liveItem{}, nil
	case err != nil:
		c.log.Warn("changes not relayed", "document", e.Doc, "from", e.From, "err", err)
		return liveItem{}, nil
	}
	if origin, err := c.repo.Origin(ctx, e.Doc); err == nil && c.begins(e, origin) {
		item.origin = origin
	}
	return item, nil
}

// readChanges reads all of an entry: Raw may return it in pieces.
func (c *Cluster) readChanges(ctx context.Context, e repo.Entry) ([]repo.Change, error) {
	var changes []repo.Change
	for uint64(len(changes)) < e.N {
		more, err := c.repo.Raw(ctx, e.Doc, e.From+uint64(len(changes)), e.N-uint64(len(changes)))
		if err != nil {
			return nil, err
		}
		if len(more) == 0 {
			return nil, fmt.Errorf("the log ends at %d, want %d: %w", e.From+uint64(len(changes)), e.From+e.N, kaijutsu.ErrNotFound)
		}
		changes = append(changes, more...)
	}
	return changes, nil
}

// begins reports whether an entry has the beginning of its document's log.
func (c *Cluster) begins(e repo.Entry, origin repo.Origin) bool {
	return e.From == 0 || origin.Base != nil && e.From == origin.Base.Changes
}

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
