package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type contextRenameIn struct {
	inContext
	Title string `json:"title" jsonschema:"The new title." rule:"maxlen=1000"`
}

type contextRenameOut struct {
	contextRow
	Version uint64   `json:"version" jsonschema:"How many changes the context holds now."`
	Heads   []string `json:"heads"`
	Change  string   `json:"change,omitempty" jsonschema:"The hash of the change that was made. Absent: it had that title."`
}

func (o *operations) contextRename() *op.Op {
	return define(o, op.Spec{
		Name: "context_rename", Title: "Rename a context", Command: []string{"ctx", "rename"}, Args: []string{"context", "title…"},
		Summary:     "Give a context another title",
		Description: "The title is a text that editors may edit too: the difference is written, so that two people who rename at once lose little. Its id and its URL stay.",
		Scope:       op.OnContext, Right: kaijutsu.RightEdit, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("context_rename"),
	}, o.renameContext)
}

func (o *operations) renameContext(ctx context.Context, c op.Call, in contextRenameIn) (contextRenameOut, error) {
	doc, err := o.parts.Kernel.Resolve(ctx, c, in.Context, kaijutsu.RightEdit)
	if err != nil {
		return contextRenameOut{}, err
	}
	edited, err := o.parts.Kernel.Rename(ctx, c, doc, in.Title)
	if err != nil {
		return contextRenameOut{}, err
	}
	info, err := o.parts.Kernel.Context(ctx, c, doc)
	if err != nil {
		return contextRenameOut{}, err
	}
	w := writtenOf(doc, edited)
	return contextRenameOut{rowOf(info), w.Version, w.Heads, w.Change}, nil
}
