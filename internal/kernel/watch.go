package kernel

import (
	"context"
	"slices"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// listEvery is how often a watch of the list looks at it, at most.
const listEvery = time.Second

// watches are the watches of the list of contexts.
type watches struct {
	mu  sync.Mutex
	all map[*ListWatch]struct{} // guarded by mu
}

// wake has every watch look again.
func (w *watches) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for l := range w.all {
		select {
		case l.woken <- struct{}{}:
		default:
		}
	}
}

// Note tells the kernel what was committed. Document owners call it; it returns
// at once.
func (k *Kernel) Note(c repo.Committed) {
	if k.ofNodes(c.Doc) {
		return
	}
	k.noteFork(c)
	if k.shelf.note(c) {
		k.watches.wake()
	}
	k.questions.note(c)
	if !c.Deleted && k.records.isDeleted(c.Doc) {
		k.chores.delete(c.Doc) // another node sent it before it knew
	}
}

// ListWatch follows which contexts a caller may read, their titles and labels.
type ListWatch struct {
	k     *Kernel
	c     op.Call
	woken chan struct{} // holds a token when there is something to look at
	seen  []listRow
	at    time.Time // when seen was looked at
}

// listRow is what of a context a watch of the list looks at.
type listRow struct {
	doc   kaijutsu.DocumentID
	title string
	label string
}

// WatchContexts starts to follow the contexts that a caller may read and that
// are not archived, from now on. Close it.
func (k *Kernel) WatchContexts(ctx context.Context, c op.Call) (*ListWatch, error) {
	l := &ListWatch{k: k, c: c, woken: make(chan struct{}, 1)}
	k.watches.mu.Lock()
	k.watches.all[l] = struct{}{}
	k.watches.mu.Unlock()
	if _, err := l.look(ctx); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// Next waits until the list is another than the last time. It looks once a
// second at most.
func (l *ListWatch) Next(ctx context.Context) error {
	for {
		select {
		case <-l.woken:
		case <-ctx.Done():
			return ctx.Err()
		}
		wait := time.NewTimer(time.Until(l.at.Add(listEvery)))
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return ctx.Err()
		}
		if changed, err := l.look(ctx); changed || err != nil {
			return err
		}
	}
}

// look reads the list and reports whether it has changed.
func (l *ListWatch) look(ctx context.Context) (changed bool, err error) {
	l.at = time.Now()
	c := l.c
	c.Right = c.Bounds.Kernel(l.k.cfg.Access.Kernel(c.By))
	all, err := l.k.Contexts(ctx, c, false)
	if err != nil {
		return false, err
	}
	now := make([]listRow, len(all))
	for i, info := range all {
		now[i] = listRow{info.Doc, info.Title, info.Label}
	}
	changed = !slices.Equal(now, l.seen)
	l.seen = now
	return changed, nil
}

// Close ends the watch.
func (l *ListWatch) Close() {
	l.k.watches.mu.Lock()
	defer l.k.watches.mu.Unlock()
	delete(l.k.watches.all, l)
}
