package repo

import (
	"fmt"

	"kaijutsu"
	"kaijutsu/blocks"
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
// now or was then. The error wraps kaijutsu.ErrNotFound when the document does
// not hold one of the heads, or there was no such block. The error may be one
// of At, which has to be returned.
func (v View) ContentAt(id blocks.ID, heads kaijutsu.Heads) (Then, error) {
	m, err := v.At(heads)
	if err != nil {
		return Then{}, err
	}
	t, ok := m.Then(id)
	if !ok {
		return Then{}, fmt.Errorf("block %s at these heads: %w", id, kaijutsu.ErrNotFound)
	}
	by, via := v.Principal(t.Author)
	return Then{t, by, via}, nil
}

// Fate says what became of lines first to last of what a block said at these
// heads, counted from 1; 0 and 0 is the whole block.
func (v View) Fate(id blocks.ID, heads kaijutsu.Heads, first, last int) (Fate, error) {
	return Fate{}, fmt.Errorf("fate of block %s: %w", id, kaijutsu.ErrUnavailable)
}

// Past is a set of changes: some heads and everything behind them. It is good
// while the function that got it from a View runs.
type Past struct{ outside map[kaijutsu.ChangeHash]bool }

// Past returns the changes at and behind these heads. The error is that of At.
func (v View) Past(heads kaijutsu.Heads) (Past, error) {
	return Past{}, kaijutsu.ErrUnavailable
}

// Has reports whether a change is one of the heads or behind them.
func (p Past) Has(c kaijutsu.ChangeHash) bool { return !p.outside[c] }

// Behind reports whether a change is one of these heads or behind them. For
// many questions about the same heads, ask Past once.
func (v View) Behind(c kaijutsu.ChangeHash, heads kaijutsu.Heads) (bool, error) {
	p, err := v.Past(heads)
	return err == nil && p.Has(c), err
}
