package catalog

import (
	"kaijutsu"
	"kaijutsu/internal/op"
)

type contextArchiveIn struct {
	inContext
	Archived bool `json:"archived,omitempty" jsonschema:"False brings it back." rule:"default=true"`
}

func (o *operations) contextArchive() *op.Op {
	return op.Define(op.Spec{
		Name: "context_archive", Title: "Archive a context", Command: []string{"ctx", "archive"}, Args: []string{"context"},
		Summary:     "Take a context out of the lists, or bring it back",
		Description: "Nothing in it changes: it can still be read, edited and searched by name. Lists and searches over all contexts leave it out.",
		Scope:       op.OnContext, Right: kaijutsu.RightEdit, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("context_archive"),
	}, o.archiveContext)
}
