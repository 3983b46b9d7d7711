package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
)

type contextCreateIn struct {
	Title string `json:"title,omitempty" jsonschema:"What people call it. It need not be unique, and may be changed." rule:"maxlen=1000"`
	Label string `json:"label,omitempty" jsonschema:"A short name that no other context has, such as release-notes: see context_label." rule:"maxlen=63"`
}

func (o *operations) contextCreate() *op.Op {
	return define(o, op.Spec{
		Name: "context_create", Title: "Create a context", Command: []string{"ctx", "create"}, Args: []string{"title…"},
		Summary: "Make a new, empty context: a document of blocks that people and agents edit together",
		Description: "Returns the context's row. Its `url` is what Automerge editors open; its `id` is what operations take as `context`.\n\n" +
			"A title that is taken already is not refused, but a context is then better named by its id, its `short` id or a label. A label that is taken is refused.",
		Scope: op.OnKernel, Right: kaijutsu.RightEdit, Effect: op.Writes,
		Examples: examplesOf("context_create"),
	}, o.createContext)
}

func (o *operations) createContext(ctx context.Context, c op.Call, in contextCreateIn) (contextRow, error) {
	info, err := o.parts.Kernel.CreateAs(ctx, c, kernel.NewContext{Title: in.Title, Label: in.Label}, "context_create", nil)
	if err != nil {
		return contextRow{}, err
	}
	return rowOf(info), nil
}
