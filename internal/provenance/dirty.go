package provenance

import (
	"context"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

const (
	// rest is how long a touched document is left alone before it is read,
	// unless somebody waits for it. One that takes long to read rests 20 times
	// as long.
	rest    = 20 * time.Millisecond
	maxRest = 10 * time.Second
	// maxTouched is the number of touched blocks above which all are read.
	maxTouched = 20_000
	// reads are the ways to touch a block that may alter its entry.
	reads = blocks.TouchInserted | blocks.TouchMeta | blocks.TouchDeleted | blocks.TouchRestored
)

// touch is a document to be read, and what of it.
type touch struct {
	doc       kaijutsu.DocumentID
	due       time.Time
	blocks    map[blocks.ID]struct{}
	all, gone bool

	taken, urgent bool
	later         kaijutsu.Heads // what was told while it was read
	done          chan struct{}  // closed when it was read
	err           error          // set before done is closed
}

// queue holds what is to be read. Fields are guarded by Index.mu.
type queue struct {
	waiting map[kaijutsu.DocumentID]*touch
	reading *touch
	urgent  []*touch
	later   []*touch // in the order they came
	rests   map[kaijutsu.DocumentID]time.Duration
}

// touchLocked marks a document to be read.
func (ix *Index) touchLocked(doc kaijutsu.DocumentID) *touch {
	q := &ix.queue
	t := q.waiting[doc]
	if t == nil {
		t = &touch{doc: doc, done: make(chan struct{}), blocks: make(map[blocks.ID]struct{})}
		t.due = time.Now().Add(max(rest, q.rests[doc]))
		q.waiting[doc] = t
		q.later = append(q.later, t)
		poke(ix.readable)
	}
	return t
}

// touchAllLocked marks a whole document to be read.
func (ix *Index) touchAllLocked(doc kaijutsu.DocumentID) { ix.touchLocked(doc).all = true }

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Note tells the index what was committed. Document owners call it; it returns
// at once.
func (ix *Index) Note(c repo.Committed) {
	if ix.cfg.Hidden(c.Doc) {
		return
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	b := ix.books[c.Doc]
	switch {
	case c.Deleted:
		ix.touchLocked(c.Doc).gone = true
	case b == nil || b.heads == nil || c.All || c.Deltas == nil || c.Base != nil:
		ix.touchAllLocked(c.Doc)
	default:
		ix.noteDeltasLocked(b, &c)
	}
	if len(ix.unplaced) > 0 {
		if _, ok := ix.unplaced[c.Doc]; ok && !c.Deleted {
			ix.touchLocked(c.Doc) // a marker waits for changes
		}
	}
	q := &ix.queue
	switch {
	case q.reading != nil && q.reading.doc == c.Doc:
		q.reading.later = c.Heads
	case b != nil && q.waiting[c.Doc] == nil && b.heads.Equal(c.Before):
		b.heads, ix.changed = c.Heads, true
	}
	if s := ix.sources[c.Doc]; s != nil {
		ix.stirLocked(s, &c)
	}
}

// noteDeltasLocked marks the blocks whose entries a commit may have altered.
func (ix *Index) noteDeltasLocked(b *book, c *repo.Committed) {
	for i := range c.Deltas {
		for _, touched := range c.Deltas[i].Blocks {
			how := touched.How & reads
			if how == 0 {
				continue
			}
			if how&(blocks.TouchInserted|blocks.TouchMeta) == 0 && b.entries[touched.ID] == nil && ix.queue.waiting[c.Doc] == nil && ix.queue.reading == nil {
				continue
			}
			t := ix.touchLocked(c.Doc)
			if t.blocks[touched.ID] = struct{}{}; len(t.blocks) > maxTouched {
				t.all = true
				clear(t.blocks)
			}
		}
	}
}

// take returns what is to be read now; or nil and how long until something is,
// 0 when nothing waits.
func (ix *Index) take(now time.Time) (t *touch, wait time.Duration) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	q := &ix.queue
	for _, list := range [...]*[]*touch{&q.urgent, &q.later} {
		for len(*list) > 0 {
			t := (*list)[0]
			if !t.taken && list == &q.later && t.due.After(now) {
				return nil, t.due.Sub(now)
			}
			(*list)[0] = nil
			*list = (*list)[1:]
			if t.taken {
				continue
			}
			t.taken = true
			delete(q.waiting, t.doc)
			q.reading = t
			return t, 0
		}
	}
	return nil, 0
}

// finish says that what was taken was read, and how long that took.
func (ix *Index) finish(t *touch, took time.Duration, err error) {
	ix.mu.Lock()
	q := &ix.queue
	q.reading = nil
	delete(q.rests, t.doc)
	if took*20 > rest {
		q.rests[t.doc] = min(took*20, maxRest)
	}
	t.err = err
	close(t.done)
	ix.movedLocked()
	ix.mu.Unlock()
	poke(ix.keepable)
}

// hurryLocked has documents read at once, all when none are named, and returns
// what is to be waited for.
func (ix *Index) hurryLocked(docs []kaijutsu.DocumentID) []*touch {
	q := &ix.queue
	var list []*touch
	want := func(t *touch) {
		if t != nil && !t.taken && !t.urgent {
			t.urgent = true
			q.urgent = append(q.urgent, t)
		}
		if t != nil {
			list = append(list, t)
		}
	}
	if len(docs) == 0 {
		for _, t := range q.waiting {
			want(t)
		}
		want(q.reading)
	}
	for _, doc := range docs {
		want(q.waiting[doc])
		if q.reading != nil && q.reading.doc == doc {
			want(q.reading)
		}
	}
	poke(ix.readable)
	return list
}

// Settle waits until the index has what is on disk now of these documents, of
// all when none are named.
func (ix *Index) Settle(ctx context.Context, docs ...kaijutsu.DocumentID) error {
	if err := ix.await(ctx, ix.scanned); err != nil {
		return err
	}
	ix.mu.Lock()
	list := ix.hurryLocked(docs)
	ix.mu.Unlock()
	for _, t := range list {
		if err := ix.await(ctx, t.done); err != nil {
			return err
		}
		if t.err != nil && len(docs) > 0 {
			return t.err
		}
	}
	return nil
}

// await waits until a channel is closed.
func (ix *Index) await(ctx context.Context, c <-chan struct{}) error {
	select {
	case <-c:
		return nil
	default:
	}
	select {
	case <-c:
		return nil
	case <-ix.ctx.Done():
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}
