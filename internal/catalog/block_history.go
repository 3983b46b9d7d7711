package catalog

import (
	"kaijutsu"
	"kaijutsu/internal/op"
)

type blockHistoryIn struct {
	onBlock
	Limit  int    `json:"limit,omitempty" jsonschema:"How many to return at most." rule:"min=1,max=10000,default=50"`
	Cursor string `json:"cursor,omitempty" jsonschema:"The next of the call before: go on with what is older." rule:"maxlen=64"`
}

type historyEntry struct {
	Change  string   `json:"change"`
	Version uint64   `json:"version" jsonschema:"The version that the context had with it."`
	Time    string   `json:"time" jsonschema:"What its author's clock showed."`
	Author  string   `json:"author" jsonschema:"The name of the principal, or the actor id when nobody is on record."`
	Via     string   `json:"via,omitempty"`
	Actor   string   `json:"actor"`
	How     []string `json:"how" jsonschema:"What it did to the block: inserted, content, status, moved, deleted, restored, meta, flags."`
	Message string   `json:"message,omitempty"`
}

type blockHistoryOut struct {
	Block   string         `json:"block_id"`
	Context string         `json:"context"`
	Entries []historyEntry `json:"entries" jsonschema:"The newest first."`
	Next    string         `json:"next,omitempty" jsonschema:"There are more: pass it as cursor. Absent: that was all."`
}

func (o *operations) blockHistory() *op.Op {
	return op.Define(op.Spec{
		Name: "block_history", Title: "Show a block's history", Args: []string{"block_id"},
		Summary:     "List the changes that touched a block: who, when and what, the newest first",
		Description: "The hash of a change can be passed as `at` to read the block as it was right then, and as `change` to undo.",
		Scope:       op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("block_history"),
	}, o.historyOfBlock)
}
