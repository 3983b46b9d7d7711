package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type contextDeleteIn struct {
	Context string `json:"context" jsonschema:"The context: its id, its automerge: URL or its whole title. It has to be named." rule:"minlen=1,maxlen=1000"`
	Force   bool   `json:"force,omitempty" jsonschema:"Delete it although it is not archived."`
}

type contextDeleteOut struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Deleted bool   `json:"deleted"`
}

func (o *operations) contextDelete() *op.Op {
	return define(o, op.Spec{
		Name: "context_delete", Title: "Delete a context", Command: []string{"ctx", "delete"}, Args: []string{"context"},
		Summary: "Delete a context for good, with its history",
		Description: "It must be archived, or `force` given. It cannot be taken back; context_archive can, and context_export keeps a copy. Forks stay whole. " +
			"An editor that still has it cannot bring it back by syncing.",
		Scope: op.OnContext, Right: kaijutsu.RightOwn, Effect: op.Destroys,
		Examples: examplesOf("context_delete"),
	}, o.deleteContext)
}

func (o *operations) deleteContext(ctx context.Context, c op.Call, in contextDeleteIn) (contextDeleteOut, error) {
	doc, err := o.parts.Kernel.Resolve(ctx, c, in.Context, kaijutsu.RightOwn)
	if err != nil {
		return contextDeleteOut{}, err
	}
	info, err := o.parts.Kernel.Context(ctx, c, doc)
	if err != nil {
		return contextDeleteOut{}, err
	}
	if err := o.parts.Kernel.Delete(ctx, c, doc, in.Force); err != nil {
		return contextDeleteOut{}, err
	}
	return contextDeleteOut{ID: info.ID, Title: info.Title, Deleted: true}, nil
}
