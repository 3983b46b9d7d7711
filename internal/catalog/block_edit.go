package catalog

import (
	"kaijutsu"
	"kaijutsu/internal/op"
)

type lineOperation struct {
	Op       string  `json:"op" jsonschema:"insert needs line and content; delete needs start_line and end_line; replace needs start_line, end_line and content." rule:"enum=insert|delete|replace"`
	Line     *int    `json:"line,omitempty" jsonschema:"insert: in front of this line. As many as there are lines: behind the last one." rule:"min=0"`
	Start    *int    `json:"start_line,omitempty" jsonschema:"delete, replace: the first line, from 0." rule:"min=0"`
	End      *int    `json:"end_line,omitempty" jsonschema:"delete, replace: the line behind the last one." rule:"min=0"`
	Content  *string `json:"content,omitempty" jsonschema:"insert, replace: the new lines. A newline is added at the end if there is none."`
	Expected *string `json:"expected_text,omitempty" jsonschema:"delete, replace: what those lines hold now. If they hold something else, nothing is written."`
}

type blockEditIn struct {
	onBlock
	Operations []lineOperation `json:"operations" jsonschema:"What to do, in order." rule:"minitems=1,maxitems=1000"`
	ifHeads
}

type blockEditOut struct {
	writtenBlock
	LineCount int `json:"line_count" jsonschema:"How many lines the block has now."`
}

func (o *operations) blockEdit() *op.Op {
	return op.Define(op.Spec{
		Name: "block_edit", Title: "Edit lines of a block", Args: []string{"block_id", "operations"},
		Summary: "Insert, delete and replace lines of a block, all or nothing",
		Description: "Lines count from 0 and ranges end before `end_line`: lines 1 to 2 is the second line. block_read shows them numbered from 1. " +
			"Each operation sees the lines as the ones before it left them. If one fails, none is done, and the error names its index.\n\n" +
			"`expected_text` makes an operation safe against edits of others: newlines at its end do not count.",
		Scope: op.OnContext, Right: kaijutsu.RightComment, Effect: op.Writes,
		Examples: examplesOf("block_edit"),
	}, o.editBlock)
}
