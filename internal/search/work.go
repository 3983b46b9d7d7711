package search

import (
	"errors"
	"slices"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

const (
	// saveEvery is how often changed tables are written.
	saveEvery = 5 * time.Minute
	// slackEntries and slackBytes are what may be dead beyond as much as is
	// live before the index is compacted.
	slackEntries = 10_000
	slackBytes   = 16 << 20
)

// work keeps the index in step until Close.
func (ix *Index) work() {
	ix.scan()
	save := time.NewTicker(saveEvery)
	defer save.Stop()
	for {
		select {
		case <-ix.quit:
			return
		case <-save.C:
			ix.saveNow()
		default:
		}
		t, wait := ix.queue.take(time.Now())
		if t != nil {
			began := time.Now()
			err := ix.read(t)
			ix.queue.finish(t, time.Since(began), err)
			ix.compactMaybe()
			continue
		}
		var due <-chan time.Time
		if wait > 0 {
			due = time.After(wait)
		}
		select {
		case <-ix.quit:
			return
		case <-ix.queue.wake:
		case <-due:
		case <-save.C:
			ix.saveNow()
		}
	}
}

// scan marks the documents whose heads in the store are not those in the
// tables, and drops those that the store no longer has.
func (ix *Index) scan() {
	defer close(ix.scanned)
	seen := make(map[kaijutsu.DocumentID]bool)
	for doc, err := range ix.cfg.Store.Documents() {
		if err != nil {
			ix.cfg.Log.Error("list documents for the search index", "err", err)
			ix.mu.Lock()
			ix.err = err
			ix.mu.Unlock()
			return
		}
		if ix.cfg.Hidden(doc) {
			continue
		}
		seen[doc] = true
		info, err := ix.cfg.Store.Info(ix.ctx, doc)
		n, known := ix.table.byDoc[doc]
		if err != nil || !known || !info.Heads.Equal(ix.table.docs[n].heads) {
			ix.queue.add(doc, func(t *touch) { t.all = true })
		}
		if ix.ctx.Err() != nil {
			return
		}
	}
	for _, d := range slices.Clone(ix.table.docs) {
		if !d.id.IsZero() && !seen[d.id] {
			ix.forget(d.id)
		}
	}
}

// forget takes a document out.
func (ix *Index) forget(doc kaijutsu.DocumentID) {
	ix.mu.Lock()
	ix.table.drop(doc)
	delete(ix.failed, doc)
	ix.mu.Unlock()
	ix.changed = true
}

// block is what the index keeps of a block that was read.
type block struct {
	id         rawID
	kind, role string
	content    string
	hidden     bool
}

// read reads what was touched of a document and updates the tables.
func (ix *Index) read(t *touch) error {
	if t.gone {
		ix.forget(t.doc)
		return nil
	}
	n, known := ix.table.byDoc[t.doc]
	whole := !known || t.all || t.order || t.again
	var heads kaijutsu.Heads
	var found []block
	err := ix.cfg.Repo.View(repo.InPassing(ix.ctx), t.doc, func(v repo.View) error {
		heads = v.Heads
		switch {
		case !v.IsContext():
			whole = true
		case whole:
			found = make([]block, 0, v.Len())
			shown := make(map[blocks.ID]bool)
			for s := range v.Model().Summaries() {
				found = appendBlock(found, v, s.ID, false)
				if _, ok := t.touched[s.ID]; ok {
					shown[s.ID] = true
				}
			}
			for id := range t.touched {
				if !shown[id] {
					found = appendBlock(found, v, id, true) // to be located, not to be found
				}
			}
		default:
			for id := range t.touched {
				found = appendBlock(found, v, id, false)
			}
		}
		return nil
	})
	switch {
	case errors.Is(err, kaijutsu.ErrNotFound):
		ix.forget(t.doc)
		return nil
	case ix.ctx.Err() != nil:
		return err
	case err == nil:
		if !known {
			n = 0
		}
		err = ix.update(t, n, heads, whole, found)
	}
	if err != nil {
		ix.cfg.Log.Warn("document left out of the search index", "document", t.doc, "err", err)
		ix.forget(t.doc)
		ix.mu.Lock()
		ix.failed[t.doc] = time.Now()
		ix.mu.Unlock()
	}
	return err
}

func appendBlock(list []block, v repo.View, id blocks.ID, hidden bool) []block {
	b, ok := v.Model().Block(id)
	key, valid := raw(id)
	if !ok || !valid {
		return list
	}
	return append(list, block{key, string(b.Kind), string(b.Role), b.Content, hidden})
}

// update brings the tables in step with what was read of document n, 0 when it
// is new: all of its blocks in order, or some whose order is as it was.
func (ix *Index) update(t *touch, n uint32, heads kaijutsu.Heads, whole bool, found []block) error {
	// What is new is written and taken apart before the lock is held: only
	// the worker changes the tables, so they are as they will be then.
	type fresh struct {
		off  int64
		sum  uint64
		keys []trigram
		new  bool
	}
	news := make([]fresh, len(found))
	var buf []byte
	for i, b := range found {
		content := []byte(b.content)
		news[i].sum = sumOf(content)
		old := uint32(0)
		if n != 0 {
			old = ix.table.find(n, b.id)
		}
		if e := &ix.table.blocks[old]; old != 0 && !t.again && e.sum == news[i].sum && int(e.size) == len(content) {
			continue
		}
		news[i].new = true
		news[i].off = int64(len(buf))
		news[i].keys = trigramsOf(b.content)
		buf = append(buf, content...)
	}
	base, err := ix.texts.add(buf)
	if err != nil {
		return err
	}

	ix.mu.Lock()
	defer ix.mu.Unlock()
	tb := ix.table
	n = tb.document(t.doc)
	d := &tb.docs[n]
	d.heads = heads
	delete(ix.failed, t.doc)
	ix.changed = true
	kept := make(map[uint32]bool)
	for i, b := range found {
		old := tb.find(n, b.id)
		pos := uint32(i)
		switch {
		case whole && b.hidden:
			pos = hidden
		case !whole && old != 0:
			pos = tb.blocks[old].pos
		case !whole:
			pos = hidden // a deleted block that was not known
		}
		number := old
		if news[i].new {
			number = tb.insert(entry{id: b.id, doc: n, off: base + news[i].off, size: uint32(len(b.content)), sum: news[i].sum}, news[i].keys)
			if old != 0 {
				tb.kill(old)
			}
			d.numbers = append(d.numbers, number)
		}
		e := &tb.blocks[number]
		e.pos, e.kind, e.role = pos, tb.wordOf(b.kind), tb.wordOf(b.role)
		kept[number] = true
	}
	d.numbers = slices.DeleteFunc(d.numbers, func(b uint32) bool { return tb.blocks[b].doc != n })
	if whole {
		for _, b := range d.numbers {
			if !kept[b] {
				tb.blocks[b].pos = hidden
			}
		}
	}
	return nil
}

// compactMaybe rewrites the index when more of it is dead than live.
func (ix *Index) compactMaybe() {
	dead := len(ix.table.blocks) - 1 - ix.table.live
	garbage := ix.texts.tail - ix.table.bytes
	if dead <= ix.table.live+slackEntries && garbage <= ix.table.bytes+slackBytes {
		return
	}
	if err := ix.compact(); err != nil {
		ix.cfg.Log.Warn("search index not compacted", "err", err)
	}
}

// compact writes the live contents to a new file and renumbers the tables.
// Searches go on meanwhile.
func (ix *Index) compact() error {
	to, err := createTexts(ix.cfg.Dir, ix.texts.gen+1)
	if err != nil {
		return err
	}
	c := ix.table.compacted()
	var damaged []kaijutsu.DocumentID
	var buf, batch []byte
	for n := 1; n < len(c.blocks); n++ {
		e := &c.blocks[n]
		var ok bool
		if buf, ok = ix.texts.read(e, buf); !ok {
			damaged = append(damaged, c.docs[e.doc].id)
		}
		e.off = to.tail + int64(len(batch))
		if batch = append(batch, buf...); len(batch) > 1<<20 || n == len(c.blocks)-1 {
			if _, err := to.add(batch); err != nil {
				to.release()
				return err
			}
			batch = batch[:0]
		}
	}
	ix.mu.Lock()
	old := ix.texts
	ix.table, ix.texts = c, to
	ix.mu.Unlock()
	old.release()
	for _, doc := range damaged {
		ix.queue.add(doc, func(t *touch) { t.again = true })
	}
	if err := ix.save(); err != nil {
		return err
	}
	removeOtherTexts(ix.cfg.Dir, to.gen)
	return nil
}

// saveNow writes the files when something has changed.
func (ix *Index) saveNow() {
	if !ix.changed {
		return
	}
	if err := ix.save(); err != nil {
		ix.cfg.Log.Warn("search index not saved", "err", err)
	}
}
