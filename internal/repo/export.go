package repo

import (
	"context"
	"fmt"

	"kaijutsu"
)

// Export returns the document with its whole history as one document chunk,
// the content of an .automerge file.
func (r *Repo) Export(ctx context.Context, id kaijutsu.DocumentID) ([]byte, error) {
	var raws [][]byte
	err := r.orFetch(ctx, id, func() error {
		return r.with(ctx, id, func(d *document) error {
			if d.graph.Len() == 0 {
				return d.notHere()
			}
			raws = d.raws()
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	select { // the work takes as much memory as a snapshot's
	case r.snapshot <- struct{}{}:
		defer func() { <-r.snapshot }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	var chunk []byte
	err = r.job(id, unit{what: onPast}, func(t *task) (err error) {
		chunk, err = encodeVerified(raws, t)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("export document %s: %w", id, err)
	}
	return chunk, nil
}

// raws returns the bytes of every change in order. The slices are shared.
func (d *document) raws() [][]byte {
	raws := make([][]byte, d.graph.Len())
	for i := range raws {
		raws[i] = d.graph.Raw(i)
	}
	return raws
}
