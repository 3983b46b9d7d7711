package provenance

import (
	"container/heap"
	"context"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
)

const (
	// quiet is how long a cited document is left alone behind a change before
	// its citations are judged, and patience how long it is at most while
	// changes go on.
	quiet    = 60 * time.Millisecond
	patience = 700 * time.Millisecond
	// slice is how long a document's owner is kept busy at a time.
	slice = 3 * time.Millisecond
	// share is how many times as long a document is left alone afterwards.
	share = 4
	// maxPause bounds that.
	maxPause = 5 * time.Second
	// lookBack is how often archived contexts are looked at that lack marks.
	lookBack = 500 * time.Millisecond
	// retryAfter is how long a document that could not be written is left alone.
	retryAfter = time.Second
)

// keeper keeps the marks. Fields are guarded by Index.mu, but for working.
type keeper struct {
	keeping  bool // this node keeps them, and has listed the documents
	agenda   agenda
	owed     map[kaijutsu.DocumentID]*debt
	withheld map[kaijutsu.DocumentID]struct{} // archived ones, which lack marks
	hands    map[place]*hand
	working  bool          // the keeper has something in hand
	moved    chan struct{} // closed, and another, when something was done
}

func newKeeper() keeper {
	return keeper{
		owed:     make(map[kaijutsu.DocumentID]*debt),
		withheld: make(map[kaijutsu.DocumentID]struct{}),
		hands:    make(map[place]*hand),
		moved:    make(chan struct{}),
	}
}

// errand is a document that is to be judged or written to.
type errand struct {
	due time.Time
	doc kaijutsu.DocumentID
	// exactly one is set
	judge *source
	write *debt
}

// agenda is a heap of errands by when they are due; of an errand that is due
// later by now, it learns when its turn comes.
type agenda []errand

// Len, Less, Swap, Push and Pop are for container/heap.
func (a agenda) Len() int           { return len(a) }
func (a agenda) Less(i, j int) bool { return a[i].due.Before(a[j].due) }
func (a agenda) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any)        { *a = append(*a, x.(errand)) }
func (a *agenda) Pop() any {
	old := *a
	last := old[len(old)-1]
	old[len(old)-1] = errand{}
	*a = old[:len(old)-1]
	return last
}

// dueLocked has a source judged: at once, or when it has been quiet for a while.
func (ix *Index) dueLocked(s *source, now bool) {
	p, at := &s.pace, time.Now()
	if p.first.IsZero() {
		p.first = at
	}
	due := at
	if !now {
		due = at.Add(quiet)
		if last := p.first.Add(patience); due.After(last) {
			due = last
		}
	}
	due = p.after(due)
	switch {
	case !p.queued, due.Before(p.due):
		p.queued, p.due = true, due
		heap.Push(&ix.agenda, errand{due: due, doc: s.doc, judge: s})
		poke(ix.keepable)
	case !now:
		p.due = due // the agenda learns of it when its turn comes
	}
}

// after returns the time, or when what was looked at has rested.
func (p *pace) after(at time.Time) time.Time {
	if rested := p.ended.Add(min(share*p.took, maxPause)); at.Before(rested) {
		return rested
	}
	return at
}

// done notes that something was looked at.
func (p *pace) done(took time.Duration) { p.ended, p.took = time.Now(), took }

// keep judges and writes until Close.
func (ix *Index) keep() {
	if ix.await(ix.ctx, ix.scanned) != nil {
		return
	}
	for ix.ctx.Err() == nil {
		e, wait := ix.nextErrand(time.Now())
		switch {
		case e.judge != nil:
			ix.judge(e.judge)
		case e.write != nil:
			ix.write(e.write)
		default:
			ix.lookBack()
			ix.idle(ix.keepable, wait)
			continue
		}
		ix.advanced()
	}
}

// advanced tells those who wait that the keeper has done something.
func (ix *Index) advanced() {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.working = false
	ix.movedLocked()
}

// movedLocked wakes those who wait for something to be read, judged or written.
func (ix *Index) movedLocked() {
	close(ix.moved)
	ix.moved = make(chan struct{})
}

// nextErrand returns what is to be done now; or nothing, and how long until
// something is.
func (ix *Index) nextErrand(now time.Time) (errand, time.Duration) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	for len(ix.agenda) > 0 {
		e := ix.agenda[0]
		p := e.paceOf()
		switch {
		case !p.queued || ix.sources[e.doc] != e.judge && e.write == nil || e.write != nil && ix.owed[e.doc] != e.write:
			heap.Pop(&ix.agenda)
			p.queued = false
		case p.due.After(now):
			if e.due.Equal(p.due) {
				return errand{}, min(p.due.Sub(now), time.Minute)
			}
			e.due = p.due
			heap.Pop(&ix.agenda)
			heap.Push(&ix.agenda, e)
		default:
			heap.Pop(&ix.agenda)
			p.queued, p.first = false, time.Time{}
			ix.working = true
			return e, 0
		}
	}
	if len(ix.withheld) > 0 {
		return errand{}, lookBack
	}
	return errand{}, time.Minute
}

