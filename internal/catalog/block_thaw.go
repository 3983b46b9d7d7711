package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type blockThawIn struct{ onBlock }

type blockThawOut struct {
	writtenBlock
	Form string `json:"form" jsonschema:"The form it has now."`
}

func (o *operations) blockThaw() *op.Op {
	return define(o, op.Spec{
		Name: "block_thaw", Title: "Thaw a block", Args: []string{"block_id"},
		Summary: "Make a text of a finished record, so that editors can edit inside it",
		Description: "Operations that edit do it by themselves; editors that sync cannot, because two that did it at once would lose one side. " +
			"What the record said keeps its author. A record that is still being written is a conflict; of a text nothing is written.",
		Scope: op.OnContext, Right: kaijutsu.RightComment, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("block_thaw"),
	}, o.thawBlock)
}

func (o *operations) thawBlock(ctx context.Context, c op.Call, in blockThawIn) (out blockThawOut, err error) {
	out.writtenBlock, err = o.edit(ctx, c, in.onBlock, "block_thaw", func(e editing) error {
		if err := e.tx.Thaw(e.id); err != nil {
			return err
		}
		_, form, err := e.tx.Content(e.id)
		out.Form = string(form)
		return err
	})
	return out, err
}
