package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

type contextGetIn struct {
	inContext
	IncludeDeleted bool `json:"include_deleted,omitempty" jsonschema:"Return deleted blocks too, and what hangs below them, behind the others. Default: leave them out."`
}

// contextDetail is a context with its blocks in document order.
type contextDetail struct {
	contextRow
	Provider  string     `json:"provider,omitempty" jsonschema:"Who serves the model of its agent, as context_model was told."`
	Model     string     `json:"model,omitempty" jsonschema:"What its agent runs on, as context_model was told."`
	Heads     []string   `json:"heads" jsonschema:"The hashes of the changes that no other change rests on: they name this state of the context."`
	Version   uint64     `json:"version" jsonschema:"How many changes the context holds."`
	BlockList []blockRow `json:"block_list" jsonschema:"The blocks in document order: a parent before its children."`
}

func (o *operations) contextGet() *op.Op {
	return define(o, op.Spec{
		Name: "context_get", Title: "Read a context", Command: []string{"ctx", "get"}, Args: []string{"context"},
		Summary: "Read a whole context: its title, its heads and every block with its content",
		Description: "For one block use block_read; for a large context use block_list, which returns summaries and pages. " +
			"`depth` says how a block hangs in the tree; blocks come in the order in which people read them.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("context_get"),
	}, o.getContext)
}

func (o *operations) getContext(ctx context.Context, c op.Call, in contextGetIn) (contextDetail, error) {
	doc, err := o.parts.Kernel.Resolve(ctx, c, in.Context, kaijutsu.RightRead)
	if err != nil {
		return contextDetail{}, err
	}
	info, err := o.parts.Kernel.Context(ctx, c, doc)
	if err != nil {
		return contextDetail{}, err
	}
	out := contextDetail{contextRow: rowOf(info), Provider: info.Model.Provider, Model: info.Model.Name, BlockList: []blockRow{}}
	err = o.parts.Kernel.View(ctx, c, doc, func(v repo.View) error {
		m := v.Model()
		out.Title, out.Blocks = m.Title(), m.Len()
		out.Heads, out.Version = v.Heads.Texts(), v.Version()
		if in.IncludeDeleted {
			for s := range m.Everything() {
				b, _ := m.Block(s.ID)
				out.BlockList = append(out.BlockList, blockRowOf(v, b))
			}
			return nil
		}
		for _, b := range m.Blocks() {
			out.BlockList = append(out.BlockList, blockRowOf(v, b))
		}
		return nil
	})
	return out, err
}
