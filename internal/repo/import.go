package repo

import (
	"context"
	"errors"
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
)

// ImportDocument makes a context of an .automerge file: a document chunk,
// changes, or both, one behind the other. Every change is validated as one that
// a peer sends. Its authors are recorded as unknown, via by. The error wraps
// kaijutsu.ErrInvalid when the file is damaged, lacks changes, or is no context
// of blocks.
func (r *Repo) ImportDocument(ctx context.Context, by kaijutsu.Principal, file []byte) (kaijutsu.ContextID, error) {
	id, err := r.importDocument(ctx, by, file)
	if err != nil {
		return kaijutsu.ContextID{}, fmt.Errorf("import document: %w", err)
	}
	return id, nil
}

func (r *Repo) importDocument(ctx context.Context, by kaijutsu.Principal, file []byte) (kaijutsu.ContextID, error) {
	id := kaijutsu.NewContextID(r.cfg.Now())
	if by.IsZero() {
		return id, fmt.Errorf("no principal: %w", kaijutsu.ErrDenied)
	}
	release, err := r.takeApart(ctx.Done())
	if err != nil {
		return id, errors.Join(err, ctx.Err())
	}
	defer release()
	chunks, err := amfile.SplitChunks(file)
	if err != nil {
		return id, err
	}
	return id, r.edit(ctx, id.Document(), func(d *document, st *staged) error {
		d.author = signer{via: by}
		d.graph.Judge = nil // what it was before does not bind it
		defer func() { d.graph.Judge = d.judge }()
		for i, chunk := range chunks {
			if err := addChunk(d.graph, chunk); err != nil {
				return fmt.Errorf("chunk %d of the file: %w", i+1, err)
			}
		}
		if err := d.checkImported(); err != nil {
			return err
		}
		return d.anchor(st, id, by, "")
	})
}

// addChunk adds the changes of a chunk by the rules that sync has.
func addChunk(g *changegraph.Graph, chunk amfile.Chunk) error {
	if chunk.Type != amfile.ChunkDocument {
		c, err := amfile.DecodeChange(chunk.Raw)
		if err != nil {
			return err
		}
		_, err = g.Add(c)
		return err
	}
	changes, err := amfile.DecodeDocument(chunk.Raw)
	if err != nil {
		return err
	}
	for i, c := range changes {
		c, err := amfile.DecodeChange(c.Raw) // the rules that DecodeDocument does not hold
		if err != nil {
			return fmt.Errorf("change %d: %w", i+1, err)
		}
		if _, err := g.Add(c); err != nil {
			return err
		}
	}
	return nil
}

func (d *document) checkImported() error {
	if n := d.graph.Waiting(); n > 0 {
		return fmt.Errorf("%d changes lack others that they depend on: %w", n, kaijutsu.ErrInvalid)
	}
	if err := d.openModel(); err != nil {
		return err
	}
	if !d.model.IsContext() || !d.graph.Has(genesis) {
		return fmt.Errorf("it is no context of blocks: %w", kaijutsu.ErrInvalid)
	}
	return nil
}
