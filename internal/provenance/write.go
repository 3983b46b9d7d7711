package provenance

import (
	"cmp"
	"container/heap"
	"errors"
	"hash/maphash"
	"slices"
	"strconv"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/repo"
)

const (
	// writeEvery is the least time between two writes to one block.
	writeEvery = 100 * time.Millisecond
	// maxWait is how long a newer diff of a mark that stands waits at most, in
	// a context where few blocks cite. In one with many it is as much longer.
	maxWait = 5 * time.Second
	few     = 100
	// forgetHands is after how long it is forgotten how often was written.
	forgetHands = 10 * time.Minute
	// maxLook and maxBatch are how many blocks are looked at and written at a
	// time.
	maxLook  = 2000
	maxBatch = 200
	// commitCosts is how many times as long as looking and writing keeps a
	// document's owner busy the change keeps it that comes of it, both together.
	// Waiting for the disk does not.
	commitCosts = 2

	staleMessage = "op:drift_stale"
)

// oweLocked has a block looked at whose marks may have to be others.
func (ix *Index) oweLocked(at place) {
	if !ix.keeping {
		return
	}
	if _, ok := ix.withheld[at.doc]; ok {
		return // all of it is looked at when it is back
	}
	d := ix.owed[at.doc]
	if d == nil {
		d = &debt{doc: at.doc, now: make(map[blocks.ID]time.Time), later: make(map[blocks.ID]time.Time)}
		ix.owed[at.doc] = d
	}
	d.now[at.block] = time.Time{}
	delete(d.later, at.block)
	ix.owingLocked(d, time.Now())
}

// owingLocked has a debt paid at a time, when the document has rested.
func (ix *Index) owingLocked(d *debt, at time.Time) {
	at = d.pace.after(at)
	if d.pace.queued && !at.Before(d.pace.due) {
		return
	}
	d.pace.queued, d.pace.due = true, at
	heap.Push(&ix.agenda, errand{due: at, doc: d.doc, write: d})
	poke(ix.keepable)
}

