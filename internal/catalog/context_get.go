package catalog

import (
	"kaijutsu"
	"kaijutsu/internal/op"
)

type contextGetIn struct {
	inContext
	IncludeDeleted bool `json:"include_deleted,omitempty" jsonschema:"Return deleted blocks too, and what hangs below them, behind the others. Default: leave them out."`
}

// contextDetail is a context with its blocks in document order.
type contextDetail struct {
	contextRow
	Heads     []string   `json:"heads" jsonschema:"The hashes of the changes that no other change rests on: they name this state of the context."`
	Version   uint64     `json:"version" jsonschema:"How many changes the context holds."`
	BlockList []blockRow `json:"block_list" jsonschema:"The blocks in document order: a parent before its children."`
}

func (o *operations) contextGet() *op.Op {
	return op.Define(op.Spec{
		Name: "context_get", Title: "Read a context", Command: []string{"ctx", "get"}, Args: []string{"context"},
		Summary: "Read a whole context: its title, its heads and every block with its content",
		Description: "For one block use block_read; for a large context use block_list, which returns summaries and pages. " +
			"`depth` says how a block hangs in the tree; blocks come in the order in which people read them.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("context_get"),
	}, o.getContext)
}
