package changegraph

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSpansAreSets compares spans with plain sets.
func TestSpansAreSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (spans, map[int32]bool) {
			list := rapid.SliceOfN(rapid.Int32Range(0, 40), 0, 30).Draw(t, name)
			set := make(map[int32]bool)
			for _, i := range list {
				set[i] = true
			}
			return spansOf(list), set
		}
		a, inA := draw("a")
		b, inB := draw("b")
		n := rapid.IntRange(0, 41).Draw(t, "n")
		compare := func(name string, got spans, in func(i int32) bool) {
			var want []int32
			for i := range int32(42) {
				if in(i) {
					want = append(want, i)
				}
				if got.contains(i) != in(i) {
					t.Fatalf("%s: contains(%d) = %v", name, i, got.contains(i))
				}
			}
			if list := slices.Collect(got.all()); !slices.Equal(list, want) || got.count() != len(want) {
				t.Fatalf("%s = %v (%d), want %v", name, list, got.count(), want)
			}
			for k := 1; k < len(got); k++ {
				if got[k-1].hi >= got[k].lo {
					t.Fatalf("%s = %v: spans touch", name, got)
				}
			}
		}
		before := slices.Clone(a)
		compare("a", a, func(i int32) bool { return inA[i] })
		compare("a ∩ b", a.intersect(b), func(i int32) bool { return inA[i] && inB[i] })
		compare("a ∪ b", a.union(b), func(i int32) bool { return inA[i] || inB[i] })
		compare("a − b", a.minus(b), func(i int32) bool { return inA[i] && !inB[i] })
		compare("a < n", a.below(n), func(i int32) bool { return inA[i] && int(i) < n })
		compare("[0, n)", between(0, n), func(i int32) bool { return int(i) < n })
		if !slices.Equal(a, before) {
			t.Fatalf("a = %v afterwards, was %v", a, before)
		}
	})
}
