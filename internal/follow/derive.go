package follow

import (
	"errors"
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/repo"
)

// gapAfter is how long an entry of the journal is waited for that somebody else
// must tell of, before it is read.
const gapAfter = 250 * time.Millisecond

// derive makes events of what was committed, until the hub ends.
func (h *Hub) derive() {
	gap := time.NewTimer(gapAfter)
	defer gap.Stop()
	for {
		select {
		case <-h.ctx.Done():
			return
		case <-h.queue.wake:
			for _, c := range h.queue.take() {
				if c.look == 0 {
					h.take(c)
				}
				h.release(c.Doc, c.look)
			}
		case <-gap.C:
			h.fill()
		}
		h.mu.RLock()
		waiting := len(h.wide.ahead) > 0
		h.mu.RUnlock()
		if waiting {
			gap.Reset(gapAfter)
		}
	}
}

// take gives events to the topics that want them.
func (h *Hub) take(c noted) {
	if c.Deleted {
		h.deleted(c)
		return
	}
	if h.records(c.Doc) {
		h.takeRecords(c)
		return
	}
	h.mu.RLock()
	one, all := h.topics[c.Doc], h.wide.docs
	h.mu.RUnlock()
	if one == nil && !all {
		return
	}
	var events []event
	if c.of {
		var err error
		if events, err = h.eventsIn(c); err != nil {
			h.fail(one, c, err)
			return
		}
	}
	if one != nil {
		h.toContext(one, c, events)
	}
	if all {
		h.toAll(c.Seq, events)
	}
}

// eventsIn derives the events of what was committed, from memory or from the
// log.
func (h *Hub) eventsIn(c noted) (events []event, err error) {
	if !c.Traced || uint64(len(c.Changes)) != c.Version-c.From {
		return h.replayed(c.Doc, c.id, c.Seq, c.From, c.Version)
	}
	who := h.names(c.Doc)
	for i, change := range c.Changes {
		more, err := h.eventsOf(c.id, c.Seq, c.From+uint64(i)+1, change, who)
		if err != nil {
			return nil, err
		}
		events = append(events, more...)
	}
	return events, nil
}

// replayed derives the events of the versions from+1 to to from the log. A
// document that is gone has none.
func (h *Hub) replayed(doc kaijutsu.DocumentID, id kaijutsu.ContextID, seq, from, to uint64) (events []event, err error) {
	who := h.names(doc)
	err = h.cfg.Repo.Replay(h.ctx, doc, from, to, func(version uint64, c repo.Change) error {
		more, err := h.eventsOf(id, seq, version, c, who)
		events = append(events, more...)
		return err
	})
	if errors.Is(err, kaijutsu.ErrNotFound) || errors.Is(err, repo.ErrDeleted) {
		return nil, nil
	}
	return events, err
}

// toContext appends the events of what was committed to a context's topic.
func (h *Hub) toContext(t *topic, c noted, events []event) {
	h.mu.RLock()
	begun, last := t.begun, t.tail.version
	h.mu.RUnlock()
	if !begun {
		t.early = append(t.early, c)
		return
	}
	if early := t.early; early != nil {
		t.early = nil
		for _, e := range early {
			if e.Version <= last {
				continue
			}
			more, err := h.eventsIn(e)
			if err != nil {
				h.failOne(t, e, err)
				return
			}
			h.toContext(t, e, more)
		}
		last = t.tail.version
	}
	if c.From > last { // it was not told of all: that is made up for
		before, err := h.replayed(c.Doc, c.id, 0, last, c.From)
		if err != nil {
			h.failOne(t, c, err)
			return
		}
		events = append(before, events...)
	}
	for len(events) > 0 && events[0].version <= last {
		events = events[1:]
	}
	h.mu.Lock()
	for i := range events {
		h.addLocked(t, &events[i])
	}
	if c.Version > t.tail.version {
		t.tail = wholeVersion(c.Version)
	}
	h.wakeLocked(t)
	h.mu.Unlock()
}

// toAll appends events to the topic of all contexts, when it is their turn: in
// the order of the journal.
func (h *Hub) toAll(seq uint64, events []event) {
	t := h.wide
	h.mu.Lock()
	defer h.mu.Unlock()
	if t.ahead == nil {
		t.ahead = make(map[uint64][]event)
	}
	t.ahead[seq] = events
	if t.begun {
		h.aheadLocked(t)
	}
}

