package catalog

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/blocks"
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
	return define(o, op.Spec{
		Name: "block_edit", Title: "Edit lines of a block", Args: []string{"block_id", "operations"},
		Summary: "Insert, delete and replace lines of a block, all or nothing",
		Description: "Lines count from 0 and ranges end before `end_line`: lines 1 to 2 is the second line. block_read shows them numbered from 1. " +
			"Each operation sees the lines as the ones before it left them. If one fails, none is done, and the error names its index.\n\n" +
			"`expected_text` makes an operation safe against edits of others: newlines at its end do not count.",
		Scope: op.OnContext, Right: kaijutsu.RightComment, Effect: op.Writes,
		Examples: examplesOf("block_edit"),
	}, o.editBlock)
}

func (o *operations) editBlock(ctx context.Context, c op.Call, in blockEditIn) (out blockEditOut, err error) {
	edits := make([]blocks.LineEdit, len(in.Operations))
	for i, l := range in.Operations {
		if edits[i], err = l.edit(fmt.Sprintf("operations[%d]", i)); err != nil {
			return out, err
		}
	}
	out.writtenBlock, err = o.edit(ctx, c, in.onBlock, "block_edit", func(e editing) error {
		if err := in.check(e.view); err != nil {
			return err
		}
		if err := e.tx.EditLines(e.id, edits); err != nil {
			return err
		}
		content, _, err := e.tx.Content(e.id)
		out.LineCount = len(linesOf(content))
		return err
	})
	return out, err
}

// edit returns the operation as blocks take it. The error names the field.
func (l lineOperation) edit(at string) (blocks.LineEdit, error) {
	e := blocks.LineEdit{Op: blocks.LineOp(l.Op), Expected: l.Expected}
	for _, p := range []struct {
		name         string
		given, wants bool
	}{
		{"line", l.Line != nil, l.Op == "insert"},
		{"start_line", l.Start != nil, l.Op != "insert"},
		{"end_line", l.End != nil, l.Op != "insert"},
		{"content", l.Content != nil, l.Op != "delete"},
		{"expected_text", l.Expected != nil, l.Expected != nil && l.Op != "insert"},
	} {
		switch {
		case p.given && !p.wants:
			return e, &op.FieldError{Field: at + "." + p.name, Reason: l.Op + " does not take it", Hint: "leave it out"}
		case p.wants && !p.given:
			return e, &op.FieldError{Field: at + "." + p.name, Reason: "is required by " + l.Op}
		}
	}
	if l.Content != nil {
		e.Content = *l.Content
	}
	if l.Op == "insert" {
		e.Line = *l.Line
		return e, nil
	}
	e.Line, e.End = *l.Start, *l.End
	if e.End < e.Line {
		return e, &op.FieldError{Field: at + ".end_line", Reason: fmt.Sprintf("%d is in front of start_line %d", e.End, e.Line)}
	}
	return e, nil
}
