package catalog

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
)

type blockMoveIn struct {
	onBlock
	Parent   *string `json:"parent_id,omitempty" jsonschema:"The block below which it goes; empty: to the root. Default: below the parent it has, or that of the block named by after or before." rule:"maxlen=36,alias=parent"`
	Position string  `json:"position,omitempty" jsonschema:"Where below its parent. Default: last." rule:"enum=first|last"`
	After    string  `json:"after,omitempty" jsonschema:"Right behind this block, below the same parent." rule:"minlen=6,maxlen=36"`
	Before   string  `json:"before,omitempty" jsonschema:"Right in front of this block, below the same parent." rule:"minlen=6,maxlen=36"`
}

func (o *operations) blockMove() *op.Op {
	return define(o, op.Spec{
		Name: "block_move", Title: "Move a block", Args: []string{"block_id"},
		Summary: "Move a block, with what hangs below it, to another place in its context",
		Description: "Say where by `parent_id`, `position`, `after` or `before`; of the last three one at most. " +
			"Below itself it cannot go, nor deeper than 512. A tool_result stays right behind its tool_call.",
		Scope: op.OnContext, Right: kaijutsu.RightComment, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("block_move"),
	}, o.moveBlock)
}

func (o *operations) moveBlock(ctx context.Context, c op.Call, in blockMoveIn) (writtenBlock, error) {
	if in.Parent == nil && in.Position == "" && in.After == "" && in.Before == "" {
		return writtenBlock{}, &op.FieldError{Field: "parent_id", Reason: "it is not said where to", Hint: "give parent_id, position, after or before"}
	}
	return o.edit(ctx, c, in.onBlock, "block_move", func(e editing) error {
		pos, relative, err := (place{in.Position, in.After, in.Before}).find(e.view)
		if err != nil {
			return err
		}
		var parent blocks.ID
		switch {
		case in.Parent != nil && *in.Parent != "":
			if parent, err = blockIn(e.view, "parent_id", *in.Parent); err != nil {
				return err
			}
		case in.Parent == nil && !relative:
			b, ok := e.view.Model().Summary(e.id)
			if !ok {
				return fmt.Errorf("block %s: %w in this context", e.id, kaijutsu.ErrNotFound)
			}
			parent = b.Parent
		}
		return e.tx.Move(e.id, parent, pos)
	})
}