// write writes for a few milliseconds what a document lacks.
func (ix *Index) write(d *debt) {
	if ix.cfg.Kernel.Archived(d.doc) {
		ix.mu.Lock()
		defer ix.mu.Unlock()
		if ix.keeping && ix.owed[d.doc] == d {
			ix.withheld[d.doc] = struct{}{}
			delete(ix.owed, d.doc)
		}
		return
	}
	list, next := ix.due(d)
	var took time.Duration // that the owner is kept busy
	var wrote []written
	var err error
	if len(list) > 0 {
		known := ix.entriesOf(d.doc, list)
		_, err = ix.cfg.Repo.Edit(ix.ctx, d.doc, repo.Edit{By: Service, Message: staleMessage}, func(v repo.View, tx *blocks.Tx) error {
			began := time.Now()
			wrote = nil
			made := makingsOf(v, known)
			for _, id := range list {
				if wrote = append(wrote, ix.rewrite(v, made, tx, place{d.doc, id})); time.Since(began) > slice {
					break
				}
			}
			took = commitCosts * time.Since(began)
			return nil
		})
	}
	if ix.ctx.Err() != nil {
		return // and the edit may still run
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if !ix.keeping || ix.owed[d.doc] != d {
		return
	}
	if errors.Is(err, kaijutsu.ErrNotFound) {
		delete(ix.owed, d.doc)
		return
	}
	if err != nil {
		ix.cfg.Log.Warn("stale marks not written", "document", d.doc, "err", err)
		next, wrote = time.Now().Add(retryAfter), nil
	}
	ix.paidLocked(d, list, wrote)
	if len(list) > 0 {
		d.pace.done(took)
	}
	switch {
	case len(d.now)+len(d.later) == 0:
		delete(ix.owed, d.doc)
	case !next.IsZero() || len(wrote) < len(list):
		ix.owingLocked(d, cmp.Or(next, time.Now()))
	}
}

// paidLocked notes what was written of a list. The others wait again.
func (ix *Index) paidLocked(d *debt, list []blocks.ID, wrote []written) {
	for _, w := range wrote {
		ix.wroteLocked(place{d.doc, w.id}, w)
	}
	for _, id := range list[len(wrote):] {
		d.now[id] = time.Time{}
	}
}

// due takes the blocks of a debt that are to be written now, and says when the
// next ones are, the zero time for never.
func (ix *Index) due(d *debt) (list []blocks.ID, next time.Time) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	now := time.Now()
	looked := 0
	soonest := func(at time.Time) {
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	b := ix.books[d.doc]
	for _, set := range [...]map[blocks.ID]time.Time{d.now, d.later} {
		for id, at := range set {
			if at.After(now) {
				soonest(at)
				continue
			}
			if looked++; looked > maxLook || len(list) == maxBatch {
				soonest(now)
				break
			}
			need, at := ix.needLocked(b, place{d.doc, id})
			delete(d.now, id)
			delete(d.later, id)
			switch {
			case need == nothing:
			case !at.After(now):
				list = append(list, id)
			case need == newMarks:
				d.now[id] = at
				soonest(at)
			default:
				d.later[id] = at
				soonest(at)
			}
		}
	}
	return list, next
}

// What the marks of a block need.
type need uint8

const (
	nothing need = iota
	newMarks
	newDiff // the same ones, with another diff
)

// needLocked says what the marks of a block need, and when it may be written.
func (ix *Index) needLocked(b *book, at place) (need, time.Time) {
	if b == nil {
		return nothing, time.Time{}
	}
	e := b.entries[at.block]
	if e == nil || e.deleted {
		return nothing, time.Time{}
	}
	wanted, ok := ix.wantedLocked(e)
	if !ok || slices.Equal(wanted, e.stale) {
		return nothing, time.Time{}
	}
	h := ix.hands[at]
	sum := sumOf(wanted)
	same := alike(wanted, e.stale)
	switch {
	case h == nil && same:
		return newDiff, time.Time{}
	case h == nil:
		return newMarks, time.Time{}
	case same && h.wanted == sum:
		return nothing, time.Time{} // it was shortened to fit
	case same:
		most := maxWait * time.Duration(max(1, len(b.entries)/few))
		return newDiff, h.at.Add(min(writeEvery<<min(h.turns, 20), most))
	case h.wanted == sum: // somebody took away what was written
		return newMarks, h.at.Add(min(writeEvery<<min(h.again, 20), maxWait))
	}
	return newMarks, h.at.Add(writeEvery)
}

// wantedLocked returns the marks that an entry is to have; false while one of
// its citations has not been judged.
func (ix *Index) wantedLocked(e *entry) ([]mark, bool) {
	var list []mark
	for _, c := range e.cites {
		v, ok := ix.verdictLocked(c)
		if !ok {
			return nil, false
		}
		switch v.state {
		case absent, never:
			if i := slices.IndexFunc(e.stale, func(m mark) bool { return m.ref == c.ref }); i >= 0 {
				list = append(list, e.stale[i])
			}
		case stale:
			m := mark{c.ref, v.reason, v.sum}
			if !ix.mayShow(e.by, c) {
				m.diff = 0
			}
			list = append(list, m)
		}
	}
	return list, true
}

// verdictLocked returns what became of what a citation names; absent when it is
// left alone, false while it has not been judged.
func (ix *Index) verdictLocked(c cite) (verdict, bool) {
	if !c.watched {
		return verdict{state: absent}, true
	}
	sp := ix.spans[c.key]
	if sp == nil {
		return verdict{}, false // another meta than the index has read
	}
	ix.askLocked(sp)
	return sp.verdict, sp.state != unknown
}

// mayShow reports whether what is in a source now may be shown to those who read
// a block: when who made the block made it with this citation, and may read the
// source still.
func (ix *Index) mayShow(by kaijutsu.Principal, c cite) bool {
	return c.first && !by.IsZero() && ix.cfg.Kernel.SyncRight(by, c.key.doc) >= kaijutsu.RightRead
}

// sumOf returns a number that differs for other marks.
func sumOf(marks []mark) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, m := range marks {
		h.WriteString(strconv.Itoa(m.ref))
		h.WriteString(m.reason)
		h.WriteString(strconv.FormatUint(m.diff, 16))
	}
	return cmp.Or(h.Sum64(), 1)
}

// written is what came of writing to a block.
type written struct {
	id      blocks.ID
	wanted  uint64
	marks   []mark // what its meta says now
	flipped bool   // not only a diff is another
	changed bool
	skipped bool // nothing is known of what it says now
}

