package blocks

import (
	"math/rand"
	"slices"
	"testing"
)

// TestGravesAreJoinedAndCut buries neighbours, some of them in runs, joins and
// cuts them at random, and looks whether each is still what it was.
func TestGravesAreJoinedAndCut(t *testing.T) {
	texts := []string{"a", "é", "😀", "\n", "\xff", "\uFFFD"}
	for seed := range int64(500) {
		rng := rand.New(rand.NewSource(seed))
		var want []grave
		by := opID{1000, 1}
		for range 1 + rng.Intn(30) {
			switch rng.Intn(6) {
			case 0:
				by = opID{uint32(1 + rng.Intn(1<<31)), uint32(rng.Intn(300))}
			case 1, 2:
				by.counter--
			default:
				by.counter++
			}
			g := grave{n: 1, by: by, text: texts[rng.Intn(len(texts))]}
			switch rng.Intn(12) {
			case 0:
				g = grave{kind: graveVoid, n: 1}
			case 1:
				g.kind, g.text = graveString, g.text+g.text
			case 2:
				g.kind, g.text = graveString, ""
			}
			want = append(want, g)
		}
		parts := make([]string, len(want))
		for i, g := range want {
			parts[i] = string(g.append(nil))
		}
		for len(parts) > 1 {
			i := rng.Intn(len(parts) - 1)
			parts = slices.Replace(parts, i, i+2, joinGraves(parts[i], parts[i+1]))
		}
		if rng.Intn(2) == 0 {
			left, right := splitGraves(parts[0], uint32(rng.Intn(len(want)+1)))
			parts[0] = left + right
		}
		var got []grave
		for graves := parts[0]; graves != ""; {
			var g, one grave
			g, graves = nextGrave(graves)
			for g.n > 1 {
				one, g = g.cut(1)
				got = append(got, one)
			}
			got = append(got, g)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: graves are\n%v, want\n%v", seed, got, want)
		}
	}
}
