package repo

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
	"kaijutsu/internal/store"
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
	cid := kaijutsu.NewContextID(r.cfg.Now())
	if err := r.ForkAs(ctx, cid, by, id, heads, title); err != nil {
		return kaijutsu.ContextID{}, err
	}
	return cid, nil
}

// ForkAs is Fork under an id that the caller has made: for one who writes down
// who may read the fork before there is any.
func (r *Repo) ForkAs(ctx context.Context, cid kaijutsu.ContextID, by kaijutsu.Principal, id kaijutsu.DocumentID, heads kaijutsu.Heads, title string) error {
	if by.IsZero() {
		return fmt.Errorf("fork document %s: no principal: %w", id, kaijutsu.ErrDenied)
	}
	if err := r.admit(ctx); err != nil {
		return fmt.Errorf("fork document %s: %w", id, err)
	}
	err := r.orFetch(ctx, id, func() error {
		return r.recall(ctx, id, func(d *document, own *pasts) error { return d.fork(cid, by, heads, title, own) })
	})
	if err != nil {
		return fmt.Errorf("fork document %s: %w", id, err)
	}
	return nil
}

// fork makes the first change of the fork and puts it on disk. The document's
// owner does it, so that the document is not deleted meanwhile.
func (d *document) fork(cid kaijutsu.ContextID, by kaijutsu.Principal, heads kaijutsu.Heads, title string, own *pasts) error {
	switch {
	case d.graph.Len() == 0:
		return errNotHere
	case d.deleting:
		return fmt.Errorf("it is being deleted: %w", kaijutsu.ErrUnavailable)
	}
	if err := d.openModel(); err != nil {
		return err
	}
	heads, err := d.forkHeads(heads)
	if err != nil {
		return err
	}
	m, err := d.atOr(heads, own)
	if err != nil {
		return err
	}
	if !m.IsContext() {
		return fmt.Errorf("it is no context of blocks at heads %v: %w", heads, kaijutsu.ErrInvalid)
	}
	base := &store.Base{Doc: d.id, Heads: heads, Changes: uint64(d.graph.Len() - len(d.graph.Since(heads)))}
	c, err := firstChange(m, heads, cid, title, d.repo.cfg)
	if err != nil {
		return err
	}
	return d.repo.putFork(cid.Document(), base, c, by)
}

// forkHeads returns the heads to fork at: the document's, or those given
// without those that are behind others.
func (d *document) forkHeads(heads kaijutsu.Heads) (kaijutsu.Heads, error) {
	if len(heads) == 0 {
		return slices.Clone(d.graph.Heads()), nil
	}
	if len(heads) > changegraph.MaxHeads {
		return nil, fmt.Errorf("%d heads: at most %d: %w", len(heads), changegraph.MaxHeads, kaijutsu.ErrTooLarge)
	}
	heads, err := d.known(heads)
	if err != nil {
		return nil, err
	}
	for k := 0; k < len(heads) && len(heads) > 1; {
		others := slices.Delete(slices.Clone(heads), k, k+1)
		i, _ := d.graph.Index(heads[k])
		if _, outside := slices.BinarySearch(d.graph.Since(others), i); outside {
			k++
		} else {
			heads = others
		}
	}
	return heads, nil
}

// firstChange returns the change from which all later ones of a new context
// descend: it says which context this is, and the title if there is a new one.
// Its actor is nobody else's.
func firstChange(m *blocks.Model, heads kaijutsu.Heads, cid kaijutsu.ContextID, title string, cfg Config) (*amfile.Change, error) {
	opt := blocks.CommitOptions{Actor: newActor(), Deps: heads, Time: cfg.Now()}
	return m.Commit(opt, func(tx *blocks.Tx) error {
		if err := tx.SetContext(cid); err != nil || title == "" {
			return err
		}
		return tx.SetTitle(title)
	})
}

// newActor returns an actor that nobody has used.
func newActor() kaijutsu.ActorID {
	var raw [16]byte
	rand.Read(raw[:])
	return kaijutsu.ActorID(raw[:])
}

// putFork puts a fork on disk and tells of it.
func (r *Repo) putFork(id kaijutsu.DocumentID, base *store.Base, first *amfile.Change, by kaijutsu.Principal) error {
	entry := Entry{Doc: id, From: base.Changes, N: 1}
	w := store.Write{
		Doc: id, Base: base, Anchor: first.Hash, Heads: kaijutsu.Heads{first.Hash},
		Changes: []store.Change{{Hash: first.Hash, Raw: first.Raw}},
		Actors:  []store.Actor{{ID: first.Author(), Principal: by, At: r.cfg.Now().UTC()}},
		Outbox:  [][]byte{entry.encode()},
	}
	stored, err := r.cfg.Store.Commit(context.Background(), w)
	if err != nil {
		return storeError(err)
	}
	if r.cfg.Committed != nil {
		r.cfg.Committed(Committed{
			Doc: id, Heads: w.Heads, Before: base.Heads, From: base.Changes, Version: base.Changes + 1, Seq: stored.FirstOutbox,
			Changes: []Change{{Change: slim(first), By: by}}, Base: base, Anchor: first.Hash, All: true,
		})
	}
	return nil
}
