package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type blockDeleteIn struct {
	onBlock
	ifHeads
}

func (o *operations) blockDelete() *op.Op {
	return define(o, op.Spec{
		Name: "block_delete", Title: "Delete a block", Args: []string{"block_id"},
		Summary: "Delete a block: it and what hangs below it no longer show",
		Description: "It leaves a tombstone: block_restore and undo bring it back, with what others wrote in the meantime. " +
			"block_list shows it with `include_deleted`, and block_read reads it.",
		Scope: op.OnContext, Right: kaijutsu.RightComment, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("block_delete"),
	}, o.deleteBlock)
}

func (o *operations) deleteBlock(ctx context.Context, c op.Call, in blockDeleteIn) (writtenBlock, error) {
	return o.edit(ctx, c, in.onBlock, "block_delete", func(e editing) error {
		if err := in.check(e.view); err != nil {
			return err
		}
		return e.tx.Delete(e.id)
	})
}
