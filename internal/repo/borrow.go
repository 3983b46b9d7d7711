package repo

import (
	"context"
	"errors"
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/store"
)

// Origin is where a document comes from.
type Origin struct {
	// Anchor is the change from which all of the document's own descend; zero
	// when it has none.
	Anchor kaijutsu.ChangeHash
	// Base is what it rests on, nil when it holds everything itself.
	Base *store.Base
}

// Origin returns where a document comes from, or an error wrapping
// kaijutsu.ErrNotFound when it is not here.
func (r *Repo) Origin(ctx context.Context, id kaijutsu.DocumentID) (Origin, error) {
	var out Origin
	err := r.with(ctx, id, func(d *document) error {
		if d.graph.Len() == 0 {
			return d.notHere()
		}
		if i, ok := d.graph.Anchor(); ok {
			out.Anchor = d.graph.Hash(i)
		}
		out.Base = d.base
		return nil
	})
	return out, err
}

// borrow returns the base on which a delivery makes its document, nil when the
// document is here already or the base's heads are not. Until it is given back
// the base is not deleted.
func (r *Repo) borrow(ctx context.Context, d *document, in Delivery) (base *store.Base, giveBack func(), err error) {
	nothing := func() {}
	if in.Base == nil || len(in.Changes) == 0 || in.Base.Doc == d.id {
		return nil, nothing, nil
	}
	unknown := false
	err = d.call(ctx, func(d *document) error {
		unknown = d.graph.Len() == 0
		return nil
	})
	if err != nil || !unknown {
		return nil, nothing, err
	}
	if err := checkAnchor(d.id, in); err != nil {
		return nil, nothing, err
	}
	under, err := r.acquire(in.Base.Doc)
	if err != nil {
		return nil, nothing, err
	}
	err = under.call(ctx, func(under *document) error {
		heads, err := under.known(in.Base.Heads)
		if err != nil || under.deleting {
			return errNotHere
		}
		base = &store.Base{Doc: under.id, Heads: heads, Changes: uint64(under.graph.Len() - len(under.graph.Since(heads)))}
		under.lent++
		return nil
	})
	if err != nil {
		r.release(under)
		if errors.Is(err, kaijutsu.ErrNotFound) { // what rests on it waits
			err = nil
		}
		return nil, nothing, err
	}
	return base, func() {
		_ = under.call(context.Background(), func(under *document) error { // closed: nothing is lent
			under.lent--
			return nil
		})
		r.release(under)
	}, nil
}

// checkAnchor holds that a delivery of a fork begins with its anchor.
func checkAnchor(id kaijutsu.DocumentID, in Delivery) error {
	c := in.Changes[0]
	if !kaijutsu.NewHeads(c.Deps...).Equal(kaijutsu.NewHeads(in.Base.Heads...)) || !namesDocument(c, id) {
		return fmt.Errorf("change %v is not the first of a fork of document %s at heads %v: %w", c.Hash, in.Base.Doc, in.Base.Heads, kaijutsu.ErrInvalid)
	}
	return nil
}

func namesDocument(c *amfile.Change, id kaijutsu.DocumentID) bool {
	for i := range c.Ops {
		if named, ok := names(&c.Ops[i]); ok && named.Document() == id {
			return true
		}
	}
	return false
}

// restOn fills an empty document with what it is to rest on.
func (d *document) restOn(base *store.Base, st *staged) error {
	if d.graph.Len() > 0 {
		return nil // it was made meanwhile
	}
	release, err := d.repo.takeApart(d.quit)
	if err != nil {
		return err
	}
	defer release()
	f := newFilling()
	f.graph = d.graph
	if err := f.rest(d.repo.cfg.Store, base.Doc, base.Heads); err != nil {
		d.graph.Truncate(0)
		return fmt.Errorf("%w: %w", kaijutsu.ErrUnavailable, err)
	}
	d.actors, d.baseActors = f.actors, f.baseActors
	d.base, d.newBase, d.before, d.depth = f.base, f.base, f.before, f.depth
	d.covered, d.coveredBytes = f.covered, f.coveredBytes
	d.model, d.pasts = nil, nil
	st.from, st.before = d.graph.Len(), d.graph.Heads()
	d.beginModel(st)
	return nil
}

// forgetBase empties a document that was to rest on another and did not get to
// the disk.
func (d *document) forgetBase() {
	if d.newBase == nil {
		return
	}
	d.graph.Truncate(0)
	d.actors = make(map[kaijutsu.ActorID]signer)
	d.base, d.newBase, d.baseActors, d.before, d.depth = nil, nil, nil, 0, 0
	d.covered, d.coveredBytes, d.tailBytes = 0, 0, 0
	d.model, d.pasts = nil, nil
}
