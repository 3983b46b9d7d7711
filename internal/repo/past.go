package repo

import (
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
// ErrInvalid when there are none. A few pasts are kept; one that is not costs
// the decoding of the changes behind it. The model must not be changed.
func (v View) At(heads kaijutsu.Heads) (*blocks.Model, error) {
	heads, err := v.doc.known(heads)
	if err != nil {
		return nil, err
	}
	return v.doc.at(heads)
}

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

func (d *document) at(heads kaijutsu.Heads) (*blocks.Model, error) {
	if heads.Equal(d.graph.Heads()) {
		return d.model, nil
	}
	for k, p := range d.pasts {
		if p.heads.Equal(heads) {
			d.pasts = append(slices.Delete(d.pasts, k, k+1), p)
			return p.model, nil
		}
	}
	m := blocks.NewModel()
	for i := range behind(d.graph, heads) {
		c, err := amfile.DecodeChange(d.graph.Raw(i))
		if err != nil {
			return nil, fmt.Errorf("read change %d of document %s: %w", i, d.id, err)
		}
		m.Apply(c)
	}
	if len(d.pasts) == pastsKept {
		d.pasts = slices.Delete(d.pasts, 0, 1)
	}
	d.pasts = append(d.pasts, pastModel{heads, m})
	d.measure()
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
