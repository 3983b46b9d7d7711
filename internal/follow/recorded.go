package follow

import (
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
)

// recorded returns what changes of the kernel's records say happened to
// contexts, as events that an entry of the journal made.
func (h *Hub) recorded(seq, from, to uint64) ([]event, error) {
	if h.cfg.Recorded == nil {
		return nil, nil
	}
	list, err := h.cfg.Recorded(h.ctx, from, to)
	if err != nil {
		return nil, fmt.Errorf("read what was recorded: %w", err)
	}
	events := make([]event, 0, len(list))
	for i := range list {
		e := &list[i]
		b, err := h.encode(e)
		if err != nil {
			h.cfg.Log.Error("a record is not told", "kind", e.Kind, "context", e.Context, "err", err)
			continue
		}
		at := place{seq, to, len(events) + 1}
		events = append(events, event{place: at, doc: e.Context.Document(), subject: e.Subject(), kind: e.Kind, json: b})
	}
	return events, nil
}

// encode fills an event of this node in.
func (h *Hub) encode(e *flowbus.Event) ([]byte, error) {
	e.Kernel, e.Node = h.cfg.Kernel, h.cfg.Node
	if e.Time.IsZero() {
		e.Time = h.cfg.Now()
	}
	e.Time = e.Time.UTC().Truncate(time.Millisecond)
	return flowbus.Encode(e)
}

// takeRecords tells what was recorded: those who follow one context at once,
// those who follow all in the order of the journal.
func (h *Hub) takeRecords(c noted) {
	events, err := h.recorded(c.Seq, c.From, c.Version)
	if err != nil {
		h.fail(nil, c, err)
		return
	}
	h.mu.Lock()
	for i := range events {
		e := &events[i]
		t := h.topics[e.doc]
		if t == nil {
			continue
		}
		h.pos++
		h.ring.add(&entry{
			pos: h.pos, doc: e.doc, subject: e.subject, kind: e.kind, bit: bitOf[e.kind], source: e.kind.Source(),
			item: frameOf(string(e.kind), mark{h.node, t.tail, t.letter(), h.pos}.String(), e.json), topic: t,
		})
		h.wakeLocked(t)
	}
	all := h.wide.docs
	h.mu.Unlock()
	if all {
		h.toAll(c.Seq, events)
	}
}

// last tells somebody who goes on in one context what was last recorded of it,
// as that may have happened while they were away.
func (f *Follower) last() {
	h := f.h
	if h.cfg.RecordedLast == nil {
		return
	}
	e, ok := h.cfg.RecordedLast(f.id.Document())
	if !ok || f.kinds&bitOf[e.Kind] == 0 {
		return
	}
	if b, err := h.encode(&e); err == nil {
		f.first = append(f.first, frameOf(string(e.Kind), f.ID(), b))
	}
}

// records reports whether a document is the kernel's records.
func (h *Hub) records(doc kaijutsu.DocumentID) bool {
	return h.cfg.Recorded != nil && doc == h.cfg.Records
}
