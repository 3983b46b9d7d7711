package repo

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
)

// pastsKept is how many models of past heads an open document keeps.
const pastsKept = 3

// pastModel is the read model of a document as it was at some heads.
type pastModel struct {
	heads kaijutsu.Heads
	model *blocks.Model
}

// At returns the document as it was at these heads. The error wraps
// kaijutsu.ErrNotFound when the document does not hold one of them, and
// ErrInvalid when there are none. A few pasts are kept; one that is not is
// made of the changes behind it; when they are many the error asks Repo.View
// for that, and has to be returned: the function is then called again. The
// model must not be changed.
func (v View) At(heads kaijutsu.Heads) (*blocks.Model, error) {
	heads, err := v.doc.known(heads)
	if err != nil {
		return nil, err
	}
	return v.doc.atOr(heads, v.own)
}

// HeadsOf returns the heads of the first n changes of the log, n being 1 to
// Version.
func (v View) HeadsOf(n int) kaijutsu.Heads { return v.doc.graph.HeadsOf(n) }

// Changes returns the numbers, in Log, of the changes that are not behind
// these heads; of all when there are none. The error is that of At.
func (v View) Changes(since kaijutsu.Heads) ([]int, error) {
	if len(since) > 0 {
		var err error
		if since, err = v.doc.known(since); err != nil {
			return nil, err
		}
	}
	return v.doc.graph.Since(since), nil
}

// known returns heads in their order, or an error that names those that the
// document does not hold.
func (d *document) known(heads kaijutsu.Heads) (kaijutsu.Heads, error) {
	heads = kaijutsu.NewHeads(heads...)
	if len(heads) == 0 {
		return nil, fmt.Errorf("heads: none are given: %w", kaijutsu.ErrInvalid)
	}
	for _, h := range heads {
		if !d.graph.Has(h) {
			return nil, fmt.Errorf("heads: document %s holds no change %v: %w", d.id, h, kaijutsu.ErrNotFound)
		}
	}
	return heads, nil
}

// stepChanges is how many changes a past may be made of in the owner.
const stepChanges = 1000

// wanted is the error of a function that looked for a past that is not there:
// it is made of these changes outside of the owner, and the function is called
// again.
type wanted struct {
	heads kaijutsu.Heads
	raws  [][]byte
}

// Error says what is missing.
func (w *wanted) Error() string { return fmt.Sprintf("the past at %v is not there yet", w.heads) }

// make makes the past.
func (w *wanted) make(ctx context.Context, r *Repo, t *task) (pastModel, error) {
	select {
	case r.recalling <- struct{}{}:
		defer func() { <-r.recalling }()
	case <-ctx.Done():
		return pastModel{}, ctx.Err()
	}
	m := blocks.NewModel()
	m.Stop = &t.stop
	for i, raw := range w.raws {
		t.begin(unit{what: onPast})
		c, err := amfile.DecodeChange(raw)
		if err != nil {
			return pastModel{}, fmt.Errorf("read change: %w", err)
		}
		m.Apply(c)
		if i%stepChanges == 0 && ctx.Err() != nil {
			return pastModel{}, ctx.Err()
		}
	}
	return pastModel{w.heads, m}, nil
}

// pasts are those that one question is about. They stay until it is answered.
type pasts struct{ models []pastModel }

// recall calls f in a document's owner until it has the pasts that it asks for.
func (r *Repo) recall(ctx context.Context, id kaijutsu.DocumentID, f func(*document, *pasts) error) error {
	own := &pasts{}
	for {
		err := r.with(ctx, id, func(d *document) error {
			for _, p := range own.models {
				d.keepPast(p)
			}
			return f(d, own)
		})
		var want *wanted
		if !errors.As(err, &want) {
			return err
		}
		var p pastModel
		err = r.job(id, unit{what: onPast}, func(t *task) (err error) {
			p, err = want.make(ctx, r, t)
			return err
		})
		if err != nil {
			return fmt.Errorf("document %s as it was: %w", id, err)
		}
		own.models = append(own.models, p)
	}
}

// atOr returns the document as it was at these heads. Of many changes it is
// made elsewhere, if there are pasts to put it into: the error is a *wanted.
func (d *document) atOr(heads kaijutsu.Heads, own *pasts) (*blocks.Model, error) {
	if own == nil {
		return d.at(heads)
	}
	for _, p := range own.models {
		if p.heads.Equal(heads) {
			return p.model, nil
		}
	}
	if m := d.kept(heads); m != nil {
		return m, nil
	}
	outside := len(d.graph.Since(heads))
	if d.graph.Len()-outside <= stepChanges {
		return d.at(heads)
	}
	want := &wanted{heads: slices.Clone(heads)}
	for i := range behind(d.graph, heads) {
		want.raws = append(want.raws, d.graph.Raw(i))
	}
	return nil, want
}

// kept returns the document as it was at these heads if that is at hand, or nil.
func (d *document) kept(heads kaijutsu.Heads) *blocks.Model {
	if heads.Equal(d.graph.Heads()) {
		return d.model
	}
	for k, p := range d.pasts {
		if p.heads.Equal(heads) {
			d.pasts = append(slices.Delete(d.pasts, k, k+1), p)
			return p.model
		}
	}
	return nil
}

// keepPast keeps a past for the next one who asks.
func (d *document) keepPast(p pastModel) {
	if d.failed != nil || d.kept(p.heads) != nil {
		return
	}
	if len(d.pasts) == pastsKept {
		d.pasts = slices.Delete(d.pasts, 0, 1)
	}
	p.model.Stop = &d.task.stop
	d.pasts = append(d.pasts, p)
	d.measure()
}

func (d *document) at(heads kaijutsu.Heads) (*blocks.Model, error) {
	if m := d.kept(heads); m != nil {
		return m, nil
	}
	m, err := d.replay(heads, onPast)
	if err == nil {
		d.keepPast(pastModel{heads, m})
	}
	return m, err
}

// replay makes the model of the changes at and behind these heads.
// what is what each change of it counts as.
func (d *document) replay(heads kaijutsu.Heads, what string) (*blocks.Model, error) {
	m := blocks.NewModel()
	m.Stop = &d.task.stop
	was := d.task.now()
	for i := range behind(d.graph, heads) {
		d.task.begin(unit{what: what, change: d.graph.Hash(i), raw: d.graph.Raw(i), by: d.actors[d.graph.Author(i)].by})
		c, err := amfile.DecodeChange(d.graph.Raw(i))
		if err != nil {
			return nil, fmt.Errorf("read change %d of document %s: %w", i, d.id, err)
		}
		d.repo.troubled(c, &d.task.stop)
		m.Apply(c)
	}
	d.task.begin(was)
	return m, nil
}

// behind yields the numbers of the changes at and behind these heads, in order.
func behind(g *changegraph.Graph, heads kaijutsu.Heads) func(func(int) bool) {
	outside := g.Since(heads)
	return func(yield func(int) bool) {
		for i := range g.Len() {
			if len(outside) > 0 && outside[0] == i {
				outside = outside[1:]
				continue
			}
			if !yield(i) {
				return
			}
		}
	}
}
