package blocks

import (
	"math/rand"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// checkBlame holds the blame of every block of a model against what the naive
// document says of the changes behind some heads.
func checkBlame(t *testing.T, m *Model, log Log, n *naive, heads kaijutsu.Heads) {
	t.Helper()
	past := n.past(heads...)
	for id := range m.blocks {
		want := n.block(id, past)
		b, _ := m.Block(id)
		runs, err := m.Blame(id, log)
		if err != nil {
			t.Fatalf("Blame(%s) at %v: %v", id, heads, err)
		}
		var got []naiveChar
		content := []rune(b.Content)
		for i, r := range runs {
			if r.Start != len(got) || r.Len <= 0 || r.Start+r.Len > len(content) {
				t.Fatalf("Blame(%s) at %v: run %d is [%d, +%d) of %d characters", id, heads, i, r.Start, r.Len, len(content))
			}
			c := n.changes[r.Change]
			if c == nil || r.Actor != c.Author() || r.Time.Unix() != c.Time {
				t.Fatalf("Blame(%s): run %d is by %v at %v of change %v, want %+v", id, i, r.Actor, r.Time, r.Change, c)
			}
			if i > 0 && runs[i-1].Change == r.Change {
				t.Fatalf("Blame(%s): runs %d and %d are of one change", id, i-1, i)
			}
			for _, char := range content[r.Start : r.Start+r.Len] {
				got = append(got, naiveChar{char, amfile.GlobalID{Actor: r.Actor, Counter: c.StartOp}})
			}
		}
		if len(got) != len(want) || len(got) != len(content) {
			t.Fatalf("Blame(%s) at %v covers %d characters of %d, want %d", id, heads, len(got), len(content), len(want))
		}
		for i := range want {
			if w := n.ops[want[i].by]; got[i].char != want[i].char || got[i].by.Actor != want[i].by.Actor || got[i].by.Counter != w.c.StartOp {
				t.Fatalf("Blame(%s) at %v: character %d of %q is %+v, want %+v of the change at %d", id, heads, i, b.Content, got[i], want[i], w.c.StartOp)
			}
		}
	}
}

func TestBlameIsWhatANaiveModelSays(t *testing.T) {
	rounds(t, func(t *testing.T, h jsHistory) {
		log, n := newMemoryLog(h.changes...), newNaive(h.changes)
		rng := rand.New(rand.NewSource(1))
		m := NewModel()
		for _, c := range h.changes {
			m.Apply(c)
		}
		checkBlame(t, m, log, n, headsOf(h.changes))
		for range 4 {
			heads := kaijutsu.NewHeads(h.changes[rng.Intn(len(h.changes))].Hash, h.changes[rng.Intn(len(h.changes))].Hash)
			m, err := ModelAt(log, heads)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := m.Changes(), len(n.past(heads...)); got != want {
				t.Fatalf("ModelAt(%v) holds %d changes, want %d", heads, got, want)
			}
			checkBlame(t, m, log, n, heads)
		}
	})
}

// headsOf returns the changes that no other depends on.
func headsOf(changes []*amfile.Change) kaijutsu.Heads {
	open := make(map[kaijutsu.ChangeHash]bool)
	for _, c := range changes {
		open[c.Hash] = true
		for _, d := range c.Deps {
			delete(open, d)
		}
	}
	var heads []kaijutsu.ChangeHash
	for h := range open {
		heads = append(heads, h)
	}
	return kaijutsu.NewHeads(heads...)
}
