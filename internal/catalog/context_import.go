package catalog

import (
	"context"
	"encoding/base64"
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/interchange"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
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
}

func (o *operations) contextImport() *op.Op {
	return define(o, op.Spec{
		Name: "context_import", Title: "Import a context", Command: []string{"ctx", "import"}, Args: []string{"format"},
		Summary: "Make a context of a Markdown, JSON or Automerge file",
		Description: "Markdown and JSON make new blocks with new ids, by the caller, all or nothing; who wrote them elsewhere is not known here. " +
			"An Automerge file keeps its ids and history; its authors are shown as actors, via the caller.",
		Scope: op.OnKernel, Right: kaijutsu.RightEdit, Effect: op.Writes,
		Examples: examplesOf("context_import"),
	}, o.importContext)
}

func (o *operations) importContext(ctx context.Context, c op.Call, in contextImportIn) (contextImportOut, error) {
	file, err := in.file()
	if err != nil {
		return contextImportOut{}, err
	}
	if in.Format == "automerge" {
		return o.importDocument(ctx, c, in.Title, file)
	}
	read := interchange.ReadMarkdown
	if in.Format == "json" {
		read = interchange.ReadJSON
	}
	whole, err := read(file)
	if err != nil {
		return contextImportOut{}, fmt.Errorf("content: %w", err)
	}
	specs, err := interchange.Plan(whole, func() blocks.ID { return blocks.NewID(time.Now()) })
	if err != nil {
		return contextImportOut{}, fmt.Errorf("content: %w", err)
	}
	title := whole.Title
	if in.Title != "" {
		title = in.Title
	}
	info, err := o.parts.Kernel.CreateWith(ctx, c, title, "context_import", func(_ repo.View, tx *blocks.Tx) error {
		for _, spec := range specs {
			if err := tx.InsertBlock(spec); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return contextImportOut{}, err
	}
	return importOutOf(info), nil
}

// importDocument imports a document with its history.
func (o *operations) importDocument(ctx context.Context, c op.Call, title string, file []byte) (contextImportOut, error) {
	info, err := o.parts.Kernel.Import(ctx, c, file)
	if err != nil {
		return contextImportOut{}, fmt.Errorf("content_base64: %w", err)
	}
	if title != "" && title != info.Title {
		if _, err := o.parts.Kernel.Rename(ctx, c, info.Doc, title); err != nil {
			return contextImportOut{}, err
		}
		if info, err = o.parts.Kernel.Context(ctx, c, info.Doc); err != nil {
			return contextImportOut{}, err
		}
	}
	return importOutOf(info), nil
}

func importOutOf(info kernel.ContextInfo) contextImportOut {
	return contextImportOut{rowOf(info), info.Version, info.Heads.Texts()}
}

// file returns what is to be imported.
func (in contextImportIn) file() ([]byte, error) {
	switch {
	case in.Base64 != "" && in.Content != "":
		return nil, &op.FieldError{Field: "content_base64", Reason: "content is given too", Hint: "give one of them"}
	case in.Base64 != "":
		file, err := base64.StdEncoding.DecodeString(in.Base64)
		if err != nil {
			return nil, &op.FieldError{Field: "content_base64", Reason: err.Error(), Hint: "want standard base64, with its padding"}
		}
		return file, nil
	case in.Format == "automerge":
		return nil, &op.FieldError{Field: "content_base64", Reason: "is required by automerge: the file is no text"}
	case in.Content == "":
		return nil, &op.FieldError{Field: "content", Reason: "there is nothing to import", Hint: "give content or content_base64"}
	}
	return []byte(in.Content), nil
}
