package catalog

import (
	"context"
	"encoding/json"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

type blockCreateIn struct {
	inContext
	ID        string          `json:"id,omitempty" jsonschema:"An id of your own for the block: a UUID in lower case, never used before. A call that is repeated with it fails instead of making a second block. Default: a fresh one." rule:"pattern=^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"`
	Parent    string          `json:"parent_id,omitempty" jsonschema:"The block below which it goes. Default: none, or that of the block named by after or before." rule:"maxlen=36,alias=parent"`
	Role      string          `json:"role,omitempty" jsonschema:"On whose behalf it speaks. Default: user; model for thinking and tool_call, tool for tool_result, system for shell_output and drift." rule:"enum=user|model|system|tool"`
	Kind      string          `json:"kind,omitempty" jsonschema:"What it is." rule:"enum=text|thinking|tool_call|tool_result|shell_command|shell_output|drift|file|resource|query|run|checkpoint|task|comment|error,default=text"`
	Content   string          `json:"content,omitempty" jsonschema:"What it says. Up to 50,000 characters as text, a megabyte as a record."`
	Metadata  json.RawMessage `json:"metadata,omitempty" jsonschema:"A JSON object that is kept with the block: tool_name, tool_call_id, exit_code, path, lang and the like." rule:"object,alias=meta"`
	Position  string          `json:"position,omitempty" jsonschema:"Where below its parent. Default: last; a tool_result goes right behind its tool_call and the results that stand there, in front of what else hangs below the call." rule:"enum=first|last"`
	After     string          `json:"after,omitempty" jsonschema:"Right behind this block, below the same parent." rule:"minlen=6,maxlen=36"`
	Before    string          `json:"before,omitempty" jsonschema:"Right in front of this block, below the same parent." rule:"minlen=6,maxlen=36"`
	Status    string          `json:"status,omitempty" jsonschema:"How far the work on it is. Default: done; running for chunks." rule:"enum=pending|running|done|error|cancelled"`
	Form      string          `json:"form,omitempty" jsonschema:"text: anyone may edit inside it. body: a record, for what machines write. chunks: a record that block_append still adds to. Default: text for role user, else body, or chunks while the status is pending or running." rule:"enum=text|body|chunks"`
	Collapsed bool            `json:"collapsed,omitempty" jsonschema:"Show it folded."`
	Excluded  bool            `json:"excluded,omitempty" jsonschema:"Never send it to a model."`
	Ephemeral bool            `json:"ephemeral,omitempty" jsonschema:"It is of no lasting interest."`
}

type blockCreateOut struct {
	ID string `json:"id" jsonschema:"The id of the block, under the name that rows have for it."`
	writtenBlock
}

func (o *operations) blockCreate() *op.Op {
	return define(o, op.Spec{
		Name: "block_create", Title: "Create a block", Args: []string{"content…"},
		Summary: "Add a block to a context",
		Description: "It goes last, unless `position`, `after` or `before` says otherwise: give one of them at most. " +
			"A parent or neighbour that does not exist is an error, and nothing is written.\n\n" +
			"To stream what a machine writes, create it with `status` running and call block_append; block_status done finishes it.\n\n" +
			"With the role commenter, only blocks of kind comment can be made.",
		Scope: op.OnContext, Right: kaijutsu.RightComment, Effect: op.Writes,
		Examples: examplesOf("block_create"),
	}, o.createBlock)
}

func (o *operations) createBlock(ctx context.Context, c op.Call, in blockCreateIn) (blockCreateOut, error) {
	doc, err := o.parts.Kernel.Resolve(ctx, c, in.Context, kaijutsu.RightComment)
	if err != nil {
		return blockCreateOut{}, err
	}
	spec := blocks.BlockSpec{
		ID: blocks.ID(in.ID), Kind: blocks.Kind(in.Kind), Role: blocks.Role(in.Role),
		Form: blocks.Form(in.Form), Status: blocks.Status(in.Status), Content: in.Content, Meta: metaText(in.Metadata),
		Collapsed: in.Collapsed, Excluded: in.Excluded, Ephemeral: in.Ephemeral,
	}
	if spec.ID == "" {
		spec.ID = blocks.NewID(time.Now())
	}
	if spec.Form == blocks.FormChunks && spec.Status == "" {
		spec.Status = blocks.StatusRunning // what is written in chunks is not done yet
	}
	edited, err := o.parts.Kernel.Edit(ctx, c, doc, "block_create", func(v repo.View, tx *blocks.Tx) (err error) {
		if in.Parent != "" {
			if spec.Parent, err = blockIn(v, "parent_id", in.Parent); err != nil {
				return err
			}
		}
		if spec.Position, _, err = (place{in.Position, in.After, in.Before}).find(v); err != nil {
			return err
		}
		return tx.InsertBlock(spec)
	})
	if err != nil {
		return blockCreateOut{}, err
	}
	return blockCreateOut{string(spec.ID), writtenBlock{string(spec.ID), writtenOf(doc, edited)}}, nil
}
