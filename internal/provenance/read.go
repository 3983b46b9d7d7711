package provenance

import (
	"cmp"
	"errors"
	"maps"
	"slices"
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

// portion is how many blocks are read, or taken over, at a time, so that neither
// the document's owner nor those who ask the index wait long.
const portion = 300

// readDocument reads what was touched of a document.
func (ix *Index) readDocument(t *touch) error {
	if t.gone {
		ix.mu.Lock()
		defer ix.mu.Unlock()
		ix.forgetLocked(t.doc)
		return nil
	}
	heads, err := ix.readBlocks(t)
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
	ix.mu.Lock()
	b := ix.bookLocked(t.doc)
	if b.heads = heads; err == nil && t.later != nil && ix.queue.waiting[t.doc] == nil {
		b.heads = t.later // nothing of interest came since
	}
	ix.changed = true
	ix.mu.Unlock()
	ix.place(t.doc)
	return err
}

// readBlocks takes over what was touched of a document, and returns its heads
// when that began.
func (ix *Index) readBlocks(t *touch) (kaijutsu.Heads, error) {
	if t.all {
		return ix.readAll(t.doc)
	}
	var heads kaijutsu.Heads // views write it, and may run on when they were given up
	for ids := range slices.Chunk(slices.Collect(maps.Keys(t.blocks)), portion) {
		var found []raw
		known := ix.entriesOf(t.doc, ids)
		err := ix.cfg.Repo.View(repo.InPassing(ix.ctx), t.doc, func(v repo.View) error {
			found = found[:0]
			if heads == nil {
				heads = v.Heads
			}
			made := makingsOf(v, known)
			for _, id := range ids {
				if s, ok := v.Model().Summary(id); ok && v.IsContext() {
					if r, ok := rawOf(v, made, s); ok {
						found = append(found, r)
					}
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		ix.apply(t.doc, found, ids)
	}
	if heads == nil { // it was touched for its markers only
		err := ix.cfg.Repo.View(repo.InPassing(ix.ctx), t.doc, func(v repo.View) error {
			heads = v.Heads
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return heads, nil
}

// readAll takes over a whole document.
func (ix *Index) readAll(doc kaijutsu.DocumentID) (kaijutsu.Heads, error) {
	var heads kaijutsu.Heads
	var found []raw
	err := ix.cfg.Repo.View(repo.InPassing(ix.ctx), doc, func(v repo.View) error {
		if heads, found = v.Heads, found[:0]; !v.IsContext() {
			return nil
		}
		made := makingsOf(v, nil)
		for s := range v.Model().Everything() {
			if r, ok := rawOf(v, made, s); ok {
				found = append(found, r)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	there := make(map[blocks.ID]struct{}, len(found))
	for _, r := range found {
		there[r.id] = struct{}{}
	}
	var gone []blocks.ID
	ix.mu.Lock()
	b := ix.bookLocked(doc)
	if b.heads == nil {
		b.heads = heads // what comes now is a touch of some blocks
	}
	for id := range b.entries {
		if _, ok := there[id]; !ok {
			gone = append(gone, id)
		}
	}
	ix.mu.Unlock()
	for ids := range slices.Chunk(gone, portion) {
		ix.apply(doc, nil, ids)
	}
	for some := range slices.Chunk(found, portion) {
		ix.apply(doc, some, nil)
	}
	return heads, nil
}

// bookLocked returns a document's book, a new one if need be.
func (ix *Index) bookLocked(doc kaijutsu.DocumentID) *book {
	b := ix.books[doc]
	if b == nil {
		b = &book{}
		ix.books[doc] = b
	}
	return b
}

// apply makes what was found of some blocks that of the index. Of those blocks
// that are named and were not found there is nothing.
func (ix *Index) apply(doc kaijutsu.DocumentID, found []raw, named []blocks.ID) {
	entries := make(map[blocks.ID]*entry, len(found))
	for _, r := range found {
		if e := ix.entryOf(doc, r); e != nil {
			entries[r.id] = e
		}
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	b := ix.bookLocked(doc)
	for _, id := range named {
		if entries[id] == nil && b.entries[id] != nil {
			ix.putLocked(doc, b, id, nil)
		}
	}
	for _, r := range found {
		if e := entries[r.id]; e != nil || b.entries[r.id] != nil {
			ix.putLocked(doc, b, r.id, e)
		}
	}
}
