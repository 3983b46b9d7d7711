package repo

import (
	"context"

	"kaijutsu"
	"kaijutsu/blocks"
)

// Block is a block and the principal whose actor made it. By is zero when the
// actor is not on record, or came Via a relay or an import.
type Block struct {
	blocks.Block
	By, Via kaijutsu.Principal
}

// View is a document as it is at Heads: on disk, but for edits that went before
// in the same batch when an Edit looks. It is good while the function that got
// it runs.
type View struct {
	doc *document
	// Heads are the document's.
	Heads kaijutsu.Heads

	own *pasts // nil: pasts are made in the owner
}

// View runs f on a document's blocks in its owner; f must not take long. When f
// fails because a past is not there yet (see View.At), it is called again. The
// error wraps kaijutsu.ErrNotFound when there is no such document.
func (r *Repo) View(ctx context.Context, id kaijutsu.DocumentID, f func(View) error) error {
	return r.orFetch(ctx, id, func() error {
		return r.recall(ctx, id, func(d *document, own *pasts) error {
			if d.graph.Len() == 0 {
				return d.notHere()
			}
			if err := d.openModel(); err != nil {
				return err
			}
			return f(View{d, d.graph.Heads(), own})
		})
	})
}

// IsContext reports whether the document is a context of blocks.
func (v View) IsContext() bool { return v.doc.model.IsContext() }

// Title returns the context's title.
func (v View) Title() string { return v.doc.model.Title() }

// Len returns the number of blocks that Blocks returns.
func (v View) Len() int { return v.doc.model.Len() }

// Blocks returns the blocks that show, in document order.
func (v View) Blocks() []Block {
	list := v.doc.model.Blocks()
	out := make([]Block, len(list))
	for i, b := range list {
		out[i] = v.doc.signed(b)
	}
	return out
}

// Block returns a block, also one that is deleted; false if there is none of
// this id.
func (v View) Block(id blocks.ID) (Block, bool) {
	b, ok := v.doc.model.Block(id)
	if !ok {
		return Block{}, false
	}
	return v.doc.signed(b), true
}

// Version returns the number of changes that the document holds.
func (v View) Version() uint64 { return uint64(v.doc.graph.Len()) }

// Model returns the read model. It must not be changed.
func (v View) Model() *blocks.Model { return v.doc.model }

// Log returns the document's changes.
func (v View) Log() Log { return Log{v.doc} }

// Principal returns who an actor is, and through whom its changes came: both
// are zero when it is not on record.
func (v View) Principal(actor kaijutsu.ActorID) (by, via kaijutsu.Principal) {
	a := v.doc.actors[actor]
	return a.by, a.via
}

// signed adds the principal to a block.
func (d *document) signed(b blocks.Block) Block {
	a := d.actors[b.Author]
	return Block{b, a.by, a.via}
}
