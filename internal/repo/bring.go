package repo

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

const (
	// rawChanges is how many changes of the log are read in one turn of the owner.
	rawChanges = 2048
	// sinceBytes bounds a part that Since gives.
	sinceBytes = 256 << 10
)

// logged is a change of the log as the owner gives it out: its bytes are
// shared, and stay what they are.
type logged struct {
	raw []byte
	by  signer
}

// logged returns changes from to to-1 of the log.
func (d *document) logged(from, to int) []logged {
	out := make([]logged, to-from)
	for i := range out {
		out[i] = logged{d.graph.Raw(from + i), d.actors[d.graph.Author(from+i)]}
	}
	return out
}

func (l logged) change() (Change, error) {
	c, err := amfile.DecodeChange(l.raw)
	return Change{Change: c, By: l.by.by, Via: l.by.via}, err
}

// header is change without the operations.
func (l logged) header() (Change, error) {
	h, err := amfile.DecodeHeader(l.raw)
	if err != nil {
		return Change{}, err
	}
	c := &amfile.Change{
		Hash: h.Hash, Deps: h.Deps, Actors: []kaijutsu.ActorID{h.Author}, Seq: h.Seq, StartOp: h.StartOp,
		Time: h.Time, Message: h.Message, Raw: l.raw,
	}
	return Change{Change: c, By: l.by.by, Via: l.by.via}, nil
}

// Raw returns n changes of a document's log from number from on, and who made
// them; fewer when the log ends. They have header and bytes, but neither
// operations, which take memory that a few bytes can claim, nor Steps. The error
// wraps kaijutsu.ErrNotFound when the document is not here.
func (r *Repo) Raw(ctx context.Context, id kaijutsu.DocumentID, from, n uint64) ([]Change, error) {
	var out []Change
	for n > 0 {
		var part []logged
		err := r.with(ctx, id, func(d *document) error {
			length := uint64(d.graph.Len())
			if length == 0 {
				return d.notHere()
			}
			if from < length {
				part = d.logged(int(from), int(from+min(n, length-from, rawChanges)))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		for i, l := range part {
			c, err := l.header()
			if err != nil {
				return nil, fmt.Errorf("change %d of document %s: %w", from+uint64(i), id, err)
			}
			out = append(out, c)
		}
		if len(part) < rawChanges {
			break
		}
		from, n = from+rawChanges, n-rawChanges
	}
	return out, nil
}

// Has reports for each of these changes whether the document holds it; all
// false when it is not here.
func (r *Repo) Has(ctx context.Context, id kaijutsu.DocumentID, changes []kaijutsu.ChangeHash) ([]bool, error) {
	has := make([]bool, len(changes))
	err := r.with(ctx, id, func(d *document) error {
		for i, h := range changes {
			has[i] = d.graph.Has(h)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return has, nil
}

// Since gives f, in parts of at most 256 KiB or one change, what the document
// holds and is not behind those of have that it holds: each change after those
// it depends on, with header and bytes but without its operations. f is called
// outside of the owner and may take its time; its error ends it and is
// returned. The error wraps kaijutsu.ErrNotFound when the document is not here.
func (r *Repo) Since(ctx context.Context, id kaijutsu.DocumentID, have kaijutsu.Heads, f func([]Change) error) error {
	var todo []int
	err := r.with(ctx, id, func(d *document) error {
		if d.graph.Len() == 0 {
			return d.notHere()
		}
		todo = d.graph.Since(have)
		return nil
	})
	if err != nil {
		return err
	}
	var part []Change
	bytes := 0
	flush := func() error {
		if len(part) == 0 {
			return nil
		}
		err := f(part)
		part, bytes = nil, 0
		return err
	}
	for len(todo) > 0 {
		some := todo[:min(len(todo), rawChanges)]
		todo = todo[len(some):]
		list, err := r.pick(ctx, id, some)
		if err != nil {
			return err
		}
		for k, l := range list {
			c, err := l.header()
			if err != nil {
				return fmt.Errorf("change %d of document %s: %w", some[k], id, err)
			}
			if bytes+len(l.raw) > sinceBytes {
				if err := flush(); err != nil {
					return err
				}
			}
			part, bytes = append(part, c), bytes+len(l.raw)
		}
	}
	return flush()
}

// pick returns changes of the log by their numbers.
func (r *Repo) pick(ctx context.Context, id kaijutsu.DocumentID, numbers []int) ([]logged, error) {
	var list []logged
	err := r.with(ctx, id, func(d *document) error {
		if last := numbers[len(numbers)-1]; last >= d.graph.Len() {
			return d.notHere()
		}
		list = make([]logged, len(numbers))
		for k, i := range numbers {
			list[k] = logged{d.graph.Raw(i), d.actors[d.graph.Author(i)]}
		}
		return nil
	})
	return list, err
}
