package catalog

import (
	"encoding/json"

	"kaijutsu"
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
	return op.Define(op.Spec{
		Name: "block_set", Title: "Set a block's flags and metadata", Args: []string{"block_id"},
		Summary:     "Set flags and metadata of a block",
		Description: "What is not given stays; give at least one. Metadata is replaced as a whole.",
		Scope:       op.OnContext, Right: kaijutsu.RightComment, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("block_set"),
	}, o.setBlock)
}
