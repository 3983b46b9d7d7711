package catalog

import (
	"kaijutsu"
	"kaijutsu/internal/op"
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
	return op.Define(op.Spec{
		Name: "context_diff", Title: "Compare two states of a context", Command: []string{"ctx", "diff"}, Args: []string{"context", "from", "to"},
		Summary: "Compare two states of a context, block by block and line by line",
		Description: "Each block that differs says how; a block whose content differs has a `patch`. " +
			"The states need not follow each other: `from` may be the newer one.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("context_diff"),
	}, o.diffContext)
}
