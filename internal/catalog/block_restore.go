package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type blockRestoreIn struct{ onBlock }

func (o *operations) blockRestore() *op.Op {
	return define(o, op.Spec{
		Name: "block_restore", Title: "Restore a block", Args: []string{"block_id"},
		Summary:     "Bring a deleted block back, with what hangs below it",
		Description: "A block below one that is still deleted does not show until that one is back too. Of a block that is not deleted nothing is written.",
		Scope:       op.OnContext, Right: kaijutsu.RightComment, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("block_restore"),
	}, o.restoreBlock)
}

func (o *operations) restoreBlock(ctx context.Context, c op.Call, in blockRestoreIn) (writtenBlock, error) {
	return o.edit(ctx, c, in.onBlock, "block_restore", func(e editing) error {
		return e.tx.Restore(e.id)
	})
}
