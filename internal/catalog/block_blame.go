package catalog

import (
	"kaijutsu"
	"kaijutsu/internal/op"
)

type blockBlameIn struct {
	onBlock
	atMoment
	By   string `json:"by,omitempty" jsonschema:"characters: runs of characters of one change. lines: for each line who wrote it last." rule:"enum=characters|lines,default=characters"`
	Text bool   `json:"text,omitempty" jsonschema:"Return the text of each run too." rule:"default=true"`
}

type blameRun struct {
	Start  int    `json:"start" jsonschema:"Where it begins, in code points."`
	Len    int    `json:"len" jsonschema:"How many code points it is long."`
	Line   *int   `json:"line,omitempty" jsonschema:"By lines: the line, from 0."`
	Text   string `json:"text,omitempty"`
	Author string `json:"author" jsonschema:"The name of the principal, or the actor id when nobody is on record."`
	Via    string `json:"via,omitempty"`
	Actor  string `json:"actor"`
	Change string `json:"change"`
	Time   string `json:"time" jsonschema:"What the author's clock showed."`
}

type blockBlameOut struct {
	Block   string     `json:"block_id"`
	Context string     `json:"context"`
	Version uint64     `json:"version"`
	Heads   []string   `json:"heads"`
	Runs    []blameRun `json:"runs" jsonschema:"In order; together they are the whole content."`
}

func (o *operations) blockBlame() *op.Op {
	return op.Define(op.Spec{
		Name: "block_blame", Title: "Blame a block", Args: []string{"block_id"},
		Summary: "Say who wrote each character of a block, or each line, now or as it was",
		Description: "What is not there any more is blamed on nobody. Text of a record that became a text is still its author's. " +
			"By lines, the newest change in a line counts.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("block_blame"),
	}, o.blameBlock)
}
