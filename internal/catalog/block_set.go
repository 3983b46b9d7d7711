package catalog

import (
	"context"
	"encoding/json"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
)

type blockSetIn struct {
	onBlock
	Collapsed *bool           `json:"collapsed,omitempty" jsonschema:"Show it folded."`
	Excluded  *bool           `json:"excluded,omitempty" jsonschema:"Never send it to a model."`
	Ephemeral *bool           `json:"ephemeral,omitempty" jsonschema:"It is of no lasting interest."`
	Metadata  json.RawMessage `json:"metadata,omitempty" jsonschema:"The JSON object to keep with the block instead of the one it has. An empty object takes it away." rule:"object,alias=meta"`
}

func (o *operations) blockSet() *op.Op {
	return define(o, op.Spec{
		Name: "block_set", Title: "Set a block's flags and metadata", Args: []string{"block_id"},
		Summary:     "Set flags and metadata of a block",
		Description: "What is not given stays; give at least one. Metadata is replaced as a whole.",
		Scope:       op.OnContext, Right: kaijutsu.RightComment, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("block_set"),
	}, o.setBlock)
}

func (o *operations) setBlock(ctx context.Context, c op.Call, in blockSetIn) (writtenBlock, error) {
	if in.Collapsed == nil && in.Excluded == nil && in.Ephemeral == nil && in.Metadata == nil {
		return writtenBlock{}, &op.FieldError{Field: "collapsed", Reason: "there is nothing to set", Hint: "give collapsed, excluded, ephemeral or metadata"}
	}
	return o.edit(ctx, c, in.onBlock, "block_set", func(e editing) error {
		for flag, on := range map[blocks.Flag]*bool{
			blocks.FlagCollapsed: in.Collapsed, blocks.FlagExcluded: in.Excluded, blocks.FlagEphemeral: in.Ephemeral,
		} {
			if on == nil {
				continue
			}
			if err := e.tx.SetFlag(e.id, flag, *on); err != nil {
				return err
			}
		}
		if in.Metadata == nil {
			return nil
		}
		return e.tx.SetMeta(e.id, metaText(in.Metadata))
	})
}
