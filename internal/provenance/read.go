package provenance

import (
	"cmp"
	"errors"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// saveEvery is how often a changed index is written to the cache.
const saveEvery = 5 * time.Minute

// read keeps the index in step until Close.
func (ix *Index) read() {
	ix.scan()
	saved := time.Now()
	for ix.ctx.Err() == nil {
		if time.Since(saved) > saveEvery {
			ix.save()
			saved = time.Now()
		}
		t, wait := ix.take(time.Now())
		if t != nil {
			began := time.Now()
			err := ix.readDocument(t)
			ix.finish(t, time.Since(began), err)
			continue
		}
		ix.idle(ix.readable, cmp.Or(wait, saveEvery))
	}
}

// idle waits until there may be something to do, or for so long.
func (ix *Index) idle(wake <-chan struct{}, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ix.ctx.Done():
	case <-wake:
	case <-timer.C:
	}
}

// scan takes what the cache has right, and marks the other documents.
func (ix *Index) scan() {
	defer close(ix.scanned)
	kept := ix.load()
	for doc, err := range ix.cfg.Store.Documents() {
		if err != nil {
			ix.cfg.Log.Error("list documents for the index of drifts", "err", err)
			return
		}
		if ix.ctx.Err() != nil {
			return
		}
		if ix.cfg.Hidden(doc) {
			continue
		}
		info, err := ix.cfg.Store.Info(ix.ctx, doc)
		row := kept.book(doc)
		ix.mu.Lock()
		switch {
		case ix.books[doc] != nil || ix.queue.waiting[doc] != nil || ix.queue.reading != nil && ix.queue.reading.doc == doc:
			// it was told of meanwhile
		case err != nil || row == nil || !info.Heads.Equal(row.heads):
			ix.touchAllLocked(doc)
		default:
			b := &book{heads: row.heads}
			ix.books[doc] = b
			for _, e := range row.entries {
				ix.putLocked(doc, b, e.id, e)
			}
		}
		ix.mu.Unlock()
		ix.place(doc)
	}
	ix.trust(kept)
}

// readDocument reads what was touched of a document.
func (ix *Index) readDocument(t *touch) error {
	if t.gone {
		ix.mu.Lock()
		defer ix.mu.Unlock()
		ix.forgetLocked(t.doc)
		return nil
	}
	var heads kaijutsu.Heads
	var found []raw
	err := ix.cfg.Repo.View(ix.ctx, t.doc, func(v repo.View) error {
		heads, found = v.Heads, found[:0]
		switch {
		case !v.IsContext():
		case t.all:
			for s := range v.Model().Everything() {
				if r, ok := rawOf(v, s); ok {
					found = append(found, r)
				}
			}
		default:
			for id := range t.blocks {
				if s, ok := v.Model().Summary(id); ok {
					if r, ok := rawOf(v, s); ok {
						found = append(found, r)
					}
				}
			}
		}
		return nil
	})
	switch {
	case errors.Is(err, kaijutsu.ErrNotFound):
		ix.mu.Lock()
		defer ix.mu.Unlock()
		ix.forgetLocked(t.doc)
		return nil
	case ix.ctx.Err() != nil:
		return errClosed
	case err != nil:
		ix.cfg.Log.Warn("document left out of the index of drifts", "document", t.doc, "err", err)
	}
	entries := make(map[blocks.ID]*entry, len(found))
	for _, r := range found {
		if e := ix.entryOf(t.doc, r); e != nil {
			entries[r.id] = e
		}
	}
	ix.apply(t, heads, entries, err == nil)
	ix.place(t.doc)
	return err
}

// apply makes what was read that of the index.
func (ix *Index) apply(t *touch, heads kaijutsu.Heads, entries map[blocks.ID]*entry, ok bool) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	b := ix.books[t.doc]
	if b == nil {
		b = &book{}
		ix.books[t.doc] = b
	}
	ix.changed = true
	if b.heads = nil; !ok {
		return
	}
	if t.all {
		for id := range b.entries {
			if entries[id] == nil {
				ix.putLocked(t.doc, b, id, nil)
			}
		}
	}
	for id := range t.blocks {
		if entries[id] == nil && b.entries[id] != nil && !t.all {
			ix.putLocked(t.doc, b, id, nil)
		}
	}
	for id, e := range entries {
		ix.putLocked(t.doc, b, id, e)
	}
	b.heads = heads
	if t.later != nil && ix.queue.waiting[t.doc] == nil {
		b.heads = t.later // nothing of interest came since
	}
}
