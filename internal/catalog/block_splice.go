package catalog

import (
	"kaijutsu"
	"kaijutsu/internal/op"
)

type blockSpliceIn struct {
	onBlock
	Offset int    `json:"offset" jsonschema:"Where, from 0, counted in unit." rule:"min=0"`
	Delete int    `json:"delete_count" jsonschema:"How much to take out there, counted in unit." rule:"min=0"`
	Insert string `json:"insert,omitempty" jsonschema:"What to put there."`
	Unit   string `json:"unit,omitempty" jsonschema:"What offset and delete_count count: Unicode code points, UTF-16 units as JavaScript does, or bytes of UTF-8." rule:"enum=code_points|utf16|bytes,default=code_points"`
	ifHeads
}

func (o *operations) blockSplice() *op.Op {
	return op.Define(op.Spec{
		Name: "block_splice", Title: "Splice a block", Args: []string{"block_id", "offset", "delete_count", "insert…"},
		Summary: "Replace a range of characters of a block",
		Description: "An offset or range past the end is an error, and so is one that cuts a character in two: nothing is clamped. " +
			"Use `if_heads` when the offset comes from an earlier read.",
		Scope: op.OnContext, Right: kaijutsu.RightComment, Effect: op.Writes,
		Examples: examplesOf("block_splice"),
	}, o.spliceBlock)
}
