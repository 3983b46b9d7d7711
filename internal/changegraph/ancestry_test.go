package changegraph

import (
	"math/rand/v2"
	"slices"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// TestAncestry holds what is in an ancestry, and up to which operation of each
// actor, against Since and the changes themselves.
func TestAncestry(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	amy, bob := newWriter(t, actorID(1)), newWriter(t, actorID(2))
	bob.take(amy.write("begin"))
	var amys, bobs []*amfile.Change // that the other has not
	for range 200 {
		switch r.IntN(5) {
		case 0:
			for _, c := range amys {
				bob.take(c)
			}
			amys = nil
		case 1:
			for _, c := range bobs {
				amy.take(c)
			}
			bobs = nil
		case 2, 3:
			amys = append(amys, amy.edit(r))
		default:
			bobs = append(bobs, bob.edit(r))
		}
	}
	g := amy.g
	for range 300 {
		var heads []kaijutsu.ChangeHash
		for range r.IntN(4) {
			heads = append(heads, g.Hash(r.IntN(g.Len())))
		}
		heads = append(heads, kaijutsu.ChangeHash{9}) // unknown
		a, outside := g.AncestryOf(heads), g.Since(heads)
		upTo := make(map[kaijutsu.ActorID]uint64)
		for i := range g.Len() {
			in := !slices.Contains(outside, i)
			if a.Has(i) != in {
				t.Fatalf("Has(%d) = %v, want %v", i, a.Has(i), in)
			}
			if in {
				upTo[g.Author(i)] = g.log[i].maxOp()
			}
		}
		for _, actor := range []kaijutsu.ActorID{amy.actor, bob.actor, "nobody"} {
			if got := a.UpTo(actor); got != upTo[actor] {
				t.Fatalf("UpTo(%v) = %d, want %d", actor, got, upTo[actor])
			}
		}
		if a.Has(-1) || a.Has(g.Len()) {
			t.Fatal("what is no change is in it")
		}
	}
	all := g.AncestryOf(g.Heads())
	amy.edit(r)
	if n := g.Len() - 1; all.Has(n) || !all.Has(n-1) || all.UpTo(amy.actor) >= g.MaxOp() {
		t.Error("a change that was added later is in it")
	}
}
