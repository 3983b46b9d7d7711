package repo

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
)

const (
	// historyStep is how many changes are taken out of the owner at a time.
	historyStep = 8192
	// historiesKept is how many changes of all documents together stay looked
	// at, at some 40 bytes each.
	historiesKept = 1 << 20
)

// History is who made the changes of a document, when, and which blocks they
// touched, in the order of the log. It shares what it holds with others and
// must not be written to.
type History struct {
	Changes []HistoryChange
	Actors  []kaijutsu.ActorID
	IDs     []blocks.ID

	deps    []int32
	touches []blocks.TrackedTouch
}

// HistoryChange is one change.
type HistoryChange struct {
	Time  int64  // of its author's clock, Unix seconds
	Actor uint32 // an index in Actors
	Title bool   // it touched the title

	depsEnd, touchesEnd uint32
}

// Deps returns the numbers of the changes that change i depends on.
func (h *History) Deps(i int) []int32 {
	from := uint32(0)
	if i > 0 {
		from = h.Changes[i-1].depsEnd
	}
	return h.deps[from:h.Changes[i].depsEnd]
}

// Touches returns the blocks that change i touched, by their index in IDs.
func (h *History) Touches(i int) []blocks.TrackedTouch {
	from := uint32(0)
	if i > 0 {
		from = h.Changes[i-1].touchesEnd
	}
	return h.touches[from:h.Changes[i].touchesEnd]
}

// Histories makes the histories of documents, outside of their owners, and
// keeps the last for what comes after. The zero value is ready.
type Histories struct {
	mu   sync.Mutex
	kept []*growing // the last used is last
}

// growing is the history of a document as far as it was looked at.
type growing struct {
	doc  kaijutsu.DocumentID
	size atomic.Int64  // changes
	turn chan struct{} // holds one while somebody is at work on what follows

	history History
	last    kaijutsu.ChangeHash
	actors  map[kaijutsu.ActorID]uint32
	tracker blocks.Tracker
	glimpse amfile.Glimpse
}

// Of returns the history of a document up to what it holds now. view calls a
// function with a View of it, as Repo.View does; that takes a moment each time.
func (hs *Histories) Of(ctx context.Context, doc kaijutsu.DocumentID, view func(func(View) error) error) (History, error) {
	g := hs.take(doc)
	select {
	case g.turn <- struct{}{}:
		defer func() { <-g.turn }()
	case <-ctx.Done():
		return History{}, ctx.Err()
	}
	for want := -1; want < 0 || len(g.history.Changes) < want; {
		var part historyPart
		err := view(func(v View) error {
			if want < 0 {
				want = v.Log().Len()
			}
			part = g.next(v.doc)
			return nil
		})
		if err != nil {
			return History{}, err
		}
		if err := g.add(part); err != nil {
			return History{}, fmt.Errorf("history of document %s: %w", doc, err)
		}
	}
	hs.keep()
	return g.history, ctx.Err()
}

// take returns what is known of a document.
func (hs *Histories) take(doc kaijutsu.DocumentID) *growing {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	for k, g := range hs.kept {
		if g.doc == doc {
			hs.kept = append(append(hs.kept[:k:k], hs.kept[k+1:]...), g)
			return g
		}
	}
	g := &growing{doc: doc, turn: make(chan struct{}, 1)}
	g.reset()
	hs.kept = append(hs.kept, g)
	return g
}

// keep forgets those that were not used for the longest time, when they are
// too many. The last one stays.
func (hs *Histories) keep() {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	total := int64(0)
	for k := len(hs.kept) - 1; k >= 0; k-- {
		total += hs.kept[k].size.Load()
		if total > historiesKept && k < len(hs.kept)-1 {
			hs.kept = append([]*growing{}, hs.kept[k+1:]...)
			return
		}
	}
}

// historyPart is some changes, taken out of the owner.
type historyPart struct {
	reset bool // the document is not the one that was looked at
	raws  [][]byte
	deps  [][]int32
	last  kaijutsu.ChangeHash
}

// next takes the changes out of a document that are to be looked at next. It
// runs in the owner.
func (g *growing) next(d *document) (p historyPart) {
	from := len(g.history.Changes)
	if from > d.graph.Len() || from > 0 && d.graph.Hash(from-1) != g.last {
		p.reset, from = true, 0
	}
	to := min(from+historyStep, d.graph.Len())
	p.raws, p.deps = make([][]byte, 0, to-from), make([][]int32, 0, to-from)
	for i := from; i < to; i++ {
		p.raws, p.deps = append(p.raws, d.graph.Raw(i)), append(p.deps, d.graph.Deps(i))
	}
	if to > 0 {
		p.last = d.graph.Hash(to - 1)
	}
	return p
}

// add looks at changes.
func (g *growing) add(p historyPart) error {
	if p.reset {
		g.reset()
	}
	h := &g.history
	for k, raw := range p.raws {
		if err := g.glimpse.Read(raw); err != nil {
			err = fmt.Errorf("read change %d: %w", len(h.Changes), err)
			g.reset()
			return err
		}
		touched, title := g.tracker.Follow(&g.glimpse)
		h.deps = append(h.deps, p.deps[k]...)
		h.touches = append(h.touches, touched...)
		h.Changes = append(h.Changes, HistoryChange{
			Time: g.glimpse.Time, Actor: g.actor(g.glimpse.Actors[0]), Title: title,
			depsEnd: uint32(len(h.deps)), touchesEnd: uint32(len(h.touches)),
		})
	}
	h.IDs, g.last = g.tracker.IDs(), p.last
	g.size.Store(int64(len(h.Changes)))
	return nil
}

// actor returns the index of an actor.
func (g *growing) actor(id []byte) uint32 {
	n, ok := g.actors[kaijutsu.ActorID(id)]
	if !ok {
		n = uint32(len(g.history.Actors))
		g.actors[kaijutsu.ActorID(id)] = n
		g.history.Actors = append(g.history.Actors, kaijutsu.ActorID(id))
	}
	return n
}

func (g *growing) reset() {
	g.history, g.last = History{}, kaijutsu.ChangeHash{}
	g.actors = make(map[kaijutsu.ActorID]uint32)
	g.tracker = blocks.Tracker{}
}
