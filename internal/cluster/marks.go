package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/planted"
	"kaijutsu/internal/store"
)

// marksRecord is the store's record of how far this node got.
const marksRecord = "cluster/marks"

// marks say how far the node's own changes were relayed, and to where the feed
// was read: everything before is on disk here. They may be behind, which makes
// a restart send and read some things twice, and never ahead.
type marks struct {
	fresh bool // there were none: the node is new in this cluster

	mu      sync.Mutex
	relay   uint64
	cursors [flowbus.Shards]flowbus.Cursor
	saved   []byte
}

// loadMarks reads the marks. A node that has none begins at the end of its
// journal: what is before gets to the others by comparing digests.
func (c *Cluster) loadMarks() (*marks, error) {
	m := &marks{}
	data, err := c.store.Record(marksRecord)
	switch {
	case errors.Is(err, kaijutsu.ErrNotFound):
		m.fresh, m.relay = true, c.journalEnd()
		return m, nil
	case err != nil:
		return nil, err
	}
	if err := m.decode(data); err != nil {
		c.log.Warn("the cluster's marks cannot be read: starting anew", "err", err)
		m = &marks{fresh: true, relay: c.journalEnd()}
	}
	if end := c.journalEnd(); m.relay > end { // a backup was restored
		m.relay, m.fresh, m.cursors = end, true, [flowbus.Shards]flowbus.Cursor{}
	}
	return m, nil
}

func (c *Cluster) journalEnd() uint64 {
	_, last := c.repo.JournalEnds()
	return last
}

const marksFormat = 1

// encode writes the format, the relayed number, and the cursors as texts.
func (m *marks) encode() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := writer{}
	w.byte(marksFormat)
	w.uint(m.relay)
	w.uint(uint64(len(m.cursors)))
	for _, cursor := range m.cursors {
		text, err := cursor.MarshalText()
		if err != nil {
			return nil, err
		}
		w.bytes(text)
	}
	return w.b, nil
}

func (m *marks) decode(data []byte) error {
	r := reader{b: data}
	if r.byte() != marksFormat {
		r.fail("its format is not known")
	}
	m.relay = r.uint(1 << 62)
	if n := r.uint(1024); r.err == nil && n != flowbus.Shards {
		return fmt.Errorf("marks of %d shards, there are %d: %w", n, flowbus.Shards, kaijutsu.ErrInvalid)
	}
	for i := range m.cursors {
		if text := r.bytes(4096); r.err == nil {
			if err := m.cursors[i].UnmarshalText(text); err != nil {
				return fmt.Errorf("cursor of shard %d: %w", i, err)
			}
		}
	}
	return named("marks", r.done())
}

func (m *marks) relayed() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.relay
}

func (m *marks) setRelayed(seq uint64) {
	m.mu.Lock()
	m.relay = max(m.relay, seq)
	m.mu.Unlock()
}

func (m *marks) cursor(shard int) flowbus.Cursor {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cursors[shard]
}

func (m *marks) setCursor(shard int, cursor flowbus.Cursor) {
	m.mu.Lock()
	m.cursors[shard] = cursor
	m.mu.Unlock()
}

// save writes the marks if they moved. Only one goroutine may call it at a time.
func (m *marks) save(ctx context.Context, s *store.Store) error {
	data, err := m.encode()
	if err != nil || slices.Equal(data, m.saved) {
		return err
	}
	if err := s.PutRecord(ctx, marksRecord, data); err != nil {
		return fmt.Errorf("store the cluster's marks: %w", err)
	}
	m.saved = data
	return nil
}

// saveMarks saves while the cluster runs, and prunes the journal behind them.
func (c *Cluster) saveMarks(ctx context.Context) {
	for first := true; first || sleep(ctx, c.tune.save); first = false {
		if err := c.marks.save(ctx, c.store); err != nil {
			if ctx.Err() == nil {
				c.log.Debug("marks not stored", "err", err) // the store says so itself
			}
			continue
		}
		c.prune(ctx, c.marks.relayed())
	}
}

const (
	journalKept = 1 << 16 // entries that stay for who resumes
	pruneStep   = 1 << 12 // entries worth a prune
)

// prune shortens the journal to its newest entries, up to a number.
func (c *Cluster) prune(ctx context.Context, upTo uint64) {
	first, last := c.repo.JournalEnds()
	if planted.On("journal-cut") {
		_ = c.repo.PruneJournal(ctx, last)
	}
	if last < journalKept {
		return
	}
	upTo = min(upTo, last-journalKept)
	if upTo < first+pruneStep {
		return
	}
	if err := c.repo.PruneJournal(ctx, upTo); err != nil && ctx.Err() == nil {
		c.log.Debug("journal not pruned", "err", err) // tried again
	}
}

// pruneEmbedded is all there is to do for a node that is alone.
func (c *Cluster) pruneEmbedded(ctx context.Context) {
	every := 5 * c.tune.announce
	if planted.On("journal-cut") {
		every /= 50
	}
	for sleep(ctx, every) {
		c.prune(ctx, c.journalEnd())
	}
}
