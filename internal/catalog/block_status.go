package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
)

type blockStatusIn struct {
	onBlock
	Status string `json:"status" jsonschema:"How far the work on it is." rule:"enum=pending|running|done|error|cancelled"`
}

func (o *operations) blockStatus() *op.Op {
	return define(o, op.Spec{
		Name: "block_status", Title: "Set a block's status", Args: []string{"block_id", "status"},
		Summary: "Say how far the work on a block is",
		Description: "From done, error or cancelled there is no way back to pending or running: that is a conflict. " +
			"What is still waiting to be appended is written first; chunks then become one body.",
		Scope: op.OnContext, Right: kaijutsu.RightComment, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("block_status"),
	}, o.setStatus)
}

func (o *operations) setStatus(ctx context.Context, c op.Call, in blockStatusIn) (writtenBlock, error) {
	return o.edit(ctx, c, in.onBlock, "block_status", func(e editing) error {
		return e.tx.SetStatus(e.id, blocks.Status(in.Status))
	})
}
