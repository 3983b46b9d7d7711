package repo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// Making is what a change that is made here has to say, and rests on.
type Making struct {
	Actor   kaijutsu.ActorID // the principal's; new each time the document is opened
	Seq     uint64
	StartOp uint64
	Deps    kaijutsu.Heads
	Time    time.Time
}

// Add has make make a change of a document that is no context, and commits it;
// the document need not be there before. It returns when the change is on disk.
// make runs in the document's owner and must not take long; when it returns nil
// or an error, nothing is written. The error wraps kaijutsu.ErrDenied when
// nobody adds.
func (r *Repo) Add(ctx context.Context, id kaijutsu.DocumentID, by kaijutsu.Principal, make func(Making) (*amfile.Change, error)) (Edited, error) {
	if by.IsZero() {
		return Edited{}, fmt.Errorf("change document %s: no principal: %w", id, kaijutsu.ErrDenied)
	}
	var out Edited
	err := r.edit(ctx, id, func(d *document, _ *staged) error {
		d.bulk = true
		actor := d.actorOf(signer{by: by})
		c, err := make(Making{
			Actor: actor, Seq: d.graph.NextSeq(actor), StartOp: d.graph.MaxOp() + 1,
			Deps: slices.Clone(d.graph.Heads()), Time: d.repo.cfg.Now(),
		})
		if err != nil {
			return err
		}
		if c != nil {
			d.author = signer{by: by}
			if _, err := d.graph.Add(c); err != nil {
				return fmt.Errorf("the change that was made: %w", err)
			}
			out.Change = c.Hash
		}
		out.Version, out.Heads = uint64(d.graph.Len()), d.graph.Heads()
		return nil
	})
	if err != nil {
		return Edited{}, err
	}
	return out, nil
}

// changesOps is how many operations Changes decodes at a time, unless one change
// has more.
const changesOps = 200_000

// Changes returns the durable changes of a document from number from on,
// decoded, in the order of its log: n at most, and fewer when they have very
// many operations; none when there are no more, or no such document.
func (r *Repo) Changes(ctx context.Context, id kaijutsu.DocumentID, from uint64, n int) ([]*amfile.Change, error) {
	var raw [][]byte
	err := r.with(ctx, id, func(d *document) error {
		ops := 0
		for i := from; i < uint64(d.graph.Len()) && len(raw) < n; i++ {
			next := d.graph.Raw(int(i))
			if ops += amfile.CountOps(next); ops > changesOps && len(raw) > 0 {
				break
			}
			raw = append(raw, slices.Clone(next))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read changes of document %s: %w", id, err)
	}
	changes := make([]*amfile.Change, len(raw))
	for i := range raw {
		if changes[i], err = amfile.DecodeChange(raw[i]); err != nil {
			return nil, fmt.Errorf("change %d of document %s: %w", from+uint64(i), id, err)
		}
	}
	return changes, nil
}
