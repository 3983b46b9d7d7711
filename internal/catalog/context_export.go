package catalog

import (
	"context"
	"encoding/base64"
	"strings"
	"unicode"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/interchange"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
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

func (o *operations) exportContext(ctx context.Context, c op.Call, in contextExportIn) (contextExportOut, error) {
	if in.Format == "automerge" {
		return o.exportDocument(ctx, c, in)
	}
	var whole interchange.Context
	var out contextExportOut
	err := o.readContext(ctx, c, in.inContext, func(v repo.View, doc kaijutsu.DocumentID) error {
		s, err := stateAt(v, "at", in.At)
		if err != nil {
			return err
		}
		out = contextExportOut{Context: doc.Name(), Format: in.Format, Heads: s.heads.Texts()}
		whole = exchanged(v, s.model)
		return nil
	})
	if err != nil {
		return contextExportOut{}, err
	}
	var b strings.Builder
	if in.Format == "json" {
		out.FileName = fileName(whole.Title, ".json")
		err = interchange.WriteJSON(&b, whole)
	} else {
		out.FileName = fileName(whole.Title, ".md")
		err = interchange.WriteMarkdown(&b, whole)
	}
	out.Content = b.String()
	return out, err
}

// exportDocument exports the document itself.
func (o *operations) exportDocument(ctx context.Context, c op.Call, in contextExportIn) (out contextExportOut, err error) {
	if in.At != "" {
		return out, &op.FieldError{Field: "at", Reason: "an automerge file holds every state", Hint: "leave it out, or choose another format"}
	}
	doc, err := o.parts.Kernel.Resolve(ctx, c, in.Context, kaijutsu.RightRead)
	if err != nil {
		return out, err
	}
	err = o.parts.Kernel.View(ctx, c, doc, func(v repo.View) error {
		out = contextExportOut{Context: doc.Name(), Format: in.Format, FileName: fileName(v.Title(), ".automerge"), Heads: v.Heads.Texts()}
		return nil
	})
	if err != nil {
		return contextExportOut{}, err
	}
	file, err := o.parts.Kernel.Export(ctx, c, doc)
	if err != nil {
		return contextExportOut{}, err
	}
	out.Base64 = base64.StdEncoding.EncodeToString(file)
	return out, nil
}

// exchanged returns a context as interchange writes it.
func exchanged(v repo.View, m *blocks.Model) interchange.Context {
	out := interchange.Context{Title: m.Title()}
	for _, b := range m.Blocks() {
		author, _ := authorOf(v, b.Author)
		out.Blocks = append(out.Blocks, interchange.Block{
			ID: b.ID, Parent: b.Parent, Depth: b.Depth, Kind: b.Kind, Role: b.Role, Status: b.Status, Form: b.Form, Content: b.Content,
			Meta: b.Meta, Collapsed: b.Collapsed, Excluded: b.Excluded, Ephemeral: b.Ephemeral, Author: author, Created: b.Created,
		})
	}
	return out
}

// fileName makes the name of a file of a title: letters and digits with dashes
// in between.
func fileName(title, extension string) string {
	const most = 60
	var b strings.Builder
	n, gap := 0, false
	for _, r := range title {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			gap = n > 0
			continue
		case n >= most:
			continue
		case gap:
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(unicode.ToLower(r))
		n++
	}
	if n == 0 {
		b.WriteString("context")
	}
	return b.String() + extension
}
