package blocks

import (
	"time"

	"kaijutsu"
)

// Run is a number of neighbouring characters that one change wrote.
type Run struct {
	Start, Len int // code points
	Actor      kaijutsu.ActorID
	Change     kaijutsu.ChangeHash
	Time       time.Time // of the author's clock, in whole seconds
}

// Blame says who wrote what a block shows: runs that cover its content from
// front to back without a gap. The log must hold at least the changes that the
// model holds; a model of past heads gives the blame at those heads.
//
// A character is the work of the change that put it where it is. Content that
// took on another form is still the work of those who wrote it: where a change
// replaces a record by a text, or chunks by a body, and what it writes is what
// was there, the characters keep their authors.
//
// The error wraps kaijutsu.ErrNotFound when there is no such block.
func (m *Model) Blame(id ID, log Log) ([]Run, error) { return nil, errHistory }
