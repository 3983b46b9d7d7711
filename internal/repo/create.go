package repo

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/blocks"
)

// CreateContext makes a context with this title and returns when it is on
// disk.
func (r *Repo) CreateContext(ctx context.Context, by kaijutsu.Principal, title string) (kaijutsu.ContextID, error) {
	id := kaijutsu.NewContextID(r.cfg.Now())
	err := r.edit(ctx, id.Document(), func(d *document, st *staged) error {
		d.author = signer{by: by}
		if _, err := d.graph.Add(blocks.Genesis()); err != nil {
			return fmt.Errorf("add the genesis change: %w", err)
		}
		return d.anchor(st, id, by, title)
	})
	if err != nil {
		return kaijutsu.ContextID{}, fmt.Errorf("create context %q: %w", title, err)
	}
	return id, nil
}

// anchor makes the change from which all later ones of a new context descend:
// it says which context this is, and the title if there is a new one.
func (d *document) anchor(st *staged, id kaijutsu.ContextID, by kaijutsu.Principal, title string) error {
	done, err := d.editBlocks(Edit{By: by}, func(_ View, tx *blocks.Tx) error {
		if err := tx.SetContext(id); err != nil || title == "" {
			return err
		}
		return tx.SetTitle(title)
	})
	if err != nil {
		return err
	}
	i, ok := d.graph.Index(done.Change)
	if !ok {
		return fmt.Errorf("the context was given no id: %w", kaijutsu.ErrInvalid)
	}
	d.graph.SetAnchor(i)
	st.anchor = done.Change
	return nil
}
