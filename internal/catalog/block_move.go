package catalog

import (
	"kaijutsu"
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
	return op.Define(op.Spec{
		Name: "block_move", Title: "Move a block", Args: []string{"block_id"},
		Summary: "Move a block, with what hangs below it, to another place in its context",
		Description: "Say where by `parent_id`, `position`, `after` or `before`; of the last three one at most. " +
			"Below itself it cannot go, nor deeper than 512.",
		Scope: op.OnContext, Right: kaijutsu.RightComment, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("block_move"),
	}, o.moveBlock)
}
