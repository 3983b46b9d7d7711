package repo

import (
	"context"
	"fmt"

	"kaijutsu"
)

// Delete removes a document for good and returns when that is on disk. Forks
// that rest on it are made whole first. Peers that have it open are told, and
// those that sync it later: their sessions end with ErrDeleted. The error wraps
// kaijutsu.ErrNotFound when there is no such document.
func (r *Repo) Delete(ctx context.Context, id kaijutsu.DocumentID) error {
	d, err := r.acquire(id)
	if err != nil {
		return err
	}
	defer r.release(d)
	if err := d.call(ctx, (*document).beginDelete); err != nil {
		return fmt.Errorf("delete document %s: %w", id, err)
	}
	if err = r.makeForksWhole(ctx, id); err == nil {
		err = d.call(ctx, (*document).finishDelete)
	}
	if err != nil {
		_ = d.call(context.Background(), func(d *document) error { // closed: nothing is being deleted
			d.deleting = false
			return nil
		})
		return fmt.Errorf("delete document %s: %w", id, err)
	}
	return nil
}

func (d *document) beginDelete() error {
	switch {
	case d.graph.Len() == 0:
		return kaijutsu.ErrNotFound
	case d.deleting:
		return fmt.Errorf("it is being deleted: %w", kaijutsu.ErrUnavailable)
	case d.lent > 0:
		return fmt.Errorf("it is being forked: %w", kaijutsu.ErrUnavailable)
	}
	d.deleting = true
	return nil
}

// makeForksWhole takes a document from under everything that rests on it.
func (r *Repo) makeForksWhole(ctx context.Context, id kaijutsu.DocumentID) error {
	failed := fmt.Errorf("forks rest on it: %w", kaijutsu.ErrUnavailable)
	for range 3 { // another snapshot of a fork may have been under way
		forks, err := r.cfg.Store.Forks(ctx, id)
		if err != nil || len(forks) == 0 {
			return err
		}
		for _, fork := range forks {
			if err := r.makeWhole(ctx, fork); err != nil {
				failed = fmt.Errorf("fork %s cannot be made whole: %w", fork, err)
			}
		}
	}
	return failed
}

// makeWhole writes a snapshot of a fork, so that it rests on nothing.
func (r *Repo) makeWhole(ctx context.Context, id kaijutsu.DocumentID) error {
	d, err := r.acquire(id)
	if err != nil {
		return err
	}
	defer r.release(d)
	var job *snapshotJob
	if err := d.call(ctx, func(d *document) error {
		if d.base != nil {
			job = d.newSnapshot()
		}
		return nil
	}); err != nil || job == nil {
		return err
	}
	select {
	case r.snapshot <- struct{}{}:
		defer func() { <-r.snapshot }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := job.guarded(); err != nil {
		return err
	}
	return d.call(ctx, func(d *document) error {
		d.adopt(job)
		return nil
	})
}

// finishDelete removes the document and everybody from it.
func (d *document) finishDelete() error {
	if err := d.repo.cfg.Store.Delete(context.Background(), d.id); err != nil {
		return err
	}
	d.failed = fmt.Errorf("document %s: %w", d.id, ErrDeleted)
	d.unusable.Store(true)
	d.model, d.pasts = nil, nil
	for s := range d.sessions {
		d.end(s, ErrDeleted)
	}
	for w := range d.watches {
		w.stir()
	}
	if told := d.repo.cfg.Committed; told != nil {
		told(Committed{Doc: d.id, Deleted: true})
	}
	d.measure()
	return nil
}
