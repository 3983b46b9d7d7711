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

// TestContentAtKnowsWhatItDoesNotKnow: of elements that were overwritten, or
// deleted again and again, the model does not keep all.
func TestContentAtKnowsWhatItDoesNotKnow(t *testing.T) {
	const mm = kaijutsu.ActorID("mm")
	begin := func() (h *handmade, id ID, text, elem amfile.OpID, made uint64) {
		h, id = newHandmade(t), NewID(testTime)
		at := h.next
		h.apply(0, []amfile.Op{
			{Action: amfile.MakeMap, Obj: pageID(id), Key: string(id)},
			{Action: amfile.MakeText, Obj: own(at), Key: "text"},
			{Action: amfile.Put, Obj: own(at + 1), Seq: true, Insert: true, Value: amfile.StringValue("a")},
		}, mm, genesisActor)
		return h, id, amfile.OpID{Counter: at + 1, Actor: 1}, amfile.OpID{Counter: at + 2, Actor: 1}, at + 2
	}
	t.Run("overwritten and deleted", func(t *testing.T) {
		h, id, text, elem, made := begin()
		at := h.next
		h.apply(0, []amfile.Op{{Action: amfile.Put, Obj: text, Seq: true, Elem: elem, Value: amfile.StringValue("X"), Pred: []amfile.OpID{elem}}}, "aa", mm)
		h.apply(0, []amfile.Op{{Action: amfile.Delete, Obj: amfile.OpID{Counter: text.Counter, Actor: 2}, Seq: true, Elem: amfile.OpID{Counter: elem.Counter, Actor: 2},
			Pred: []amfile.OpID{{Counter: at, Actor: 1}}}}, "dd", "aa", mm)
		if then, exact, err := h.model.ContentAt(id, slowPast{mm: made, "aa": at}, nil); err != nil || exact && then.Content != "X" {
			t.Errorf("ContentAt = %+v, exact %v, %v; want X, or not exact", then, exact, err)
		}
	})
	t.Run("deleted very often", func(t *testing.T) {
		h, id, text, elem, made := begin()
		at := h.next
		const times = maxAgain + 10
		name := func(i int) kaijutsu.ActorID {
			return kaijutsu.ActorID([]byte{'d', byte(i >> 8), byte(i)})
		}
		for i := range times {
			h.apply(at, []amfile.Op{{Action: amfile.Delete, Obj: text, Seq: true, Elem: elem, Pred: []amfile.OpID{elem}}}, name(i), mm)
		}
		if then, exact, err := h.model.ContentAt(id, slowPast{mm: made}, nil); err != nil || exact && then.Content != "a" {
			t.Errorf("ContentAt = %+v, exact %v, %v; want a, or not exact", then, exact, err)
		}
		for _, by := range []int{0, 1, times - 1} {
			if then, exact, err := h.model.ContentAt(id, slowPast{mm: made, name(by): at}, nil); err != nil || exact && then.Content != "" {
				t.Errorf("ContentAt when %d had deleted it = %+v, exact %v, %v; want nothing, or not exact", by, then, exact, err)
			}
		}
	})
}
