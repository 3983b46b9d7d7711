package repo

import (
	"context"
	"fmt"
	"slices"

	"kaijutsu"
	"kaijutsu/blocks"
)

// CreateContext makes a context with this title and returns when it is on
// disk.
func (r *Repo) CreateContext(ctx context.Context, by kaijutsu.Principal, title string) (kaijutsu.ContextID, error) {
	return r.CreateContextWith(ctx, Edit{By: by}, title, nil)
}

// CreateContextWith is CreateContext with what f writes, as Edit has it. Both
// are on disk when it returns, or neither is.
func (r *Repo) CreateContextWith(ctx context.Context, e Edit, title string, f func(View, *blocks.Tx) error) (kaijutsu.ContextID, error) {
	id := kaijutsu.NewContextID(r.cfg.Now())
	err := r.edit(ctx, id.Document(), func(d *document, st *staged) error {
		d.author = signer{by: e.By}
		if _, err := d.graph.Add(blocks.Genesis()); err != nil {
			return fmt.Errorf("add the genesis change: %w", err)
		}
		if err := d.anchor(st, id, e.By, title); err != nil || f == nil {
			return err
		}
		_, err := d.editBlocks(e, f)
		return err
	})
	if err != nil {
		return kaijutsu.ContextID{}, fmt.Errorf("create context %q: %w", title, err)
	}
	return id, nil
}

// anchor adds the first change of a new context.
func (d *document) anchor(st *staged, id kaijutsu.ContextID, by kaijutsu.Principal, title string) error {
	if err := d.openModel(); err != nil {
		return err
	}
	c, err := firstChange(d.model, slices.Clone(d.graph.Heads()), id, title, d.repo.cfg)
	if err != nil {
		return err
	}
	d.author = signer{by: by}
	if _, err := d.graph.Add(c); err != nil {
		return fmt.Errorf("the first change: %w", err)
	}
	d.graph.SetAnchor(d.graph.Len() - 1)
	st.anchor = c.Hash
	return nil
}
