package follow

import (
	"context"
	"errors"
	"fmt"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/repo"
)

// unread stands for events that cannot be read, as those of a context whose data
// is damaged: it is told as a reset, to who follows events of any document.
const unread = flowbus.Kind(Reset)

// unreadIn says that what came to a context with an entry of the journal cannot
// be read.
func unreadIn(id kaijutsu.ContextID, seq uint64) event {
	why := fmt.Sprintf("what came to context %s cannot be read, and is passed over: its data may be damaged", id)
	return event{place: wholeEntry(seq), doc: id.Document(), kind: unread, json: itemOf(Reset, "", reset{Reason: why, Context: id.String()}).Data}
}

// matches reports whether the pattern is of an event.
func (f *Follower) matches(kind flowbus.Kind, subject string) bool {
	return kind == unread || f.pattern.Match(subject)
}

// passes reports whether what could not be read may be read another time. What
// is damaged, read-only for what it holds, or failed at being traced costs
// nobody but those who follow that context.
func passes(err error) bool {
	var failed *guard.Failure
	if errors.Is(err, repo.ErrDamaged) || errors.Is(err, repo.ErrReadOnly) || errors.As(err, &failed) {
		return false
	}
	return errors.Is(err, kaijutsu.ErrUnavailable) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// fail is for events that could not be derived: none is skipped in silence. The
// streams of the context end; those of all contexts are told that it cannot be
// read, or end when it may be another time.
func (h *Hub) fail(t *topic, c noted, err error) {
	h.failOne(t, c, err)
	if errors.Is(err, context.Canceled) {
		return
	}
	h.mu.RLock()
	all := h.wide.docs
	h.mu.RUnlock()
	switch {
	case !all:
	case c.of && c.Seq > 0 && !passes(err):
		h.toAll(c.Seq, []event{unreadIn(c.id, c.Seq)})
	default:
		h.mu.Lock()
		h.restartLocked(unreadable(c.id))
		h.mu.Unlock()
	}
}

// failOne ends the streams of a context.
func (h *Hub) failOne(t *topic, c noted, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	h.cfg.Log.Error("events cannot be derived", "context", c.id, "err", err)
	if t != nil {
		h.end(c.Doc, unreadable(c.id))
	}
}

func unreadable(id kaijutsu.ContextID) error {
	return fmt.Errorf("the events of context %s cannot be read now: %w", id, kaijutsu.ErrUnavailable)
}
