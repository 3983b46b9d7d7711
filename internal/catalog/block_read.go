package catalog

import (
	"encoding/json"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type lineRange struct {
	Start int `json:"start" jsonschema:"The first line, from 0." rule:"min=0"`
	End   int `json:"end" jsonschema:"The line behind the last one; what is past the end is left out." rule:"min=0"`
}

type blockReadIn struct {
	onBlock
	LineNumbers bool       `json:"line_numbers,omitempty" jsonschema:"Put a number in front of each line, from 1, as in   12→ text. False: the content as it is." rule:"default=true"`
	Range       *lineRange `json:"range,omitempty" jsonschema:"Only these lines. Default: all."`
	atMoment
}

type blockReadOut struct {
	Block     string          `json:"block_id"`
	Context   string          `json:"context"`
	Content   string          `json:"content"`
	Role      string          `json:"role"`
	Kind      string          `json:"kind"`
	Status    string          `json:"status"`
	Form      string          `json:"form"`
	Parent    string          `json:"parent,omitempty"`
	Version   uint64          `json:"version" jsonschema:"How many changes the context holds, or held then."`
	Heads     []string        `json:"heads" jsonschema:"The state that was read: pass it as if_heads to edit just that."`
	LineCount int             `json:"line_count" jsonschema:"How many lines the whole block has."`
	Metadata  json.RawMessage `json:"metadata,omitempty"`
	Author    string          `json:"author"`
	Via       string          `json:"via,omitempty"`
	Created   string          `json:"created"`
	Deleted   bool            `json:"deleted,omitempty"`
	Collapsed bool            `json:"collapsed,omitempty"`
	Excluded  bool            `json:"excluded,omitempty"`
	Ephemeral bool            `json:"ephemeral,omitempty"`
}

func (o *operations) blockRead() *op.Op {
	return op.Define(op.Spec{
		Name: "block_read", Title: "Read a block", Args: []string{"block_id"},
		Summary: "Read a block: its content by lines, and what is known about it",
		Description: "Lines are shown with numbers from 1, for people; `range` and block_edit count from 0, and end before their end. " +
			"With `line_numbers` false the content is exactly what the block holds. A deleted block can be read too.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("block_read"),
	}, o.readBlock)
}
