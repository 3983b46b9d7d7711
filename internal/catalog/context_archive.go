package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type contextArchiveIn struct {
	inContext
	Archived bool `json:"archived,omitempty" jsonschema:"False brings it back." rule:"default=true"`
}

func (o *operations) contextArchive() *op.Op {
	return define(o, op.Spec{
		Name: "context_archive", Title: "Archive a context", Command: []string{"ctx", "archive"}, Args: []string{"context"},
		Summary:     "Take a context out of the lists, or bring it back",
		Description: "Nothing in it changes. It can still be read, by its name too, but not edited, neither here nor by editors that sync; lists and searches over all contexts leave it out.",
		Scope:       op.OnContext, Right: kaijutsu.RightEdit, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("context_archive"),
	}, o.archiveContext)
}

func (o *operations) archiveContext(ctx context.Context, c op.Call, in contextArchiveIn) (contextRow, error) {
	doc, err := o.parts.Kernel.Resolve(ctx, c, in.Context, kaijutsu.RightEdit)
	if err != nil {
		return contextRow{}, err
	}
	info, err := o.parts.Kernel.Archive(ctx, c, doc, in.Archived)
	if err != nil {
		return contextRow{}, err
	}
	return rowOf(info), nil
}