// rewrite gives a block the marks that it is to have, by what its meta says now.
func (ix *Index) rewrite(v repo.View, made makings, tx *blocks.Tx, at place) written {
	w := written{id: at.block, skipped: true}
	s, ok := v.Model().Summary(at.block)
	if !ok || s.Deleted || s.Meta == "" {
		return w
	}
	by, _ := v.Principal(s.Author)
	citations, have := drift.ReadCitations(s.Meta)
	marks, wanted, ok := ix.marksFor(by, citations, ix.citesOf(citations, ix.madeWith(made.of(at.block))), have)
	if !ok {
		return w
	}
	was := marksOf(have)
	w.skipped, w.wanted, w.marks = false, sumOf(wanted), was
	if slices.Equal(wanted, was) {
		return w
	}
	meta, err := drift.MarkStale(s.Meta, marks)
	for _, diffs := range [...]bool{true, false} {
		if err != nil { // such as of a source with very many heads
			meta, err = drift.MarkStale(s.Meta, bare(marks, diffs))
		}
	}
	if err == nil {
		_, now := drift.ReadCitations(meta)
		if w.marks = marksOf(now); slices.Equal(was, w.marks) {
			return w // as it was shortened before
		}
		err = tx.SetMeta(at.block, meta)
	}
	if err != nil { // it does not fit, and would not the next time
		ix.cfg.Log.Debug("stale marks not written to a block", "document", at.doc, "block", at.block, "err", err)
		w.marks = wanted
		return w
	}
	w.changed, w.flipped = true, !alike(was, w.marks)
	return w
}

// bare returns marks without heads, and without diffs unless they are wanted.
func bare(marks []drift.Mark, diffs bool) []drift.Mark {
	out := make([]drift.Mark, len(marks))
	for i, m := range marks {
		if out[i] = (drift.Mark{Ref: m.Ref, Reason: m.Reason}); diffs {
			out[i].Diff = m.Diff
		}
	}
	return out
}

// alike reports whether marks differ in their diffs at most.
func alike(a, b []mark) bool {
	return slices.EqualFunc(a, b, func(a, b mark) bool { return a.ref == b.ref && a.reason == b.reason })
}

// marksFor returns the marks that a block with these citations is to have; false
// while one of them has not been judged.
func (ix *Index) marksFor(by kaijutsu.Principal, citations []drift.Citation, cites []cite, have []drift.Mark) (marks []drift.Mark, wanted []mark, ok bool) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	for i, c := range citations {
		ct := cites[i]
		v, ok := ix.verdictLocked(ct)
		if !ok {
			return nil, nil, false
		}
		k := slices.IndexFunc(have, func(m drift.Mark) bool { return m.Ref == c.Ref })
		switch v.state {
		case absent, never:
			if k >= 0 {
				marks = append(marks, have[k])
			}
		case stale:
			m := drift.Mark{Ref: c.Ref, Reason: v.reason, Heads: v.heads}
			if ix.mayShow(by, ct) {
				m.Diff = v.diff
			}
			if k >= 0 && have[k].Reason == m.Reason && have[k].Diff == m.Diff {
				m = have[k]
			}
			marks = append(marks, m)
		}
	}
	return marks, marksOf(marks), true
}

func marksOf(list []drift.Mark) []mark {
	var marks []mark
	for _, m := range list {
		marks = append(marks, markOf(m))
	}
	return marks
}

// wroteLocked notes what a block says now. The reader finds the same.
func (ix *Index) wroteLocked(at place, w written) {
	b := ix.books[at.doc]
	if w.skipped || b == nil || b.entries[at.block] == nil {
		return
	}
	e := *b.entries[at.block]
	e.stale = w.marks
	b.entries[at.block] = &e
	now := time.Now()
	h := ix.hands[at]
	if h == nil || now.Sub(h.at) > forgetHands {
		h = &hand{at: now}
		ix.hands[at] = h
	}
	switch {
	case w.changed && h.wanted == w.wanted:
		h.again++
	case w.changed:
		h.again = 0
	}
	if w.changed && !w.flipped {
		h.turns++
	}
	if h.wanted = w.wanted; w.changed {
		h.at = now
	}
}
