package catalog

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
)

type blockSpliceIn struct {
	onBlock
	Offset int    `json:"offset" jsonschema:"Where, from 0, counted in unit." rule:"min=0"`
	Delete int    `json:"delete_count" jsonschema:"How much to take out there, counted in unit." rule:"min=0"`
	Insert string `json:"insert,omitempty" jsonschema:"What to put there."`
	Unit   string `json:"unit,omitempty" jsonschema:"What offset and delete_count count: Unicode code points, UTF-16 units as JavaScript does, or bytes of UTF-8." rule:"enum=code_points|utf16|bytes,default=code_points"`
	ifHeads
}

func (o *operations) blockSplice() *op.Op {
	return define(o, op.Spec{
		Name: "block_splice", Title: "Splice a block", Args: []string{"block_id", "offset", "delete_count", "insert…"},
		Summary: "Replace a range of characters of a block",
		Description: "An offset or range past the end is an error, and so is one that cuts a character in two: nothing is clamped. " +
			"Use `if_heads` when the offset comes from an earlier read.",
		Scope: op.OnContext, Right: kaijutsu.RightComment, Effect: op.Writes,
		Examples: examplesOf("block_splice"),
	}, o.spliceBlock)
}

func (o *operations) spliceBlock(ctx context.Context, c op.Call, in blockSpliceIn) (writtenBlock, error) {
	return o.edit(ctx, c, in.onBlock, "block_splice", func(e editing) error {
		if err := in.check(e.view); err != nil {
			return err
		}
		content, _, err := e.tx.Content(e.id)
		if err != nil {
			return err
		}
		from, err := runesOf(content, "offset", in.Unit, in.Offset)
		if err != nil {
			return err
		}
		to, err := runesOf(content, "delete_count", in.Unit, in.Offset+in.Delete)
		if err != nil {
			return err
		}
		return e.tx.SpliceText(e.id, from, to-from, in.Insert)
	})
}

// runesOf returns the code points in front of a position in some unit. The
// error names the field.
func runesOf(content, field, unit string, pos int) (n int, err error) {
	switch unit {
	case "utf16":
		n, err = blocks.UTF16ToRunes(content, pos)
	case "bytes":
		n, err = blocks.BytesToRunes(content, pos)
	default:
		n = pos
		if length := utf8.RuneCountInString(content); pos < 0 || pos > length {
			err = fmt.Errorf("position %d: the content has %d characters: %w", pos, length, kaijutsu.ErrInvalid)
		}
	}
	if err != nil {
		return 0, &op.FieldError{Field: field, Reason: strings.TrimSuffix(err.Error(), ": "+kaijutsu.ErrInvalid.Error()), Hint: "read the block again"}
	}
	return n, nil
}
