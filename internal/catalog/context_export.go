package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type contextExportIn struct {
	inContext
	Format string `json:"format,omitempty" jsonschema:"markdown: for people, and back. json: every field of every block. automerge: the document with its whole history, as editors save it." rule:"enum=markdown|json|automerge,default=markdown"`
	At     string `json:"at,omitempty" jsonschema:"As of when: a version such as 12, a time such as 2026-11-21T10:00:00Z, or heads: change hashes joined by commas. Not for automerge, which holds them all. Default: now." rule:"maxlen=65000"`
}

type contextExportOut struct {
	Context  string   `json:"context"`
	Format   string   `json:"format"`
	FileName string   `json:"file_name" jsonschema:"A name for the file, made from the title."`
	Heads    []string `json:"heads" jsonschema:"The state that was exported."`
	Content  string   `json:"content,omitempty" jsonschema:"The file, when it is a text."`
	Base64   string   `json:"content_base64,omitempty" jsonschema:"The file in base64, when its format is automerge."`
}

func (o *operations) contextExport() *op.Op {
	return define(o, op.Spec{
		Name: "context_export", Title: "Export a context", Command: []string{"ctx", "export"}, Args: []string{"context", "format"},
		Summary: "Write a context as Markdown, as JSON or as an Automerge file",
		Description: "context_import reads all three back. Markdown and JSON hold the blocks that show, and lose nothing of them but their history and their ids; " +
			"automerge holds everything.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("context_export"),
	}, o.exportContext)
}

func (o *operations) exportContext(ctx context.Context, c op.Call, in contextExportIn) (out contextExportOut, err error) {
	return out, errNoKernel
}
