package repo_test

import (
	"sync"
	"testing"

	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// TestBatchesAreMeasured has an editor's change told with how long it took, and
// with no text of it.
func TestBatchesAreMeasured(t *testing.T) {
	var mu sync.Mutex
	var told []repo.Batch
	h := open(t, t.TempDir(), func(c *repo.Config, _ *store.Options) {
		c.Took = func(b repo.Batch) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, b)
		}
	})
	id := newDocument(t)
	a, b := newReplica(t), newReplica(t)
	a.put(1)
	a.join(h, id)
	b.join(h, id)
	b.until("the other has the change", func() bool { return b.graph.Len() == 1 })
	mu.Lock()
	defer mu.Unlock()
	if len(told) != 1 {
		t.Fatalf("%d batches told, want 1: %+v", len(told), told)
	}
	if got := told[0]; got.Changes != 1 || got.Bytes == 0 || got.Began.IsZero() || got.Took <= 0 || got.Remote {
		t.Errorf("batch told as %+v, want one local change, its bytes and how long it took", got)
	}
}
