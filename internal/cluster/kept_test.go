package cluster

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// TestKeptIsWhatItCounts edits while NATS is away: what the relay keeps takes
// the memory that it counts, and not that of decoded changes.
func TestKeptIsWhatItCounts(t *testing.T) {
	const edits, length, spare = 8, 50_000, 8 << 20 // decoded, the changes take 60 MB
	s := newStreet(t)
	a := s.house("a")
	doc := a.create("x")
	a.relayed()
	s.stop()
	a.await("it has noticed that NATS is away", func() bool { return !a.cluster.connected.Load() })
	for range edits {
		_, err := a.repo.Edit(context.Background(), doc, repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error {
			return tx.InsertBlock(blocks.BlockSpec{ID: blocks.NewID(time.Now()), Content: strings.Repeat("a", length)})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	r := a.cluster.relay
	with := heap()
	r.mu.Lock()
	counted := r.bytes
	for seq, item := range r.kept {
		for _, c := range item.changes {
			if len(c.Ops) > 0 || c.Steps != nil || len(c.Raw) == 0 {
				t.Errorf("entry %d is kept with %d operations, %d steps and %d bytes", seq, len(c.Ops), len(c.Steps), len(c.Raw))
			}
		}
	}
	r.mu.Unlock()
	if counted < edits*length {
		t.Errorf("%d bytes are kept, want at least %d", counted, edits*length)
	}
	r.dropKept(1 << 60)
	if took := with - heap(); took > int64(counted+spare) {
		t.Errorf("what was kept took %d bytes and counted as %d", took, counted)
	}
}
