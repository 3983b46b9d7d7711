package provenance

import (
	"context"
	"fmt"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/internal/guard"
)

var errClosed = fmt.Errorf("the index of drifts is closed: %w", kaijutsu.ErrUnavailable)

// Index knows the drift blocks and citations of all contexts. It is safe for
// concurrent use.
type Index struct {
	cfg      Config
	alone    bool          // there are no other nodes
	readable chan struct{} // holds a token when there may be something to read
	keepable chan struct{} // holds a token when there may be something to judge or write
	scanned  chan struct{} // closed when the store's documents have been listed
	ctx      context.Context
	cancel   context.CancelFunc
	running  sync.WaitGroup
	closing  sync.Once
	unwatch  func() // ends the watch of markers

	mu       sync.Mutex
	books    map[kaijutsu.DocumentID]*book    // guarded by mu
	citing   map[kaijutsu.DocumentID]struct{} // guarded by mu; documents that have entries
	receipts map[string][]receipt             // guarded by mu; by drift
	changed  bool                             // guarded by mu; since the cache was written
	queue    queue                            // guarded by mu
	readers                                   // guarded by mu

	spans   map[spanKey]*span               // guarded by mu
	sources map[kaijutsu.DocumentID]*source // guarded by mu
	keeper                                  // guarded by mu
}

// Start reads the cache, and what it does not have in the background. Whoever
// starts the Repo has it tell Note of every commit. Close the Index before the
// Kernel, the Table and the Repo.
func Start(cfg Config) (*Index, error) {
	if cfg.Name == "" {
		cfg.Name = "main"
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Hidden == nil {
		cfg.Hidden = func(kaijutsu.DocumentID) bool { return false }
	}
	ix := &Index{
		cfg:      cfg,
		alone:    cfg.Bus == nil || cfg.Bus.Embedded(),
		readable: make(chan struct{}, 1),
		keepable: make(chan struct{}, 1),
		scanned:  make(chan struct{}),
		books:    make(map[kaijutsu.DocumentID]*book),
		citing:   make(map[kaijutsu.DocumentID]struct{}),
		receipts: make(map[string][]receipt),
		queue:    queue{waiting: make(map[kaijutsu.DocumentID]*touch), rests: make(map[kaijutsu.DocumentID]time.Duration)},
		readers:  newReaders(),
		spans:    make(map[spanKey]*span),
		sources:  make(map[kaijutsu.DocumentID]*source),
		keeper:   newKeeper(),
	}
	ix.ctx, ix.cancel = context.WithCancel(context.Background())
	ix.watchMarkers()
	ix.running.Go(guard.Keep(ix.cfg.Log, "reader of citations", ix.ctx.Done(), ix.read))
	ix.running.Go(guard.Keep(ix.cfg.Log, "keeper of citations", ix.ctx.Done(), ix.keep))
	if !ix.alone {
		ix.running.Go(guard.Keep(ix.cfg.Log, "leader of citations", ix.ctx.Done(), ix.stand))
	}
	return ix, nil
}

// Close writes the cache and waits for what runs.
func (ix *Index) Close() error {
	ix.closing.Do(func() {
		ix.unwatch()
		ix.cancel()
		ix.running.Wait()
		ix.save()
	})
	return nil
}

// Has reports whether a context holds a drift block of this fingerprint that is
// not deleted.
func (ix *Index) Has(doc kaijutsu.DocumentID, fingerprint string) bool {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	b := ix.books[doc]
	return b != nil && b.findings[fingerprint] > 0
}
