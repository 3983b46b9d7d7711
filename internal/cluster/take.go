package cluster

import (
	"context"
	"errors"
	"slices"
	"time"

	"kaijutsu"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// missingError says that changes wait for others.
type missingError struct{ base *store.Base }

func (e *missingError) Error() string { return "changes that it depends on are not here" }

// take brings parcels of one document to the repo and says what became of each.
func (c *Cluster) take(ctx context.Context, doc kaijutsu.DocumentID, parcels []*parcel) {
	batches := parcels[:0:0]
	for _, p := range parcels {
		switch {
		case c.recent.holdsAll(doc, p.hashes()):
			c.count.duplicates.Add(int64(p.changes()))
			p.done(nil)
		case p.notice != nil:
			c.gaps.wait(c, doc, need{hashes: p.notice.heads, node: p.node, now: true, done: p.done})
		default:
			batches = append(batches, p)
		}
	}
	if len(batches) == 0 {
		return
	}
	err := c.absorb(ctx, doc, batches)
	if err != nil && len(batches) > 1 && !errors.Is(err, kaijutsu.ErrUnavailable) {
		// One of them is bad: the others are not to suffer for it.
		for _, p := range batches {
			c.conclude(doc, []*parcel{p}, c.absorb(ctx, doc, []*parcel{p}))
		}
		return
	}
	c.conclude(doc, batches, err)
}

// absorb has the repo take what is not known yet, in portions: decoded, changes
// take memory that a few bytes can claim.
func (c *Cluster) absorb(ctx context.Context, doc kaijutsu.DocumentID, parcels []*parcel) error {
	var wants []wantedOf
	total, unknown := 0, 0
	for _, p := range parcels {
		w := wantedOf{p: p}
		err := c.patiently(ctx, parcels, func() (err error) {
			w.at, err = c.unknownOf(ctx, p)
			return err
		})
		if err != nil {
			return err
		}
		wants = append(wants, w)
		total, unknown = total+p.changes(), unknown+len(w.at)
	}
	c.count.duplicates.Add(int64(total - unknown))
	d := deliveryOf(parcels)
	var missing *missingError
	base := d.Base
	for part, ops := range portions(wants) {
		err := c.absorbPart(ctx, parcels, doc, d, part, ops)
		if err != nil && !errors.As(err, &missing) {
			return err
		}
		d.Base = nil // it goes with the first
	}
	if missing != nil {
		missing.base = base
		return missing
	}
	return nil
}

// deliveryOf is what parcels say besides their changes.
func deliveryOf(parcels []*parcel) repo.Delivery {
	d := repo.Delivery{Node: parcels[0].node, Signers: make(map[kaijutsu.ActorID]repo.Signer)}
	for _, p := range parcels {
		for actor, s := range p.batch.signers {
			d.Signers[actor] = s
		}
		if d.Base == nil {
			d.Base = p.batch.origin.Base
		}
		if d.Anchor == (kaijutsu.ChangeHash{}) {
			d.Anchor = p.batch.origin.Anchor
		}
	}
	return d
}

// absorbPart decodes a portion, a large one when few others are, and has the
// repo take it.
func (c *Cluster) absorbPart(ctx context.Context, parcels []*parcel, doc kaijutsu.DocumentID, d repo.Delivery, part []wantedOf, ops int) error {
	if ops > smallOps {
		select {
		case c.lanes.large <- struct{}{}:
			defer func() { <-c.lanes.large }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for _, w := range part {
		changes, err := w.p.batch.decodeChanges(w.has)
		if err != nil {
			return err
		}
		d.Changes = append(d.Changes, changes...)
	}
	return c.patiently(ctx, parcels, func() error {
		got, err := c.repo.Absorb(ctx, doc, d)
		c.count.taken.Add(int64(got.Taken))
		parcels[0].taken += got.Taken
		if err == nil && len(got.Missing) > 0 {
			return &missingError{}
		}
		return err
	})
}

// takeTries is how often changes of the feed are tried that cannot be taken now
// though the disk works. Then the comparison has to bring them: others wait.
const takeTries = 5

// patiently repeats f while it is unavailable, for what came from the feed: as
// long as the disk refuses, and otherwise a few times.
func (c *Cluster) patiently(ctx context.Context, parcels []*parcel, f func() error) error {
	patient := slices.ContainsFunc(parcels, func(p *parcel) bool { return p.from == fromFeed })
	tries := 0
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		err := f()
		if !patient || !errors.Is(err, kaijutsu.ErrUnavailable) || errors.Is(err, repo.ErrDeleted) {
			return err
		}
		if c.store.Trouble() == nil {
			tries++
		}
		if tries >= takeTries || !sleep(ctx, wait) {
			return err
		}
	}
}

// unknownOf returns which changes of a batch are not known. The repo is asked
// about those of the feed only: live copies and answers are new, or remembered.
func (c *Cluster) unknownOf(ctx context.Context, p *parcel) ([]int, error) {
	b := p.batch
	var at []int
	c.recent.unknown(b.doc, b.hashes, func(i int) { at = append(at, i) })
	if p.from != fromFeed || len(at) == 0 {
		return at, nil
	}
	has, err := c.repo.Has(ctx, b.doc, b.hashes)
	if err != nil && !errors.Is(err, kaijutsu.ErrNotFound) {
		return nil, err
	}
	return slices.DeleteFunc(at, func(i int) bool { return i < len(has) && has[i] }), nil
}

// conclude tells parcels what became of them.
func (c *Cluster) conclude(doc kaijutsu.DocumentID, parcels []*parcel, err error) {
	var missing *missingError
	switch {
	case err == nil:
		for _, p := range parcels {
			c.recent.add(doc, p.batch.hashes)
			p.done(nil)
		}
	case errors.As(err, &missing):
		for _, p := range parcels {
			if p.from == fromAsk {
				p.done(err)
				continue
			}
			c.gaps.wait(c, doc, need{hashes: p.batch.hashes, node: p.node, done: p.done})
		}
	default:
		for _, p := range parcels {
			if errors.Is(err, kaijutsu.ErrConflict) {
				c.splits.note(doc, p.node, c.now())
			}
			if !errors.Is(err, kaijutsu.ErrUnavailable) && !errors.Is(err, repo.ErrDeleted) && !errors.Is(err, context.Canceled) {
				c.refused.note(p.node, err)
			}
			p.done(err)
		}
	}
}
