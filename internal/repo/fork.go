package repo

import (
	"context"
	"fmt"

	"kaijutsu"
)

// Fork makes a context that holds what a context held at these heads, with its
// history, and returns when it is on disk. No heads means now; title "" keeps
// the title. On disk it costs as much as an edit, until it is edited a lot: the
// fork names the heads and rests on the other document's changes.
//
// The two never mix: every change of the fork descends from its first, which
// the other does not take. The error wraps kaijutsu.ErrNotFound when there is
// no such document, or it does not hold one of the heads, and ErrInvalid when
// it is no context.
func (r *Repo) Fork(ctx context.Context, by kaijutsu.Principal, id kaijutsu.DocumentID, heads kaijutsu.Heads, title string) (kaijutsu.ContextID, error) {
	cid, err := r.fork(ctx, by, id, heads, title)
	if err != nil {
		return kaijutsu.ContextID{}, fmt.Errorf("fork document %s: %w", id, err)
	}
	return cid, nil
}

func (r *Repo) fork(ctx context.Context, by kaijutsu.Principal, id kaijutsu.DocumentID, heads kaijutsu.Heads, title string) (kaijutsu.ContextID, error) {
	none := kaijutsu.ContextID{}
	if by.IsZero() {
		return none, fmt.Errorf("no principal: %w", kaijutsu.ErrDenied)
	}
	parent, err := r.acquire(id)
	if err != nil {
		return none, err
	}
	defer r.release(parent)
	if err := parent.call(ctx, func(d *document) (err error) {
		heads, err = d.hold(heads)
		return err
	}); err != nil {
		return none, err
	}
	defer parent.call(context.Background(), func(d *document) error { // closed: it holds nothing any more
		d.holds--
		return nil
	})
	cid := kaijutsu.NewContextID(r.cfg.Now())
	return cid, r.edit(ctx, cid.Document(), func(d *document, st *staged) error {
		if err := d.restOn(st, id, heads); err != nil {
			return err
		}
		return d.anchor(st, cid, by, title)
	})
}

// hold keeps the document from being deleted while it is forked, and returns
// the heads to fork at.
func (d *document) hold(heads kaijutsu.Heads) (kaijutsu.Heads, error) {
	if d.graph.Len() == 0 {
		return nil, kaijutsu.ErrNotFound
	}
	if d.deleting {
		return nil, fmt.Errorf("it is being deleted: %w", kaijutsu.ErrUnavailable)
	}
	if len(heads) == 0 {
		heads = d.graph.Heads()
	}
	heads, err := d.known(heads)
	if err == nil {
		d.holds++
	}
	return heads, err
}

// restOn lets a new document begin with what another one holds on disk.
func (d *document) restOn(st *staged, id kaijutsu.DocumentID, heads kaijutsu.Heads) error {
	release, err := d.repo.takeApart(d.quit)
	if err != nil {
		return err
	}
	defer release()
	f := newFilling()
	if err := f.rest(d.repo.cfg.Store, id, heads); err != nil {
		return err
	}
	d.take(f)
	st.from, st.base, st.all = d.graph.Len(), f.base, true
	if err := d.openModel(); err != nil {
		return err
	}
	if !d.model.IsContext() {
		return fmt.Errorf("it is no context of blocks at heads %v: %w", heads, kaijutsu.ErrInvalid)
	}
	return nil
}
