package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

var errClosed = fmt.Errorf("search index closed: %w", kaijutsu.ErrUnavailable)

// Config says what an Index is made of. All fields but Hidden are required.
type Config struct {
	Repo  *repo.Repo
	Store *store.Store
	Dir   string // for the cache; made when it does not exist
	Log   *slog.Logger
	// Hidden reports documents that are not to be found; nil: there are none.
	Hidden func(kaijutsu.DocumentID) bool
}

// Index finds blocks. It is safe for concurrent use.
type Index struct {
	cfg     Config
	queue   *queue
	scanned chan struct{} // closed when the store's documents have been listed
	quit    chan struct{}
	ctx     context.Context // ends with the Index; for the worker's reading
	cancel  context.CancelFunc
	running sync.WaitGroup
	closing sync.Once

	// The worker's.
	changed bool      // since the files were written
	saved   time.Time // when they were

	mu     sync.RWMutex
	table  *table
	texts  *texts
	failed map[kaijutsu.DocumentID]time.Time // documents that could not be read, and when
	err    error
}

// Start opens the cache in cfg.Dir, or begins anew, and starts the worker,
// which reads what has changed in the meantime. The caller closes the Index
// before the Repo.
func Start(cfg Config) (*Index, error) {
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("open search index: %w", err)
	}
	if cfg.Hidden == nil {
		cfg.Hidden = func(kaijutsu.DocumentID) bool { return false }
	}
	ix := &Index{
		cfg:     cfg,
		queue:   newQueue(),
		scanned: make(chan struct{}),
		quit:    make(chan struct{}),
		failed:  make(map[kaijutsu.DocumentID]time.Time),
		saved:   time.Now(),
	}
	var err error
	if ix.table, ix.texts, err = load(cfg.Dir); err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			cfg.Log.Warn("search index is damaged and made anew", "err", err)
		}
		ix.table = newTable()
		if ix.texts, err = createTexts(cfg.Dir, 1); err != nil {
			return nil, fmt.Errorf("open search index: %w", err)
		}
	}
	removeOtherTexts(cfg.Dir, ix.texts.gen)
	ix.ctx, ix.cancel = context.WithCancel(context.Background())
	ix.running.Go(guard.Keep(ix.cfg.Log, "search index", ix.ctx.Done(), ix.work))
	return ix, nil
}

// Note marks what a commit touched. Document owners call it; it returns at
// once.
func (ix *Index) Note(c repo.Committed) {
	if !ix.cfg.Hidden(c.Doc) {
		ix.queue.note(c)
	}
}

// Close ends the worker and writes the files. Searches under way end with an
// error that wraps kaijutsu.ErrUnavailable.
func (ix *Index) Close() error {
	var err error
	ix.closing.Do(func() {
		close(ix.quit)
		ix.cancel()
		ix.running.Wait()
		if ix.changed {
			err = ix.save()
		}
		ix.texts.release()
	})
	return err
}

// Stats are what the index holds.
type Stats struct {
	Documents, Blocks int
	ContentBytes      int64 // of the blocks
	Trigrams          int
	PostingBytes      int64 // in memory
	Waiting           int   // documents touched and not read since
}

// Stats returns the counters.
func (ix *Index) Stats() Stats {
	ix.queue.mu.Lock()
	waiting := len(ix.queue.waiting)
	ix.queue.mu.Unlock()
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	s := Stats{
		Documents: len(ix.table.byDoc), Blocks: ix.table.live, ContentBytes: ix.table.bytes,
		Trigrams: len(ix.table.grams.lists), Waiting: waiting,
	}
	for _, p := range ix.table.grams.lists {
		s.PostingBytes += int64(cap(p.b))
	}
	return s
}

// locateWait bounds how long Locate waits for documents of which it is not
// known what changed in them.
const locateWait = 2 * time.Second

// Locate returns the documents that hold a block, by id: several when contexts
// were forked. A deleted block is found where the index has seen it before it
// was deleted. While documents are read of which anything may have changed it
// waits for them, 2 seconds at most.
func (ix *Index) Locate(block blocks.ID) []kaijutsu.DocumentID {
	id, ok := raw(block)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ix.ctx, locateWait)
	defer cancel()
	select {
	case <-ix.scanned:
	case <-ctx.Done():
	}
	var found []kaijutsu.DocumentID
	unknown := ix.queue.hurry(func(_ kaijutsu.DocumentID, all bool) bool { return all })
	_ = await(ctx, unknown, ix.quit) // late: what is known is returned
	ix.queue.mu.Lock()
	for doc, t := range ix.queue.waiting {
		if _, ok := t.touched[block]; ok {
			found = append(found, doc)
		}
	}
	if t := ix.queue.reading; t != nil {
		if _, ok := t.touched[block]; ok {
			found = append(found, t.doc)
		}
	}
	ix.queue.mu.Unlock()
	ix.mu.RLock()
	for n := ix.table.byID[id]; n != 0; n = ix.table.blocks[n].next {
		found = append(found, ix.table.docs[ix.table.blocks[n].doc].id)
	}
	ix.mu.RUnlock()
	slices.SortFunc(found, kaijutsu.DocumentID.Compare)
	return slices.Compact(found)
}
