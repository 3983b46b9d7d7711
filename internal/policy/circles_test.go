package policy_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/policy"
)

// TestFindingsComeToRest draws graphs of contexts, with rules between them that
// run in circles, and lets findings loose in them, whose text mentions some of
// the contexts. In each an editor labels everything that drifts there, so that
// it goes on. Each finding arrives at every context that it can reach exactly
// once, and never where it was written.
func TestFindingsComeToRest(t *testing.T) {
	w := newWorld(t, nil)
	for seed := range uint64(25) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w.t = t
			r := rand.New(rand.NewPCG(5, seed))
			n := 2 + r.IntN(5)
			docs := make([]kaijutsu.DocumentID, n)
			label := func(i int) string { return fmt.Sprintf("s%d-c%d", seed, i) }
			for i := range docs {
				docs[i] = w.context(label(i))
			}
			// The graph: edges by rules, and by mentions where there is such a rule.
			edges := make(map[int][]int)
			var p policy.Policy
			for range 1 + r.IntN(2*n) {
				from, to := r.IntN(n), r.IntN(n)
				rule := policy.Rule{On: policy.OnDone, Label: "finding", From: label(from), To: label(to)}
				if from != to && !slices.Contains(p.Rules, rule) {
					p.Rules = append(p.Rules, rule)
					edges[from] = append(edges[from], to)
				}
			}
			mentioning := r.IntN(2) == 0
			if mentioning {
				p.Rules = append(p.Rules, policy.Rule{On: policy.OnMention})
			}
			w.set(p)
			want := make(map[string]int) // by context and fingerprint
			for f := range 1 + r.IntN(4) {
				text, said := fmt.Sprintf("finding %d of %d", f, seed), []int{}
				for i := range n {
					if mentioning && r.IntN(3) == 0 {
						text, said = text+" @"+label(i), append(said, i)
					}
				}
				origin := r.IntN(n)
				w.write(owner, docs[origin], finding("finding", text))
				for _, i := range reach(origin, edges, said) {
					want[fmt.Sprint(i, drift.Fingerprint(text))]++
				}
			}
			labelled := make(map[blocks.ID]bool)
			for round := 0; ; round++ {
				if round > n+1 {
					t.Fatal("the findings do not come to rest")
				}
				w.settle()
				fresh := false
				for _, doc := range docs {
					for _, b := range w.drifts(doc) {
						if labelled[b.ID] {
							continue
						}
						labelled[b.ID], fresh = true, true
						meta, ok := drift.ParseMeta(b.Meta)
						if !ok {
							t.Fatalf("meta %s", b.Meta)
						}
						text, err := meta.Encode(`{"label":"finding"}`)
						w.must(err)
						w.edit(owner, doc, func(tx *blocks.Tx) error { return tx.SetMeta(b.ID, text) })
					}
				}
				if !fresh {
					break
				}
			}
			got := make(map[string]int)
			for i, doc := range docs {
				for _, b := range w.drifts(doc) {
					got[fmt.Sprint(i, drift.Fingerprint(b.Content))]++
				}
			}
			if !maps.Equal(got, want) {
				t.Errorf("rules %+v: arrived %v, want %v", p.Rules, got, want)
			}
		})
	}
	w.t = t
}

// reach returns where a finding gets to from a context, without that.
func reach(origin int, edges map[int][]int, said []int) []int {
	seen := map[int]bool{origin: true}
	todo, out := []int{origin}, []int{}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		for _, to := range slices.Concat(edges[at], said) {
			if !seen[to] {
				seen[to] = true
				todo, out = append(todo, to), append(out, to)
			}
		}
	}
	return out
}
