package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
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
	return define(o, op.Spec{
		Name: "block_read", Title: "Read a block", Args: []string{"block_id"},
		Summary: "Read a block: its content by lines, and what is known about it",
		Description: "Lines are shown with numbers from 1, for people; `range` and block_edit count from 0, and end before their end. " +
			"With `line_numbers` false the content is exactly what the block holds. A deleted block can be read too.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("block_read"),
	}, o.readBlock)
}

func (o *operations) readBlock(ctx context.Context, c op.Call, in blockReadIn) (out blockReadOut, err error) {
	if r := in.Range; r != nil && r.End < r.Start {
		return out, &op.FieldError{Field: "range.end", Reason: fmt.Sprintf("%d is in front of start %d", r.End, r.Start)}
	}
	err = o.read(ctx, c, in.onBlock, func(v repo.View, doc kaijutsu.DocumentID, id blocks.ID) error {
		s, err := stateAt(v, "at", in.At)
		if err != nil {
			return err
		}
		b, ok := s.model.Block(id)
		if !ok {
			return noBlock(id, doc)
		}
		row := blockRowOf(v, b)
		out = blockReadOut{
			Block: row.ID, Context: doc.Name(), Role: row.Role, Kind: row.Kind, Status: row.Status, Form: row.Form, Parent: row.Parent,
			Version: s.version, Heads: s.heads.Texts(), Metadata: metaObject(b.Meta), Author: row.Author, Via: row.Via, Created: row.Created,
			Deleted: row.Deleted, Collapsed: row.Collapsed, Excluded: row.Excluded, Ephemeral: row.Ephemeral,
		}
		lines := linesOf(b.Content)
		out.LineCount = len(lines)
		from, to := 0, len(lines)
		if in.Range != nil {
			from, to = min(in.Range.Start, to), min(in.Range.End, to)
		}
		if in.LineNumbers {
			out.Content = numbered(lines[from:max(from, to)], from)
		} else {
			out.Content = rawLines(b.Content, from, to)
		}
		return nil
	})
	return out, err
}

// numbered returns lines, of which the first is line first, with their numbers,
// from 1.
func numbered(lines []string, first int) string {
	var w strings.Builder
	for i, line := range lines {
		if i > 0 {
			w.WriteByte('\n')
		}
		fmt.Fprintf(&w, "%4d→ %s", first+i+1, line)
	}
	return w.String()
}

// rawLines returns lines from and up to to as they are, line feeds included.
func rawLines(text string, from, to int) string {
	start, at := 0, 0
	for n := 0; n < to && at < len(text); n++ {
		if n == from {
			start = at
		}
		if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
			at += end + 1
		} else {
			at = len(text)
		}
	}
	if from >= to {
		return ""
	}
	return text[start:at]
}
