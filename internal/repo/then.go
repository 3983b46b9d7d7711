package repo

import (
	"fmt"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/changegraph"
)

// Then is what a block held at some heads, and the principal who made the
// block. By is zero when the actor is not on record, or came Via a relay or an
// import.
type Then struct {
	blocks.Then
	By, Via kaijutsu.Principal
}

// Fate is what became of some lines of a block.
type Fate = blocks.Fate

// ContentAt returns what a block held at these heads, also one that is deleted
// now or was then, as At would show it. It takes time in proportion to what
// the block ever held and, for heads that were not asked for lately, a few
// nanoseconds for each change since. What blocks.Model.ContentAt cannot tell is
// asked of At: that takes longer, and its error has to be returned.
//
// The error wraps kaijutsu.ErrNotFound when the document does not hold one of
// the heads, or there was no such block, and ErrInvalid when there are no heads.
func (v View) ContentAt(id blocks.ID, heads kaijutsu.Heads) (Then, error) {
	heads, err := v.doc.known(heads)
	if err != nil {
		return Then{}, err
	}
	t, exact, err := v.doc.model.ContentAt(id, v.doc.graph.AncestryOf(heads), v.Log())
	if err == nil && !exact {
		t, err = v.replayed(id, heads)
	}
	if err != nil {
		return Then{}, fmt.Errorf("document %s at heads %v: %w", v.doc.id, heads, err)
	}
	by, via := v.Principal(t.Author)
	return Then{t, by, via}, nil
}

// replayed is the answer of a model of these heads.
func (v View) replayed(id blocks.ID, heads kaijutsu.Heads) (blocks.Then, error) {
	m, err := v.At(heads)
	if err != nil {
		return blocks.Then{}, err
	}
	t, ok := m.Then(id)
	if !ok {
		return blocks.Then{}, fmt.Errorf("block %s then: %w", id, kaijutsu.ErrNotFound)
	}
	return t, nil
}

// Fate says what became of lines first to last of what a block said at these
// heads, counted from 1; 0 and 0 is the whole block. The rule is that of
// blocks.Model.Fate, the errors are those of ContentAt, and ErrInvalid when the
// block had no such lines.
func (v View) Fate(id blocks.ID, heads kaijutsu.Heads, first, last int) (Fate, error) {
	heads, err := v.doc.known(heads)
	if err != nil {
		return Fate{}, err
	}
	f, exact, err := v.doc.model.Fate(id, v.doc.graph.AncestryOf(heads), v.Log(), first, last)
	if err == nil && !exact {
		var m *blocks.Model
		if m, err = v.At(heads); err == nil {
			f, err = v.doc.model.FateSince(m, id, first, last)
		}
	}
	if err != nil {
		return Fate{}, fmt.Errorf("document %s since heads %v: %w", v.doc.id, heads, err)
	}
	return f, nil
}

// Past is a set of changes: some heads and everything behind them. It is good
// while the function that got it from a View runs.
type Past struct {
	graph   *changegraph.Graph
	changes changegraph.Ancestry
}

// Past returns the changes at and behind these heads. The error is that of At.
func (v View) Past(heads kaijutsu.Heads) (Past, error) {
	heads, err := v.doc.known(heads)
	if err != nil {
		return Past{}, err
	}
	return Past{v.doc.graph, v.doc.graph.AncestryOf(heads)}, nil
}

// Has reports whether a change is in the past; one that the document does not
// hold is not.
func (p Past) Has(c kaijutsu.ChangeHash) bool {
	i, ok := p.graph.Index(c)
	return ok && p.changes.Has(i)
}

// Inserted returns the change that made the block that shows under an id, also
// one that is deleted; false if there is none.
func (v View) Inserted(id blocks.ID) (kaijutsu.ChangeHash, bool) {
	actor, counter, ok := v.doc.model.Made(id)
	if !ok {
		return kaijutsu.ChangeHash{}, false
	}
	i, ok := v.doc.graph.Find(actor, counter)
	if !ok {
		return kaijutsu.ChangeHash{}, false
	}
	return v.doc.graph.Hash(i), true
}

// Behind reports whether a change is one of these heads or behind them. For
// many questions about the same heads, ask Past once. The error is that of At.
func (v View) Behind(c kaijutsu.ChangeHash, heads kaijutsu.Heads) (bool, error) {
	p, err := v.Past(heads)
	return err == nil && p.Has(c), err
}

// Behinds is Behind of many changes.
func (v View) Behinds(cs []kaijutsu.ChangeHash, heads kaijutsu.Heads) ([]bool, error) {
	p, err := v.Past(heads)
	if err != nil {
		return nil, err
	}
	out := make([]bool, len(cs))
	for i, c := range cs {
		out[i] = p.Has(c)
	}
	return out, nil
}
