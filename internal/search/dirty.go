package search

import (
	"context"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

const (
	// rest is how long a touched document is left alone before it is read,
	// unless somebody searches, so that a stream of small changes is not read
	// at every step. A document that takes long to read rests 20 times as long.
	rest    = 500 * time.Millisecond
	maxRest = 10 * time.Second
	// maxTouched is the number of touched blocks above which all are read.
	maxTouched = 1000
)

// touch is a document to be read, and what of it.
type touch struct {
	doc     kaijutsu.DocumentID
	due     time.Time
	touched map[blocks.ID]struct{} // known to be touched or new
	// all says that anything may have changed; order, that blocks came, went
	// or moved; again, that contents are read although their sums are right.
	all, order, again, gone bool

	taken, urgent bool
	done          chan struct{} // closed when it was read
	err           error         // set before done is closed
}

// queue holds what is to be read. Any goroutine adds; the worker takes.
type queue struct {
	wake chan struct{} // holds a token when there may be something new to do

	mu      sync.Mutex
	waiting map[kaijutsu.DocumentID]*touch
	reading *touch
	urgent  []*touch
	later   []*touch // in the order they came
	rests   map[kaijutsu.DocumentID]time.Duration
}

func newQueue() *queue {
	return &queue{
		wake:    make(chan struct{}, 1),
		waiting: make(map[kaijutsu.DocumentID]*touch),
		rests:   make(map[kaijutsu.DocumentID]time.Duration),
	}
}

// add marks a document; mark says what of it.
func (q *queue) add(doc kaijutsu.DocumentID, mark func(*touch)) {
	q.mu.Lock()
	t := q.waiting[doc]
	if t == nil {
		t = &touch{doc: doc, done: make(chan struct{}), touched: make(map[blocks.ID]struct{})}
		t.due = time.Now().Add(max(rest, q.rests[doc]))
		q.waiting[doc] = t
		q.later = append(q.later, t)
	}
	mark(t)
	if len(t.touched) > maxTouched {
		t.order = true
	}
	q.mu.Unlock()
	q.poke()
}

func (q *queue) poke() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// note marks what a commit touched.
func (q *queue) note(c repo.Committed) {
	q.add(c.Doc, func(t *touch) {
		t.gone = t.gone || c.Deleted
		t.all = t.all || c.All || c.Deltas == nil
		for _, d := range c.Deltas {
			for _, b := range d.Blocks {
				if b.How&(blocks.TouchInserted|blocks.TouchMoved|blocks.TouchDeleted|blocks.TouchRestored) != 0 {
					t.order = true
				}
				t.touched[b.ID] = struct{}{}
			}
		}
	})
}

// take returns what is to be read now; or nil and how long until something is,
// 0 when nothing waits.
func (q *queue) take(now time.Time) (t *touch, wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
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
func (q *queue) finish(t *touch, took time.Duration, err error) {
	q.mu.Lock()
	q.reading = nil
	delete(q.rests, t.doc)
	if took*20 > rest {
		q.rests[t.doc] = min(took*20, maxRest)
	}
	q.mu.Unlock()
	t.err = err
	close(t.done)
}

// hurry has every waiting document that want accepts read at once, and returns
// them and the one being read. want is called without the lock; all says that
// anything may have changed in the document.
func (q *queue) hurry(want func(doc kaijutsu.DocumentID, all bool) bool) []*touch {
	type candidate struct {
		t   *touch
		all bool
	}
	q.mu.Lock()
	list := make([]candidate, 0, len(q.waiting)+1)
	if q.reading != nil {
		list = append(list, candidate{q.reading, q.reading.all})
	}
	for _, t := range q.waiting {
		list = append(list, candidate{t, t.all})
	}
	q.mu.Unlock()
	var kept []*touch
	for _, c := range list {
		if want(c.t.doc, c.all) {
			kept = append(kept, c.t)
		}
	}
	q.mu.Lock()
	for _, t := range kept {
		if !t.taken && !t.urgent {
			t.urgent = true
			q.urgent = append(q.urgent, t)
		}
	}
	q.mu.Unlock()
	q.poke()
	return kept
}

// await waits until all of them were read.
func await(ctx context.Context, list []*touch, quit <-chan struct{}) error {
	for _, t := range list {
		select {
		case <-t.done:
		case <-quit:
			return errClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
