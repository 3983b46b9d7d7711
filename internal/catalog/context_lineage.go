package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
)

type contextLineageIn struct{ inContext }

// kinRow is a context in a tree of forks.
type kinRow struct {
	ID         string     `json:"id"`
	Short      string     `json:"short" jsonschema:"The end of the id, long enough to name the context."`
	Label      string     `json:"label,omitempty"`
	Title      string     `json:"title"`
	Depth      int        `json:"depth" jsonschema:"How many ancestors are above it in the tree."`
	Here       bool       `json:"here,omitempty" jsonschema:"It is the context that was asked for."`
	ForkedFrom *forkPoint `json:"forked_from,omitempty" jsonschema:"The context above it, and the heads at which it left that."`
	Archived   bool       `json:"archived,omitempty"`
	Deleted    bool       `json:"deleted,omitempty" jsonschema:"It is gone; nothing but its id is known."`
}

type contextLineageOut struct {
	Contexts []kinRow `json:"contexts" jsonschema:"The tree from the top: a context before its forks, the oldest fork first."`
}

func (o *operations) contextLineage() *op.Op {
	return define(o, op.Spec{
		Name: "context_lineage", Title: "Show the lineage of a context", Command: []string{"ctx", "lineage"}, Args: []string{"context"},
		Summary: "Show what a context was forked from, and what was forked from it",
		Description: "The ancestors come first, then the context, then all its descendants; `depth` says how they hang together. " +
			"Other forks of its ancestors are left out, and so is what you may not read: the tree ends there.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("context_lineage"),
	}, o.lineageOfContext)
}

func (o *operations) lineageOfContext(ctx context.Context, c op.Call, in contextLineageIn) (contextLineageOut, error) {
	doc, err := o.parts.Kernel.Resolve(ctx, c, in.Context, kaijutsu.RightRead)
	if err != nil {
		return contextLineageOut{}, err
	}
	tree, err := o.parts.Kernel.Lineage(ctx, c, doc)
	if err != nil {
		return contextLineageOut{}, err
	}
	out := contextLineageOut{Contexts: make([]kinRow, 0, len(tree))}
	for _, kin := range tree {
		out.Contexts = append(out.Contexts, kinRowOf(kin))
	}
	return out, nil
}

func kinRowOf(kin kernel.Kin) kinRow {
	row := kinRow{
		ID: kin.ID, Short: kin.Short, Label: kin.Label, Title: kin.Title, Depth: kin.Depth, Here: kin.Here,
		Archived: !kin.Archived.IsZero(), Deleted: kin.Deleted,
	}
	if !kin.Fork.From.IsZero() {
		row.ForkedFrom = &forkPoint{kin.Fork.From.Name(), kin.Fork.Heads.Texts()}
	}
	return row
}
