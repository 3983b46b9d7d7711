package blocks

import (
	"errors"
	"math/rand"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// slowPast is a past found by walking back from its heads.
type slowPast map[kaijutsu.ActorID]uint64

func (p slowPast) UpTo(actor kaijutsu.ActorID) uint64 { return p[actor] }

func newSlowPast(t testing.TB, log Log, heads kaijutsu.Heads) slowPast {
	t.Helper()
	scans := log.Len()
	in := must(behind(log, heads, 0, &scans))
	p := make(slowPast)
	for i, has := range in {
		if has {
			c := must(log.Change(i))
			p[c.Author()] = max(p[c.Author()], c.MaxOp())
		}
	}
	return p
}

// pastsCompared counts what a test has seen.
type pastsCompared struct{ all, exact, former, deleted int }

// compareContentAt holds all blocks of a model, as they were at some heads,
// against the replay of the changes behind those.
func (n *pastsCompared) compare(t *testing.T, m *Model, log Log, heads kaijutsu.Heads) {
	t.Helper()
	past, replayed := newSlowPast(t, log, heads), must(ModelAt(log, heads))
	ids := make(map[ID]bool)
	for id := range m.blocks {
		ids[id] = true
	}
	for id := range replayed.blocks {
		ids[id] = true
	}
	ids[testID(9999)] = true
	for id := range ids {
		want, was := replayed.Then(id)
		got, exact, err := m.ContentAt(id, past, log)
		n.all++
		switch {
		case !exact && err == nil:
			continue
		case !was && errors.Is(err, kaijutsu.ErrNotFound):
		case err != nil || !was || got != want:
			t.Fatalf("ContentAt(%s, %v) = %+v, %v\nwant %+v, %v", id, heads, got, err, want, was)
		}
		n.exact++
		if now, ok := m.Then(id); was && ok {
			if now.Form != want.Form {
				n.former++
			}
			if want.Deleted {
				n.deleted++
			}
		}
	}
}

// someHeads returns one to three changes.
func someHeads(rng *rand.Rand, changes []*amfile.Change) kaijutsu.Heads {
	var heads []kaijutsu.ChangeHash
	for range 1 + rng.Intn(3) {
		heads = append(heads, changes[rng.Intn(len(changes))].Hash)
	}
	return kaijutsu.NewHeads(heads...)
}

func TestContentAtIsWhatAReplayShows(t *testing.T) {
	var n pastsCompared
	ownHistories(t, 60, func(t *testing.T, rng *rand.Rand, changes []*amfile.Change) {
		log := newMemoryLog(changes...)
		m := NewModel()
		for _, c := range changes {
			m.Apply(c)
			if rng.Intn(5) == 0 {
				m.Blocks()
			}
		}
		checkModel(t, m)
		for range 12 {
			n.compare(t, m, log, someHeads(rng, changes))
		}
	})
	if t.Logf("%+v", n); n.exact < n.all*95/100 || n.former == 0 || n.deleted == 0 {
		t.Errorf("of %d answers %d are exact, %d about another form, %d about tombstones", n.all, n.exact, n.former, n.deleted)
	}
}

// TestContentAtOfStockHistories does the same with the histories that stock
// clients made, and with what they made of it in another order.
func TestContentAtOfStockHistories(t *testing.T) {
	var n pastsCompared
	rounds(t, func(t *testing.T, h jsHistory) {
		rng := rand.New(rand.NewSource(1))
		log := newMemoryLog(h.changes...)
		m := NewModel()
		for _, c := range shuffled(rng, h.changes) {
			m.Apply(c)
		}
		checkModel(t, m)
		for range 12 {
			n.compare(t, m, log, someHeads(rng, h.changes))
		}
	})
	t.Logf("%+v", n)
}
