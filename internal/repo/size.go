package repo

import (
	"reflect"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
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

const hashBytes = len(kaijutsu.ChangeHash{})

// What values take without what they point to.
var (
	changeBytes = sizeOf[Change]() + sizeOf[amfile.Change]() + sizeOf[kaijutsu.ActorID]()
	stepBytes   = sizeOf[blocks.Step]()
	blockBytes  = sizeOf[blocks.Block]()
	spliceBytes = int(reflect.TypeOf(blocks.Step{}.Splices).Elem().Size())
)

func sizeOf[T any]() int { return int(reflect.TypeFor[T]().Size()) }

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
		n += stepBytes + len(s.Meta) + len(s.Title)
		if b := s.Block; b != nil {
			n += blockBytes + len(b.Content) + len(b.Meta) + len(b.Order)
		}
		for k := range s.Splices {
			n += spliceBytes + len(s.Splices[k].Ins)
		}
	}
	return n
}
