package server

import (
	"context"
	"fmt"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/internal/door/mcpdoor"
	"kaijutsu/internal/op"
)

// mail tells who follows inboxes that something in them is another now. It is safe
// for concurrent use; the zero value is ready.
type mail struct {
	mu      sync.Mutex
	watches map[*mailWatch]bool // guarded by mu
}

// tell wakes those who follow the inbox of a context. It returns at once.
func (m *mail) tell(doc kaijutsu.DocumentID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for w := range m.watches {
		if !w.doc.IsZero() && w.doc != doc {
			continue
		}
		w.changed[doc] = true
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}

// watch follows the inbox of a context, or of all when doc is zero. may says who
// may know of a context now.
func (m *mail) watch(doc kaijutsu.DocumentID, may func(kaijutsu.DocumentID) bool) *mailWatch {
	w := &mailWatch{box: m, doc: doc, may: may, wake: make(chan struct{}, 1), changed: make(map[kaijutsu.DocumentID]bool)}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.watches == nil {
		m.watches = make(map[*mailWatch]bool)
	}
	m.watches[w] = true
	return w
}

// mailWatch is one who follows.
type mailWatch struct {
	box  *mail
	doc  kaijutsu.DocumentID
	may  func(kaijutsu.DocumentID) bool
	wake chan struct{}
	told time.Time

	changed map[kaijutsu.DocumentID]bool // since the last time; guarded by box.mu
}

// Next waits until something changed in a context that may be known of; no more
// often than eventsTold.
func (w *mailWatch) Next(ctx context.Context) ([]string, error) {
	wait := time.NewTimer(time.Until(w.told.Add(eventsTold)))
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-w.wake:
		}
		w.box.mu.Lock()
		changed := w.changed
		w.changed = make(map[kaijutsu.DocumentID]bool)
		w.box.mu.Unlock()
		for doc := range changed {
			switch {
			case w.may(doc):
				w.told = time.Now()
				return nil, nil
			case doc == w.doc:
				return nil, fmt.Errorf("the context is gone, or the right to read it: %w", kaijutsu.ErrDenied)
			}
		}
	}
}

// Close ends the watch.
func (w *mailWatch) Close() {
	w.box.mu.Lock()
	defer w.box.mu.Unlock()
	delete(w.box.watches, w)
}

// letters are what agents follow as inboxes.
type letters struct{ s *Server }

// WatchLetters follows an inbox: that of the context, else of the one that the
// call means, else all.
func (l letters) WatchLetters(ctx context.Context, c op.Call, context string) (mcpdoor.Watch, error) {
	var doc kaijutsu.DocumentID
	if context != "" || c.Context != "" {
		var err error
		if doc, err = l.s.kernel.Resolve(ctx, c, context, kaijutsu.RightRead); err != nil {
			return nil, err
		}
	}
	return l.s.mail.watch(doc, func(doc kaijutsu.DocumentID) bool {
		return l.s.kernel.SyncRight(c.By, doc) >= kaijutsu.RightRead
	}), nil
}
