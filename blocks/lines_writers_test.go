package blocks

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

func TestLinesAreWhatAWalkThroughTheStatesSays(t *testing.T) {
	t.Run("stock clients", func(t *testing.T) {
		rounds(t, func(t *testing.T, h jsHistory) {
			n := newNaive(h.changes)
			m := NewModel()
			for _, c := range h.changes {
				m.Apply(c)
			}
			checkWriters(t, m, newMemoryLog(h.changes...), n, headsOf(h.changes))
		})
	})
	t.Run("our own", func(t *testing.T) {
		ownHistories(t, 40, func(t *testing.T, rng *rand.Rand, changes []*amfile.Change) {
			log, n := newMemoryLog(changes...), newNaive(changes)
			checkWriters(t, must(ModelAt(log, headsOf(changes))), log, n, headsOf(changes))
			heads := kaijutsu.NewHeads(changes[rng.Intn(len(changes))].Hash, changes[rng.Intn(len(changes))].Hash)
			checkWriters(t, must(ModelAt(log, heads)), log, n, heads)
		})
	})
	t.Run("lines", func(t *testing.T) {
		first := int64(envInt("KJ_SEED", 0))
		for seed := first; seed < first+int64(envInt("KJ_ROUNDS", 60)); seed++ {
			t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
				s := newFateStory(t, seed, seed%2 == 0)
				original := s.peers[0].block(s.id).Content
				for range 40 {
					p := s.peers[s.rng.Intn(3)]
					if s.rng.Intn(3) == 0 {
						p.pull(s.peers[s.rng.Intn(3)])
					}
					s.edit(p, original)
				}
				s.peers[0].pull(s.peers[1])
				s.peers[0].pull(s.peers[2])
				p := s.peers[0]
				var changes []*amfile.Change
				for i := range p.graph.Len() {
					changes = append(changes, must(graphLog{p.graph}.Change(i)))
				}
				checkWriters(t, p.model, graphLog{p.graph}, newNaive(changes), p.graph.Heads())
			})
		}
	})
}

// TestLastWritersOfAtoms holds the sweep against one that cuts every state into
// lines.
func TestLastWritersOfAtoms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		changes := rapid.IntRange(1, 12).Draw(t, "changes")
		var atoms []atom
		for range rapid.IntRange(0, 90).Draw(t, "atoms") {
			ins := rapid.IntRange(0, changes-1).Draw(t, "ins")
			a := atom{int32(ins), noDel, int32(rapid.IntRange(1, 3).Draw(t, "n")), rapid.Bool().Draw(t, "feed")}
			if a.feed {
				a.n = 1
			}
			if ins < changes-1 && rapid.Bool().Draw(t, "gone") {
				a.del = int32(rapid.IntRange(ins+1, changes-1).Draw(t, "del"))
			}
			atoms = append(atoms, a)
		}
		want := naiveWriters(atoms, changes)
		if got := lastWriters(atoms, changes); !slices.Equal(got, want) {
			t.Fatalf("lastWriters(%+v) = %v, want %v", atoms, got, want)
		}
	})
}

func naiveWriters(atoms []atom, changes int) []placedLine {
	wrote := make(map[string]int)
	var out []placedLine
	for c := range changes {
		now := make(map[string]int)
		out = nil
		line, key, pos := placedLine{}, "", 0
		end := func() {
			was, ok := wrote[key]
			if !ok {
				was = c
			}
			now[key] = was
			out = append(out, placedLine{line.start, pos - line.start, was})
		}
		for i, a := range atoms {
			if int(a.ins) > c || a.del != noDel && int(a.del) <= c {
				continue
			}
			if !a.feed || key == "" {
				key += fmt.Sprint(i, " ")
			}
			if a.feed {
				end()
				line.start, key = pos+1, ""
			}
			pos += int(a.n)
		}
		if key != "" {
			end()
		}
		wrote = now
	}
	return out
}

func TestBitTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 2, 63, 64, 65, 4096, 4097, 5000}).Draw(t, "n")
		tree, set := newBitTree(n), make(map[int]bool)
		for range rapid.IntRange(0, 40).Draw(t, "flips") {
			i := rapid.IntRange(0, n-1).Draw(t, "i")
			tree.flip(i)
			set[i] = !set[i]
		}
		at := rapid.IntRange(-1, n).Draw(t, "at")
		above, below := at+1, at-1
		for above < n && !set[above] {
			above++
		}
		for below >= 0 && !set[below] {
			below--
		}
		if got := tree.above(at); got != min(above, n) {
			t.Fatalf("above(%d) of %v = %d, want %d", at, set, got, above)
		}
		if got := tree.below(at); got != max(below, -1) {
			t.Fatalf("below(%d) of %v = %d, want %d", at, set, got, below)
		}
	})
}
