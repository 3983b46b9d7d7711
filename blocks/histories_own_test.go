package blocks

import (
	"fmt"
	"math/rand"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// ownHistories calls f with histories of three replicas that edit, undo and
// meet, made by our own writer.
func ownHistories(t *testing.T, count int, f func(t *testing.T, rng *rand.Rand, changes []*amfile.Change)) {
	first := envInt("KJ_SEED", 0)
	for seed := first; seed < first+envInt("KJ_ROUNDS", count); seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rng := rand.New(rand.NewSource(int64(seed)))
			peers := []*pair{newPair(t, "amy."), newPair(t, "ben."), newPair(t, "cleo")}
			for range 40 {
				p := peers[rng.Intn(3)]
				switch rng.Intn(6) {
				case 0, 1:
					p.pull(peers[rng.Intn(3)])
				case 2:
					mine := func(a kaijutsu.ActorID) bool { return a == p.actor }
					if unit, err := LastUnit(graphLog{p.graph}, mine, rng.Intn(2)); err == nil {
						_ = p.undo(unit...) // now and then nothing of it shows
					}
				default:
					p.edit(rng)
				}
			}
			peers[0].pull(peers[1])
			peers[0].pull(peers[2])
			var changes []*amfile.Change
			for i := range peers[0].graph.Len() {
				changes = append(changes, must(graphLog{peers[0].graph}.Change(i)))
			}
			f(t, rng, changes)
		})
	}
}

func TestBlameOfOurOwnHistories(t *testing.T) {
	origins := 0
	ownHistories(t, 40, func(t *testing.T, rng *rand.Rand, changes []*amfile.Change) {
		log, n := newMemoryLog(changes...), newNaive(changes)
		m := NewModel()
		for _, c := range changes {
			m.Apply(c)
		}
		checkBlame(t, m, log, n, headsOf(changes))
		origins += len(m.origins)
		for range 3 {
			heads := kaijutsu.NewHeads(changes[rng.Intn(len(changes))].Hash, changes[rng.Intn(len(changes))].Hash)
			checkBlame(t, must(ModelAt(log, heads)), log, n, heads)
		}
	})
	if origins == 0 {
		t.Errorf("no content took on another form")
	}
}

// TestDeltasOfOurOwnHistories holds the deltas of changes, local and synced,
// against the blocks before and after, and what was said of them before.
func TestDeltasOfOurOwnHistories(t *testing.T) {
	var seen Touch
	total, outside := 0, 0
	ownHistories(t, 40, func(t *testing.T, rng *rand.Rand, changes []*amfile.Change) {
		m := NewModel()
		state := func() map[ID]Block {
			all := make(map[ID]Block)
			for id := range m.blocks {
				all[id], _ = m.Block(id)
			}
			return all
		}
		before := state()
		for i, c := range changes {
			e := m.Examine(c)
			d := m.Apply(c)
			checkExamined(t, e, d)
			if total++; e.Outside && !d.Title {
				outside++ // genesis, and work on what was replaced meanwhile
			}
			how := make(map[ID]Touch)
			for _, b := range d.Blocks {
				how[b.ID] = b.How
				seen |= b.How
			}
			now := state()
			for id := range now {
				checkTouch(t, i, id, before, now, how[id])
			}
			before = now
		}
	})
	if outside > total/20 {
		t.Errorf("Examine says of %d of %d changes that they are about other things than blocks", outside, total)
	}
	if all := TouchFlags<<1 - 1; seen != all {
		t.Errorf("the histories touch %v, want %v", seen, all)
	}
}

// TestDiffOfOurOwnHistories holds the difference of two states against the
// states, and the lines against the texts.
func TestDiffOfOurOwnHistories(t *testing.T) {
	ownHistories(t, 15, func(t *testing.T, rng *rand.Rand, changes []*amfile.Change) {
		log := newMemoryLog(changes...)
		at := func() *Model {
			return must(ModelAt(log, kaijutsu.NewHeads(changes[rng.Intn(len(changes))].Hash)))
		}
		for range 5 {
			a, b := at(), at()
			diff := make(map[ID]BlockDiff)
			for _, d := range Diff(a, b) {
				if _, twice := diff[d.ID]; twice {
					t.Fatalf("block %s differs twice", d.ID)
				}
				diff[d.ID] = d
				checkLines(t, d)
			}
			ids := make(map[ID]bool)
			for id := range a.blocks {
				ids[id] = true
			}
			for id := range b.blocks {
				ids[id] = true
			}
			for id := range ids {
				x, was := a.Block(id)
				y, is := b.Block(id)
				was, is = was && !x.Deleted, is && !y.Deleted
				x.Depth, y.Depth = 0, 0
				d, differs := diff[id]
				if want := was != is || was && x != y; differs != want {
					t.Fatalf("block %s: Diff says %v, want %v\nbefore %+v\nafter  %+v", id, d.How, want, x, y)
				}
				if gone := d.How == TouchDeleted; gone != (was && !is) {
					t.Fatalf("block %s: %v\nbefore %+v\nafter  %+v", id, d.How, x, y)
				}
			}
		}
	})
}

// checkLines applies the hunks of a block.
func checkLines(t *testing.T, d BlockDiff) {
	t.Helper()
	before, after := d.Before.Content, d.After.Content
	switch d.How {
	case TouchInserted:
		before = ""
	case TouchDeleted:
		after = ""
	}
	if len(d.Lines) == 0 {
		if before != after {
			t.Fatalf("block %s: no lines differ of %q and %q", d.ID, before, after)
		}
		return
	}
	lines := splitAfter(before)
	var out []string
	at := 0
	for _, h := range d.Lines {
		out = append(append(out, lines[at:h.OldStart]...), h.New...)
		at = h.OldEnd
	}
	got := ""
	for _, l := range append(out, lines[at:]...) {
		got += l
	}
	if got != after {
		t.Fatalf("block %s: the lines make %q of %q, want %q", d.ID, got, before, after)
	}
}

func splitAfter(s string) []string {
	var out []string
	start := 0
	for i := range len(s) {
		if s[i] == '\n' {
			out, start = append(out, s[start:i+1]), i+1
		}
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}
