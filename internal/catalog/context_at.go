package catalog

import (
	"kaijutsu"
	"kaijutsu/internal/op"
)

type contextAtIn struct {
	inContext
	Heads   []string `json:"heads,omitempty" jsonschema:"As of these heads: change hashes, as results return them." rule:"minitems=1,maxitems=1000"`
	Version uint64   `json:"version,omitempty" jsonschema:"As of this version: its first so many changes." rule:"min=1"`
	Time    string   `json:"time,omitempty" jsonschema:"As of this time, such as 2026-11-21T10:00:00Z: the changes that their authors' clocks put no later." rule:"minlen=1,maxlen=64"`
}

type contextAtOut struct {
	ID        string     `json:"id"`
	Title     string     `json:"title"`
	Heads     []string   `json:"heads" jsonschema:"The heads that were meant."`
	Version   uint64     `json:"version" jsonschema:"How many changes that is."`
	Blocks    int        `json:"blocks" jsonschema:"How many blocks showed."`
	BlockList []blockRow `json:"block_list" jsonschema:"The blocks in document order."`
}

func (o *operations) contextAt() *op.Op {
	return op.Define(op.Spec{
		Name: "context_at", Title: "Read a context as it was", Command: []string{"ctx", "at"}, Args: []string{"context"},
		Summary: "Read a context as it was at a version, at a time or at heads",
		Description: "Give one of `heads`, `version` and `time`. Every result that has `heads` or `version` names a state that can be read again here, for ever. " +
			"Versions are the server's own count; heads mean the same on every replica.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("context_at"),
	}, o.contextAtMoment)
}
