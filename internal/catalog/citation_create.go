package catalog

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

type citationCreateIn struct {
	onBlock
	Lines string `json:"lines,omitempty" jsonschema:"Which lines, counted from 1, the last one included: 3 or 3-7. Default: the whole block." rule:"maxlen=24"`
}

type citationCreateOut struct {
	Handle  string   `json:"handle" jsonschema:"context/block@heads#first-last: citation_resolve reads it, and drift_push takes it under cite."`
	Context string   `json:"context"`
	Block   string   `json:"block_id"`
	Heads   []string `json:"heads"`
	First   int      `json:"first,omitempty" jsonschema:"The first line, from 1. Absent: the whole block."`
	Last    int      `json:"last,omitempty"`
	Text    string   `json:"text" jsonschema:"What it cites, as it is now."`
}

func (o *operations) citationCreate() *op.Op {
	return define(o, op.Spec{
		Name: "citation_create", Title: "Cite lines", Command: []string{"cite", "make"}, Args: []string{"block_id", "lines"},
		Summary: "Return a handle for lines of a block as they are now, which reads as they were for ever",
		Description: "A handle is `context/block@heads#first-last`. It stores nothing. Written into a text, or given to drift_push, it says what a claim rests on; " +
			"whoever may read the context can resolve it. Here and in handles, lines count from 1 and the last one is included, unlike in the operations of blocks.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("citation_create"),
	}, o.createCitation)
}

func (o *operations) createCitation(ctx context.Context, c op.Call, in citationCreateIn) (out citationCreateOut, err error) {
	first, last, err := parseCited(in.Lines)
	if err != nil {
		return out, err
	}
	var made citationCreateOut // still written, perhaps, when the call is given up
	err = o.read(ctx, c, in.onBlock, func(v repo.View, doc kaijutsu.DocumentID, id blocks.ID) error {
		b, ok := v.Model().Block(id)
		if !ok {
			return noBlock(id, doc)
		}
		if b.Deleted {
			return fmt.Errorf("block %s is deleted: %w; what it said can be cited by a handle with the heads of then, or restore it", id, kaijutsu.ErrNotFound)
		}
		if n := len(linesOf(b.Content)); last > n {
			return &op.FieldError{Field: "lines", Reason: fmt.Sprintf("%s: the block has %d", in.Lines, n), Hint: "lines count from 1"}
		}
		h := drift.Handle{Context: doc.Name(), Block: string(id), Heads: v.Heads.Texts(), First: first, Last: last}
		if err := h.Check(); err != nil {
			return err
		}
		made = citationCreateOut{h.String(), doc.Name(), string(id), h.Heads, first, last, citedText(b.Content, first, last)}
		return nil
	})
	if err != nil {
		return out, err
	}
	return made, nil
}

// parseCited reads 3 and 3-7; "" is the whole block: 0 and 0.
func parseCited(text string) (first, last int, err error) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "#"))
	if text == "" {
		return 0, 0, nil
	}
	from, to, ranged := strings.Cut(text, "-")
	first, err = strconv.Atoi(strings.TrimPrefix(from, "L"))
	if last = first; err == nil && ranged {
		last, err = strconv.Atoi(strings.TrimPrefix(to, "L"))
	}
	if err != nil || first < 1 || last < first {
		return 0, 0, &op.FieldError{Field: "lines", Reason: fmt.Sprintf("%.24q is no range of lines", text), Hint: "want 3 or 3-7, counted from 1"}
	}
	return first, last, nil
}

// citedText returns lines first to last, from 1; 0 and 0 is everything.
func citedText(content string, first, last int) string {
	if first == 0 {
		return content
	}
	return rawLines(content, first-1, last)
}
