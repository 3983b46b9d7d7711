package catalog

import (
	"kaijutsu"
	"kaijutsu/internal/op"
)

type blockThawIn struct{ onBlock }

type blockThawOut struct {
	writtenBlock
	Form string `json:"form" jsonschema:"The form it has now."`
}

func (o *operations) blockThaw() *op.Op {
	return op.Define(op.Spec{
		Name: "block_thaw", Title: "Thaw a block", Args: []string{"block_id"},
		Summary: "Make a text of a finished record, so that editors can edit inside it",
		Description: "Operations that edit do it by themselves; editors that sync cannot, because two that did it at once would lose one side. " +
			"What the record said keeps its author. A record that is still being written is a conflict; of a text nothing is written.",
		Scope: op.OnContext, Right: kaijutsu.RightComment, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("block_thaw"),
	}, o.thawBlock)
}
