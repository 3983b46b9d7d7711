package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type contextImportIn struct {
	Format  string `json:"format" jsonschema:"What the content is." rule:"enum=markdown|json|automerge"`
	Content string `json:"content,omitempty" jsonschema:"The file, when it is a text. Any Markdown will do, not only ours."`
	Base64  string `json:"content_base64,omitempty" jsonschema:"The file in base64; for automerge the only way."`
	Title   string `json:"title,omitempty" jsonschema:"The title of the context. Default: the one in the file." rule:"maxlen=1000"`
}

type contextImportOut struct {
	contextRow
	Version uint64   `json:"version"`
	Heads   []string `json:"heads"`
	Change  string   `json:"change,omitempty" jsonschema:"The hash of the change that made the blocks; absent for automerge, which brings its own."`
}

func (o *operations) contextImport() *op.Op {
	return define(o, op.Spec{
		Name: "context_import", Title: "Import a context", Command: []string{"ctx", "import"}, Args: []string{"format"},
		Summary: "Make a context of a Markdown, JSON or Automerge file",
		Description: "Markdown and JSON make new blocks with new ids, by the caller, in one change; who wrote them elsewhere is not known here. " +
			"An Automerge file keeps its ids and history; its authors are shown as actors, via the caller.",
		Scope: op.OnKernel, Right: kaijutsu.RightEdit, Effect: op.Writes,
		Examples: examplesOf("context_import"),
	}, o.importContext)
}

func (o *operations) importContext(ctx context.Context, c op.Call, in contextImportIn) (out contextImportOut, err error) {
	return out, errNoKernel
}