func (e errand) paceOf() *pace {
	if e.judge != nil {
		return &e.judge.pace
	}
	return &e.write.pace
}

// lookBack writes to contexts that were archived and are not any more.
func (ix *Index) lookBack() {
	ix.mu.Lock()
	docs := make([]kaijutsu.DocumentID, 0, len(ix.withheld))
	for doc := range ix.withheld {
		docs = append(docs, doc)
	}
	ix.mu.Unlock()
	for _, doc := range docs {
		if ix.cfg.Kernel.Archived(doc) {
			continue
		}
		ix.mu.Lock()
		delete(ix.withheld, doc)
		ix.oweAllLocked(doc)
		ix.mu.Unlock()
	}
}

// oweAllLocked has all blocks of a document that cite looked at.
func (ix *Index) oweAllLocked(doc kaijutsu.DocumentID) {
	b := ix.books[doc]
	if b == nil {
		return
	}
	for id, e := range b.entries {
		if len(e.cites) > 0 || len(e.stale) > 0 {
			ix.oweLocked(place{doc, id})
		}
	}
}

// begin makes this node the one that keeps the marks. It judges everything once,
// but for the sources that trust accepts; nil accepts none.
func (ix *Index) begin(trust func(*source) bool) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.keeping = true
	for _, s := range ix.sources {
		if trust == nil || !trust(s) {
			s.all, s.retry = true, true
			ix.dueLocked(s, true)
		}
	}
	for doc := range ix.citing {
		if ix.cfg.Kernel.Archived(doc) {
			ix.withheld[doc] = struct{}{}
		} else if trust == nil {
			ix.oweAllLocked(doc)
		}
	}
}

// end makes this node one that keeps no marks.
func (ix *Index) end() {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.keeping = false
	for _, s := range ix.sources {
		s.all, s.retry, s.todo, s.pace = false, false, nil, pace{}
		clear(s.touched)
		clear(s.asked)
	}
	for _, sp := range ix.spans {
		sp.verdict = verdict{}
	}
	ix.agenda, ix.owed = nil, make(map[kaijutsu.DocumentID]*debt)
	clear(ix.withheld)
	clear(ix.hands)
}

// SettleMarks is Settle of all documents, and waits until every citation that
// this node is to keep is judged and its mark written or taken away; of a mark
// that stands, a newer diff may wait longer. On a node that does not keep the
// marks it is Settle.
func (ix *Index) SettleMarks(ctx context.Context) error {
	for {
		if err := ix.Settle(ctx); err != nil {
			return err
		}
		ix.lookBack()
		ix.mu.Lock()
		busy, moved := ix.busyLocked(), ix.moved
		ix.mu.Unlock()
		if !busy {
			return nil
		}
		poke(ix.keepable)
		if err := ix.await(ctx, moved); err != nil {
			return err
		}
	}
}

// busyLocked reports whether something is to be read, judged or written; those
// who wait for it have it done without rest.
func (ix *Index) busyLocked() bool {
	busy := ix.working || len(ix.queue.waiting) > 0 || ix.queue.reading != nil
	for _, s := range ix.sources {
		if s.dirty() {
			busy = true
			if now := time.Now(); s.pace.due.After(now) {
				s.pace.due = now
				heap.Push(&ix.agenda, errand{due: now, doc: s.doc, judge: s})
				s.pace.queued = true
			}
		}
	}
	for _, d := range ix.owed {
		if len(d.now) > 0 {
			busy = true
		}
	}
	return busy && ix.keeping || len(ix.queue.waiting) > 0
}

// debt is a document in which marks are to be written. Fields are guarded by
// Index.mu.
type debt struct {
	doc kaijutsu.DocumentID
	// Blocks, and before when they are not looked at: of the first, what is
	// stale may be another; of the others only a diff is.
	now, later map[blocks.ID]time.Time
	pace       pace
}

// hand is what the keeper knows of a block that it has written to. Fields are
// guarded by Index.mu.
type hand struct {
	at     time.Time // of the last write
	wanted uint64    // sum of the marks then
	turns  int       // how often only a diff was written
	again  int       // how often the same was written again
}