// aheadLocked appends what is ahead and can be.
func (h *Hub) aheadLocked(t *topic) {
	for seq := range t.ahead {
		if seq <= t.tail.seq {
			delete(t.ahead, seq)
		}
	}
	for {
		events, ok := t.ahead[t.tail.seq+1]
		if !ok {
			break
		}
		delete(t.ahead, t.tail.seq+1)
		t.tail = wholeEntry(t.tail.seq + 1)
		for i := range events {
			h.addLocked(t, &events[i])
		}
	}
	h.wakeLocked(t)
}

// fill reads the entry of the journal that all others wait for.
func (h *Hub) fill() {
	h.mu.RLock()
	next, waiting := h.wide.tail.seq+1, h.wide.begun && len(h.wide.ahead) > 0
	h.mu.RUnlock()
	if !waiting {
		return
	}
	for e, err := range h.cfg.Repo.Journal(next - 1) {
		if err != nil {
			h.cfg.Log.Error("events wait for the journal", "err", err)
			return
		}
		var events []event
		if h.records(e.Doc) && e.Seq == next {
			if events, err = h.recorded(e.Seq, e.From, e.From+e.N); err != nil {
				h.fail(nil, noted{}, err)
				return
			}
		} else if id, ok := contextOf(e.Doc); ok && e.Seq == next && !h.cfg.Hidden(e.Doc) {
			if events, err = h.replayed(e.Doc, id, e.Seq, e.From, e.From+e.N); err != nil {
				h.fail(nil, noted{Committed: repo.Committed{Doc: e.Doc, Seq: e.Seq}, id: id, of: true}, err)
				return
			}
		}
		if e.Seq > next { // pruned
			h.mu.Lock()
			h.wide.tail = wholeEntry(e.Seq - 1)
			h.aheadLocked(h.wide)
			h.mu.Unlock()
			return
		}
		h.toAll(e.Seq, events)
		return
	}
}

// addLocked appends an event of a document.
func (h *Hub) addLocked(t *topic, ev *event) {
	h.pos++
	at := ev.place
	if !t.wide() {
		at.seq = 0
	}
	id := mark{node: h.node, place: ev.place}.String()
	h.ring.add(&entry{
		pos: h.pos, place: at, doc: ev.doc, subject: ev.subject, kind: ev.kind, bit: bitOf[ev.kind], source: flowbus.FromChanges,
		item: frameOf(string(ev.kind), id, ev.json), topic: t,
	})
}

// append puts an event of no document into the topics that it belongs to.
func (h *Hub) append(e *flowbus.Event, b []byte) {
	var doc kaijutsu.DocumentID
	if e.Context != (kaijutsu.ContextID{}) {
		doc = e.Context.Document()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range []*topic{h.topics[doc], h.wide} {
		if t == nil || len(t.followers) == 0 && t.idle.IsZero() {
			continue
		}
		h.pos++
		id := ""
		if e.Kind.Source() != flowbus.Fleeting {
			id = mark{h.node, t.tail, t.letter(), h.pos}.String()
		}
		h.ring.add(&entry{
			pos: h.pos, doc: doc, subject: e.Subject(), kind: e.Kind, bit: bitOf[e.Kind], source: e.Kind.Source(),
			whose: whoseOf(e, doc), item: frameOf(string(e.Kind), id, b), topic: t,
		})
		h.wakeLocked(t)
	}
}

// deleted tells that a context is gone, and ends its topic behind that.
func (h *Hub) deleted(c noted) {
	if !c.of {
		return
	}
	if h.cfg.Recorded != nil { // its record was told before
		h.end(c.Doc, fmt.Errorf("context %s: %w: it was deleted", c.id, kaijutsu.ErrNotFound))
		return
	}
	if err := h.Tell(flowbus.Event{Context: c.id, Kind: flowbus.ContextDeleted, Data: &flowbus.Nothing{}}); err != nil {
		h.cfg.Log.Error("a context's end is not told", "context", c.id, "err", err)
	}
	h.end(c.Doc, fmt.Errorf("context %s: %w: it was deleted", c.id, kaijutsu.ErrNotFound))
}

// end ends a context's topic: a new one is begun for who comes next.
func (h *Hub) end(doc kaijutsu.DocumentID, reason error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t := h.topics[doc]; t != nil {
		delete(h.topics, doc)
		h.ring.forget(t)
		t.endLocked(reason)
	}
}

// restartLocked ends the topic of all contexts and begins another.
func (h *Hub) restartLocked(reason error) {
	h.ring.forget(h.wide)
	h.wide.endLocked(reason)
	h.wide = newTopic(kaijutsu.DocumentID{}, h.pos)
}
