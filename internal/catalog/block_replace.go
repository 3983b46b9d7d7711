package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type blockReplaceIn struct {
	onBlock
	Content  string  `json:"content" jsonschema:"What the block is to say."`
	Expected *string `json:"expected_text,omitempty" jsonschema:"What it says now. If it says something else, nothing is written."`
	ifHeads
}

func (o *operations) blockReplace() *op.Op {
	return define(o, op.Spec{
		Name: "block_replace", Title: "Replace a block's content", Args: []string{"block_id", "content…"},
		Summary: "Make a text the content of a block, writing only the difference",
		Description: "What is the same keeps its author, and edits that others make at the same time are kept. " +
			"If nothing differs, nothing is written.",
		Scope: op.OnContext, Right: kaijutsu.RightComment, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("block_replace"),
	}, o.replaceBlock)
}

func (o *operations) replaceBlock(ctx context.Context, c op.Call, in blockReplaceIn) (writtenBlock, error) {
	return o.edit(ctx, c, in.onBlock, "block_replace", func(e editing) error {
		if err := in.check(e.view); err != nil {
			return err
		}
		content, _, err := e.tx.Content(e.id)
		if err != nil {
			return err
		}
		if err := expect("expected_text", in.Expected, content); err != nil {
			return err
		}
		return e.tx.ReplaceText(e.id, in.Content)
	})
}
