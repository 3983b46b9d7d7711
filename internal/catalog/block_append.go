package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

type blockAppendIn struct {
	onBlock
	Text  string `json:"text" jsonschema:"What to add at the end, as it is: no newline is put in front of it."`
	Flush bool   `json:"flush,omitempty" jsonschema:"Write it out at once, with what was waiting. Default: wait for a newline, for 50 characters or for 100 ms."`
}

type blockAppendOut struct {
	writtenBlock
	Durable  bool `json:"durable" jsonschema:"All of it is on disk. False: it waits for a newline, for more text or for 100 ms to pass, and version and heads are those without it."`
	Buffered int  `json:"buffered" jsonschema:"How many characters of the caller wait."`
}

func (o *operations) blockAppend() *op.Op {
	return define(o, op.Spec{
		Name: "block_append", Title: "Append to a block", Args: []string{"block_id", "text…"},
		Summary: "Add text to the end of a block, as it is streamed",
		Description: "Small pieces are gathered: they become one change at a newline, at 50 characters, after 100 ms, before anybody reads or edits the block, " +
			"or when its status becomes done, error or cancelled. `durable` says whether this call is on disk already.\n\n" +
			"To a finished record (form body) nothing can be appended: that is a conflict; block_thaw makes a text of it.",
		Scope: op.OnContext, Right: kaijutsu.RightComment, Effect: op.Writes,
		Examples: examplesOf("block_append"),
	}, o.appendBlock)
}

func (o *operations) appendBlock(ctx context.Context, c op.Call, in blockAppendIn) (blockAppendOut, error) {
	doc, id, err := o.parts.Kernel.ResolveBlock(ctx, c, in.Context, in.Block, kaijutsu.RightComment)
	if err != nil {
		return blockAppendOut{}, err
	}
	done, err := o.parts.Kernel.Append(ctx, c, doc, id, in.Text, in.Flush)
	if err != nil {
		return blockAppendOut{}, err
	}
	w := writtenOf(doc, repo.Edited{Version: done.Version, Heads: done.Heads, Change: done.Change})
	return blockAppendOut{writtenBlock{string(id), w}, done.Durable, done.Buffered}, nil
}
