package server

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/door/mcpdoor"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// mail tells who follows inboxes that a drift has come: that a block of kind drift
// was inserted here, by whatever way. An event would come too early on a node
// that does not hold the block yet. It is safe for concurrent use; the zero value
// is ready.
type mail struct {
	mu sync.Mutex
	// watches are by their context, zero for all; guarded by mu.
	watches map[kaijutsu.DocumentID]map[*mailWatch]bool
}

// came is what happened to a context since somebody last looked.
type came struct {
	before kaijutsu.Heads         // where the context stood then
	blocks map[blocks.ID]struct{} // that were inserted
	all    bool                   // it is not known which
}

// maxCame is how many inserted blocks are noted; beyond it, anything may have come.
const maxCame = 1000

// note takes in what was committed. Document owners call it; it returns at once.
func (m *mail) note(c repo.Committed) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.watches) == 0 || c.Base != nil { // what a fork begins with has not come
		return
	}
	all := c.All || c.Deltas == nil || c.Deleted
	inserted := insertedBy(c.Deltas)
	if !all && len(inserted) == 0 {
		return
	}
	for _, doc := range []kaijutsu.DocumentID{c.Doc, {}} {
		for w := range m.watches[doc] {
			w.noteLocked(c, inserted, all)
		}
	}
}

// insertedBy returns the blocks that changes inserted.
func insertedBy(deltas []repo.Delta) []blocks.ID {
	var ids []blocks.ID
	for i := range deltas {
		for _, touched := range deltas[i].Blocks {
			if touched.How&blocks.TouchInserted != 0 {
				ids = append(ids, touched.ID)
			}
		}
	}
	return ids
}

// watch follows the inbox of a context, or of all when doc is zero.
func (m *mail) watch(doc kaijutsu.DocumentID, look func(context.Context, kaijutsu.DocumentID, *came) (bool, error)) *mailWatch {
	w := &mailWatch{box: m, doc: doc, look: look, wake: make(chan struct{}, 1), came: make(map[kaijutsu.DocumentID]*came)}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.watches == nil {
		m.watches = make(map[kaijutsu.DocumentID]map[*mailWatch]bool)
	}
	if m.watches[doc] == nil {
		m.watches[doc] = make(map[*mailWatch]bool)
	}
	m.watches[doc][w] = true
	return w
}

// mailWatch is one who follows.
type mailWatch struct {
	box  *mail
	doc  kaijutsu.DocumentID
	look func(context.Context, kaijutsu.DocumentID, *came) (bool, error)
	wake chan struct{}
	told time.Time

	came map[kaijutsu.DocumentID]*came // since the last time; guarded by box.mu
}

func (w *mailWatch) noteLocked(c repo.Committed, inserted []blocks.ID, all bool) {
	a := w.came[c.Doc]
	if a == nil {
		a = &came{before: c.Before, blocks: make(map[blocks.ID]struct{})}
		w.came[c.Doc] = a
	}
	for _, id := range inserted {
		a.blocks[id] = struct{}{}
	}
	if a.all = a.all || all || len(a.blocks) > maxCame; a.all {
		clear(a.blocks)
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Next waits until a drift has come to a context that may be read; no more often
// than eventsTold.
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
		all := w.came
		w.came = make(map[kaijutsu.DocumentID]*came)
		w.box.mu.Unlock()
		told := false
		for doc, a := range all {
			is, err := w.look(ctx, doc, a)
			if err != nil && doc == w.doc {
				return nil, err
			}
			told = told || is
		}
		if told {
			w.told = time.Now()
			return nil, nil
		}
	}
}

// Close ends the watch.
func (w *mailWatch) Close() {
	w.box.mu.Lock()
	defer w.box.mu.Unlock()
	if delete(w.box.watches[w.doc], w); len(w.box.watches[w.doc]) == 0 {
		delete(w.box.watches, w.doc)
	}
}

// letters are what agents follow as inboxes.
type letters struct{ s *Server }

// WatchLetters follows an inbox: that of the context, else of the one that the
// call means, else all.
func (l letters) WatchLetters(ctx context.Context, c op.Call, name string) (mcpdoor.Watch, error) {
	var doc kaijutsu.DocumentID
	if name != "" || c.Context != "" {
		var err error
		if doc, err = l.s.kernel.Resolve(ctx, c, name, kaijutsu.RightRead); err != nil {
			return nil, err
		}
	}
	return l.s.mail.watch(doc, func(ctx context.Context, doc kaijutsu.DocumentID, a *came) (bool, error) {
		return l.arrived(ctx, c, doc, a)
	}), nil
}

// arrived reports whether a drift is among what came. The error says that the
// context is none that the caller may read.
func (l letters) arrived(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, a *came) (is bool, err error) {
	if c.Bounds.Document(doc, l.s.kernel.SyncRight(c.By, doc)) < kaijutsu.RightRead {
		return false, fmt.Errorf("the context is gone, or the right to read it: %w", kaijutsu.ErrDenied)
	}
	err = l.s.kernel.View(ctx, c, doc, func(v repo.View) error {
		is = a.drift(v)
		return nil
	})
	if errors.Is(err, kaijutsu.ErrNotFound) || errors.Is(err, kaijutsu.ErrDenied) {
		return false, err
	}
	if err != nil { // the function may still run; better told once too often
		return true, nil
	}
	return is, nil
}

// drift reports whether a drift block has come that is not deleted.
func (a *came) drift(v repo.View) bool {
	for id := range a.blocks {
		if b, ok := v.Block(id); ok && b.Kind == blocks.KindDrift && !b.Deleted {
			return true
		}
	}
	if !a.all {
		return false
	}
	past, err := v.Past(a.before)
	if err != nil { // it was made anew; better told once too often
		return true
	}
	for b := range v.Model().Summaries() {
		if b.Kind != blocks.KindDrift {
			continue
		}
		if made, ok := v.Inserted(b.ID); ok && !past.Has(made) {
			return true
		}
	}
	return false
}
