package repo

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/blocks"
)

// Block is a block and the principal whose actor made it; By is zero when the
// actor is not on record.
type Block struct {
	blocks.Block
	By kaijutsu.Principal
}

// View is a document as it is on disk at Heads. It is good while the function
// that View runs does.
type View struct {
	doc *document
	// Heads are the document's.
	Heads kaijutsu.Heads
}

// View runs f on a document's blocks in its owner; f must not take long. The
// error wraps kaijutsu.ErrNotFound when there is no such document.
func (r *Repo) View(ctx context.Context, id kaijutsu.DocumentID, f func(View) error) error {
	return r.with(ctx, id, func(d *document) error {
		if d.graph.Len() == 0 {
			return fmt.Errorf("document %s: %w", id, kaijutsu.ErrNotFound)
		}
		if err := d.openModel(); err != nil {
			return err
		}
		return f(View{d, d.graph.Heads()})
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

// signed adds the principal to a block.
func (d *document) signed(b blocks.Block) Block { return Block{b, d.actors[b.Author]} }
