package follow

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/repo"
)

const (
	// holdFor is how long an event of another node waits for the change that it
	// is about.
	holdFor = 5 * time.Second
	// maxHeld bounds the events that wait: what comes beyond is told at once.
	maxHeld = 4096
)

// held are events of other nodes that are about changes which are not here yet.
// Those of a context are told in the order in which they came.
type held struct {
	count  atomic.Int64 // of them
	ticket atomic.Int64 // of the newest look

	mu sync.Mutex
	of map[kaijutsu.DocumentID][]heldEvent // guarded by mu; no empty ones
}

type heldEvent struct {
	e     *flowbus.Event
	b     []byte
	until time.Time
	here  int64 // its change is, for looks from this ticket on; 0: it is not
}

// any reports whether events wait for changes of a document.
func (w *held) any(doc kaijutsu.DocumentID) bool {
	if w.count.Load() == 0 {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.of[doc]) > 0
}

// put holds an event, and reports whether it does.
func (w *held) put(doc kaijutsu.DocumentID, e heldEvent) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.count.Load() >= maxHeld {
		return false
	}
	if w.of == nil {
		w.of = make(map[kaijutsu.DocumentID][]heldEvent)
	}
	w.of[doc] = append(w.of[doc], e)
	w.count.Add(1)
	return true
}

func (w *held) first(doc kaijutsu.DocumentID) (heldEvent, bool) {
	if !w.any(doc) {
		return heldEvent{}, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.of[doc][0], true
}

// found notes that what the events of a document wait for is here, up to the
// first that waits for something else.
func (w *held) found(doc kaijutsu.DocumentID, change kaijutsu.ChangeHash, ticket int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.of[doc]
	for i := 0; i < len(list) && list[i].e.Change == change; i++ {
		list[i].here = ticket
	}
}

func (w *held) drop(doc kaijutsu.DocumentID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count.Add(-1)
	if w.of[doc] = w.of[doc][1:]; len(w.of[doc]) == 0 {
		delete(w.of, doc)
	}
}

// hold tells an event of another node: when it is about a change, as soon as
// that is here, so that whoever is told finds what it is told of.
func (h *Hub) hold(e *flowbus.Event, b []byte) {
	if e.Change == (kaijutsu.ChangeHash{}) {
		h.append(e, b)
		return
	}
	doc := e.Context.Document()
	if !h.held.put(doc, heldEvent{e: e, b: b, until: time.Now().Add(holdFor)}) {
		h.append(e, b)
		return
	}
	h.lookAgain(doc)
	time.AfterFunc(holdFor, guard.Func(h.cfg.Log, "held event", func() { h.lookAgain(doc) }))
}

// lookAgain has the deriver look what can be told of a document, behind what was
// committed until now, and returns the ticket of that look.
func (h *Hub) lookAgain(doc kaijutsu.DocumentID) int64 {
	ticket := h.held.ticket.Add(1)
	h.queue.push(noted{Committed: repo.Committed{Doc: doc}, look: ticket})
	return ticket
}

// release tells the events of a document that need not wait any more, when the
// deriver looks with a ticket, 0 when something was committed. A change that is
// here may have events of its own that wait for the deriver: they come first.
func (h *Hub) release(doc kaijutsu.DocumentID, ticket int64) {
	for {
		w, ok := h.held.first(doc)
		switch late := time.Now().After(w.until); {
		case !ok:
			return
		case late, w.here != 0 && w.here <= ticket:
		case w.here == 0 && h.holds(doc, w.e.Change):
			h.held.found(doc, w.e.Change, h.lookAgain(doc))
			return
		default:
			return
		}
		h.held.drop(doc)
		h.append(w.e, w.b)
	}
}

// holds reports whether a change is here.
func (h *Hub) holds(doc kaijutsu.DocumentID, change kaijutsu.ChangeHash) bool {
	ctx, cancel := context.WithTimeout(h.ctx, holdFor)
	defer cancel()
	has, err := h.cfg.Repo.Has(ctx, doc, []kaijutsu.ChangeHash{change})
	return err == nil && has[0]
}
