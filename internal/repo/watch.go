package repo

import (
	"context"
	"maps"
	"slices"

	"kaijutsu"
	"kaijutsu/blocks"
)

// Watch follows the blocks of a document. It holds no queue: it notes which
// blocks were touched, and Next reads them as they are then, so a slow reader
// sees fewer steps and never a wrong one.
type Watch struct {
	doc  *document
	wake chan struct{} // holds one token when there may be something to read

	// The owner's.
	touched map[blocks.ID]struct{}
}

// Watch starts to follow a document from now on. Close it.
func (r *Repo) Watch(ctx context.Context, id kaijutsu.DocumentID) (*Watch, error) {
	if r.cfg.Fetch != nil {
		if here, err := r.Exists(ctx, id); err != nil {
			return nil, err
		} else if !here {
			r.fetch(ctx, id)
		}
	}
	d, err := r.acquire(id)
	if err != nil {
		return nil, err
	}
	w := &Watch{doc: d, wake: make(chan struct{}, 1), touched: make(map[blocks.ID]struct{})}
	err = d.call(ctx, func(d *document) error {
		if err := d.openModel(); err != nil {
			return err
		}
		d.watches[w] = struct{}{}
		return nil
	})
	if err != nil {
		r.release(d)
		return nil, err
	}
	return w, nil
}

// Next waits until blocks were touched and returns them as they are on disk
// now. A block that is gone is left out.
func (w *Watch) Next(ctx context.Context) ([]Block, error) {
	for {
		select {
		case <-w.wake:
		case <-w.doc.done:
			return nil, ErrClosed
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		var found []Block
		err := w.doc.call(ctx, func(d *document) error {
			if err := d.openModel(); err != nil {
				return err
			}
			for _, id := range slices.Sorted(maps.Keys(w.touched)) {
				if b, ok := d.model.Block(id); ok {
					found = append(found, d.signed(b))
				}
			}
			clear(w.touched)
			return nil
		})
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
}

// Close ends the watch.
func (w *Watch) Close() {
	_ = w.doc.call(context.Background(), func(d *document) error { // closed: nothing is left to end
		delete(d.watches, w)
		return nil
	})
	w.doc.repo.release(w.doc)
}

// note marks blocks as touched and wakes the reader.
func (w *Watch) note(deltas []Delta) {
	noted := false
	for i := range deltas {
		for _, b := range deltas[i].Blocks {
			w.touched[b.ID], noted = struct{}{}, true
		}
	}
	if noted {
		w.stir()
	}
}

// stir lets the reader look.
func (w *Watch) stir() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}
