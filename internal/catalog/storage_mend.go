package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type storageMendIn struct {
	Document string `json:"document" jsonschema:"The id of the document, as storage_scrub lists it; or of a context." rule:"minlen=1,maxlen=512"`
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
	}, func(ctx context.Context, _ op.Call, in storageMendIn) (Mended, error) {
		if o.parts.Storage == nil {
			return Mended{}, errNoStorage
		}
		doc, err := kaijutsu.ParseDocumentID(in.Document)
		if id, other := kaijutsu.ParseContextID(in.Document); other == nil {
			doc, err = id.Document(), nil
		}
		if err != nil {
			return Mended{}, kaijutsu.About("document", err)
		}
		return o.parts.Storage.Mend(ctx, doc)
	})
}
