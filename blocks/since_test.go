package blocks

import (
	"math/rand"
	"slices"
	"testing"

	"kaijutsu/internal/amfile"
)

// TestSinceIsBlameWithoutThePast holds Since against the blame of the
// characters whose change is not behind some heads.
func TestSinceIsBlameWithoutThePast(t *testing.T) {
	ownHistories(t, 40, func(t *testing.T, rng *rand.Rand, changes []*amfile.Change) {
		p := newPair(t, "reader")
		for _, c := range changes {
			if !p.graph.Has(c.Hash) {
				p.receive(c.Raw)
			}
		}
		heads := changes[rng.Intn(len(changes))].Hash
		past := p.graph.AncestryOf(nil)
		if rng.Intn(4) > 0 {
			past = p.graph.AncestryOf(append(p.graph.Heads()[:0:0], heads))
		}
		for id := range p.model.blocks {
			var want []Run
			for _, r := range must(p.model.Blame(id, graphLog{p.graph})) {
				if !past.Has(p.number(r.Change)) {
					want = append(want, r)
				}
			}
			if got := must(p.model.Since(id, past, graphLog{p.graph})); !slices.Equal(got, want) {
				t.Fatalf("Since(%s) = %v, want %v", id, got, want)
			}
		}
	})
}
