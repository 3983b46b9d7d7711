package catalog

import (
	"kaijutsu"
	"kaijutsu/internal/op"
)

type blockStatusIn struct {
	onBlock
	Status string `json:"status" jsonschema:"How far the work on it is." rule:"enum=pending|running|done|error|cancelled"`
}

func (o *operations) blockStatus() *op.Op {
	return op.Define(op.Spec{
		Name: "block_status", Title: "Set a block's status", Args: []string{"block_id", "status"},
		Summary: "Say how far the work on a block is",
		Description: "From done, error or cancelled there is no way back to pending or running: that is a conflict. " +
			"What is still waiting to be appended is written first; chunks then become one body.",
		Scope: op.OnContext, Right: kaijutsu.RightComment, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("block_status"),
	}, o.setStatus)
}
