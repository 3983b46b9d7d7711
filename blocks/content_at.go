package blocks

import (
	"time"

	"kaijutsu"
)

// Then is what a block held at some heads.
type Then struct {
	Content string
	Form    Form // which field Content came from; "" when there was none
	Kind    Kind
	Deleted bool // a tombstone; the content is what it held
	// Author made the block, at the time Created.
	Author  kaijutsu.ActorID
	Created time.Time
}

// thenOf returns what a block of a model holds.
func thenOf(b Block) Then {
	return Then{Content: b.Content, Form: b.Form, Kind: b.Kind, Deleted: b.Deleted, Author: b.Author, Created: b.Created}
}

// Then returns what a block holds now, also one that is deleted; false if there
// is none of this id.
func (m *Model) Then(id ID) (Then, bool) {
	b, ok := m.Block(id)
	return thenOf(b), ok
}
