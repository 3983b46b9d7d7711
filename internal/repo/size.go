package repo

import (
	"unsafe"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/textdiff"
)

// slim returns a change without its operations, as it may be kept: those may
// take a thousand times the memory of the bytes that they are in. It shares no
// memory with c but its bytes, as what is decoded is one piece.
func slim(c *amfile.Change) *amfile.Change {
	s := &struct {
		amfile.Change
		actor [1]kaijutsu.ActorID
		deps  [1]kaijutsu.ChangeHash // most have one
	}{Change: *c}
	s.actor[0] = c.Author()
	s.Ops, s.Extra, s.Actors, s.Deps = nil, nil, s.actor[:], append(s.deps[:0], c.Deps...)
	return &s.Change
}

const (
	changeBytes = int(unsafe.Sizeof(Change{}) + unsafe.Sizeof(amfile.Change{}) + unsafe.Sizeof(kaijutsu.ActorID("")))
	hashBytes   = len(kaijutsu.ChangeHash{})
)

// Bytes estimates the memory that keeping the change takes, its Steps included.
// What it shares with others, its bytes in the log among it, counts in full.
func (c Change) Bytes() int {
	n := changeBytes + hashBytes*len(c.Heads) + stepsBytes(c.Steps)
	if c.Change != nil {
		n += len(c.Raw) + hashBytes*len(c.Deps) + len(c.Ops)*decodedOpBytes
	}
	return n
}

// Bare returns the change without what it did to the blocks: Steps and Heads.
func (c Change) Bare() Change {
	c.Steps, c.Heads = nil, nil
	return c
}

// stepsBytes is what steps take. A change of a few bytes may make many, or long
// ones: that moves a block above thousands, or restores a long one.
func stepsBytes(steps []blocks.Step) int {
	n := 0
	for i := range steps {
		s := &steps[i]
		n += int(unsafe.Sizeof(*s)) + len(s.Meta) + len(s.Title)
		if b := s.Block; b != nil {
			n += int(unsafe.Sizeof(*b)) + len(b.Content) + len(b.Meta) + len(b.Order)
		}
		for k := range s.Splices {
			n += int(unsafe.Sizeof(textdiff.Splice{})) + len(s.Splices[k].Ins)
		}
	}
	return n
}
