package catalog

import (
	"kaijutsu"
	"kaijutsu/internal/op"
)

type contextDeleteIn struct {
	Context string `json:"context" jsonschema:"The context: its id, its automerge: URL or its whole title. It has to be named." rule:"minlen=1,maxlen=1000"`
}

type contextDeleteOut struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Deleted bool   `json:"deleted"`
}

func (o *operations) contextDelete() *op.Op {
	return op.Define(op.Spec{
		Name: "context_delete", Title: "Delete a context", Command: []string{"ctx", "delete"}, Args: []string{"context"},
		Summary: "Delete a context for good, with its history",
		Description: "It cannot be taken back; context_archive can, and context_export keeps a copy. Forks stay whole. " +
			"An editor that still has it cannot bring it back by syncing.",
		Scope: op.OnContext, Right: kaijutsu.RightOwn, Effect: op.Destroys,
		Examples: examplesOf("context_delete"),
	}, o.deleteContext)
}
