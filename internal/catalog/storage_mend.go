package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type storageMendIn struct {
	Document string `json:"document" jsonschema:"The id of the document, as storage_scrub lists it; or a context, by whatever names one." rule:"minlen=1,maxlen=1000"`
}

// Mended says what came of mending a document.
type Mended struct {
	Document string `json:"document"`
	Aside    string `json:"set_aside_to,omitempty" jsonschema:"The file on the server that holds its rows as they were. Absent: it was not damaged."`
	Changes  uint64 `json:"changes" jsonschema:"That it holds now."`
	Had      uint64 `json:"had,omitempty" jsonschema:"Changes that it was known to hold. Absent: even that could not be read."`
	Short    bool   `json:"short,omitempty" jsonschema:"Whether it may lack some: an editor that holds them brings them when it next connects."`
}

func (o *operations) storageMend() *op.Op {
	return op.Define(op.Spec{
		Name: "storage_mend", Title: "Mend a damaged document", Command: []string{"storage", "mend"}, Args: []string{"document"},
		Summary:     "Set a damaged document aside and fill it with what can be read of it",
		Description: "What is in memory or held by another node is brought back; the rest comes with the next editor that holds it. Nothing is destroyed: the rows as they were are kept in a file. A document that is not damaged is left as it is.",
		Scope:       op.OnKernel, Right: kaijutsu.RightOwn, Effect: op.Destroys,
		Examples: examplesOf("storage_mend"),
	}, func(ctx context.Context, c op.Call, in storageMendIn) (Mended, error) {
		if o.parts.Storage == nil {
			return Mended{}, errNoStorage
		}
		doc, err := o.mended(ctx, c, in.Document)
		if err == nil {
			var m Mended
			if m, err = o.parts.Storage.Mend(ctx, doc); err == nil {
				return m, nil
			}
		}
		return Mended{}, kaijutsu.About("document", err)
	})
}

// mended finds the document to mend. What is damaged may not be found by its
// title any more: an id counts as it is.
func (o *operations) mended(ctx context.Context, c op.Call, name string) (kaijutsu.DocumentID, error) {
	if id, err := kaijutsu.ParseContextID(name); err == nil {
		return id.Document(), nil
	}
	if doc, err := kaijutsu.ParseDocumentID(name); err == nil {
		return doc, nil
	}
	return o.parts.Kernel.Resolve(ctx, c, name, kaijutsu.RightRead)
}
