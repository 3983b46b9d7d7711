package catalog

import (
	"context"
	"strings"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/textdiff"
)

type contextDiffIn struct {
	inContext
	From string `json:"from" jsonschema:"The older state: a version such as 12, a time such as 2026-11-21T10:00:00Z, or heads: change hashes joined by commas." rule:"minlen=1,maxlen=65000"`
	To   string `json:"to,omitempty" jsonschema:"The newer state, likewise. Default: now." rule:"maxlen=65000"`
}

type moment struct {
	Heads   []string `json:"heads"`
	Version uint64   `json:"version" jsonschema:"How many changes that is."`
}

type blockDiff struct {
	ID       string   `json:"id"`
	Kind     string   `json:"kind"`
	Role     string   `json:"role"`
	How      []string `json:"how" jsonschema:"What happened to it: inserted, deleted, restored, moved, content, status, meta, flags."`
	Status   *change  `json:"status,omitempty"`
	Parent   *change  `json:"parent,omitempty"`
	Meta     *change  `json:"meta,omitempty"`
	Patch    string   `json:"patch,omitempty" jsonschema:"What happened to its lines, as a unified diff that block_apply_patch takes."`
	Inserted int      `json:"lines_inserted"`
	Deleted  int      `json:"lines_deleted"`
}

type change struct {
	From string `json:"from"`
	To   string `json:"to"`
}

type contextDiffOut struct {
	From   moment      `json:"from"`
	To     moment      `json:"to"`
	Title  *change     `json:"title,omitempty"`
	Blocks []blockDiff `json:"blocks" jsonschema:"The blocks that differ, in document order."`
}

func (o *operations) contextDiff() *op.Op {
	return define(o, op.Spec{
		Name: "context_diff", Title: "Compare two states of a context", Command: []string{"ctx", "diff"}, Args: []string{"context", "from", "to"},
		Summary: "Compare two states of a context, block by block and line by line",
		Description: "Each block that differs says how; a block whose content differs has a `patch`. " +
			"The states need not follow each other: `from` may be the newer one.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("context_diff"),
	}, o.diffContext)
}

func (o *operations) diffContext(ctx context.Context, c op.Call, in contextDiffIn) (out contextDiffOut, err error) {
	err = o.readContext(ctx, c, in.inContext, func(v repo.View, _ kaijutsu.DocumentID) error {
		from, err := stateAt(v, "from", in.From)
		if err != nil {
			return err
		}
		to, err := stateAt(v, "to", in.To)
		if err != nil {
			return err
		}
		out = contextDiffOut{
			From:  moment{from.heads.Texts(), from.version},
			To:    moment{to.heads.Texts(), to.version},
			Title: changed(from.model.Title(), to.model.Title()),
		}
		diffs := blocks.Diff(from.model, to.model)
		out.Blocks = make([]blockDiff, len(diffs))
		for i, d := range diffs {
			out.Blocks[i] = blockDiffOf(d)
		}
		return nil
	})
	return out, err
}

// changed returns what a text was and is; nil when that is the same.
func changed(from, to string) *change {
	if from == to {
		return nil
	}
	return &change{from, to}
}

// blockDiffOf shows how a block differs.
func blockDiffOf(d blocks.BlockDiff) blockDiff {
	shown := d.After
	if shown.ID == "" || shown.Deleted {
		shown = d.Before
	}
	out := blockDiff{ID: string(d.ID), Kind: string(shown.Kind), Role: string(shown.Role), How: strings.Split(d.How.String(), ",")}
	before, after := d.Before.Content, d.After.Content
	switch {
	case d.How&blocks.TouchInserted != 0:
		before = ""
	case d.How&blocks.TouchDeleted != 0:
		after = ""
	default:
		out.Status = changed(string(d.Before.Status), string(d.After.Status))
		out.Parent = changed(string(d.Before.Parent), string(d.After.Parent))
		out.Meta = changed(d.Before.Meta, d.After.Meta)
	}
	out.Patch = textdiff.Unified(before, after, string(d.ID))
	for _, h := range d.Lines {
		out.Deleted += len(h.Old)
		out.Inserted += len(h.New)
	}
	return out
}
