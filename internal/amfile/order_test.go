package amfile

import (
	"math/rand/v2"
	"testing"

	"kaijutsu"
)

// someText is a text with n characters by three actors, each put after a
// character chosen at random among the last few or all, and a change that
// puts as many more.
func someText(t testing.TB, r *rand.Rand, n int) (*history, *Change) {
	h := newHistory()
	first := &Change{Actors: []kaijutsu.ActorID{"b"}, Seq: 1, StartOp: 1, Ops: []Op{{Action: MakeText, Key: "text"}}}
	if err := EncodeChange(first); err != nil {
		t.Fatal(err)
	}
	if err := h.add(first); err != nil {
		t.Fatal(err)
	}
	all := []GlobalID{{}}
	deps := []kaijutsu.ChangeHash{first.Hash}
	var last *Change
	for i, actor := range []kaijutsu.ActorID{"a", "c", "aa", "bb"} {
		c := &Change{Actors: []kaijutsu.ActorID{actor, "b", "a", "c", "aa"}, Seq: 1, StartOp: 2, Deps: deps}
		if i == 3 {
			c.StartOp = uint64(2 + n)
		}
		known := []GlobalID{{}} // to this change
		if i == 3 {
			known = all
		}
		for k := range n {
			after := known[len(known)-1-r.IntN(min(len(known), 1+r.IntN(4)))]
			if r.IntN(5) == 0 {
				after = known[r.IntN(len(known))]
			}
			elem := OpID{}
			for index, a := range c.Actors {
				if after.Counter > 0 && a == after.Actor {
					elem = OpID{after.Counter, uint32(index)}
				}
			}
			c.Ops = append(c.Ops, Op{Action: Put, Obj: OpID{1, 1}, Seq: true, Elem: elem, Insert: true, Value: StringValue("x")})
			known = append(known, c.ID(k))
		}
		if err := EncodeChange(c); err != nil {
			t.Fatal(err)
		}
		if i == 3 {
			last = c
			break
		}
		if err := h.add(c); err != nil {
			t.Fatal(err)
		}
		all = append(all, known[1:]...)
		if i == 2 {
			deps = nil
			for hash := range h.clocks {
				deps = append(deps, hash)
			}
		}
	}
	return h, last
}

func TestClimbingAgreesWithTheWholeOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for round := range 30 {
		h, c := someText(t, r, 1+r.IntN(60))
		k := checker{c: c, past: testPast{h, clock{}.with(h, c.Deps)}, obj: GlobalID{1, "b"}}
		order := k.positions()
		var ids []GlobalID
		for id := range order {
			if id.Counter > 0 {
				ids = append(ids, id)
			}
		}
		for range 300 {
			a, b := ids[r.IntN(len(ids))], ids[r.IntN(len(ids))]
			k.steps = 0
			got, err := k.after(a, b)
			if want := order[a] > order[b]; err != nil || got != want {
				t.Fatalf("round %d: after(%v, %v) = %v, %v, want %v", round, a, b, got, err, want)
			}
			k.steps = maxClimb + 1
			if again, err := k.after(a, b); err != nil || again != got {
				t.Fatalf("round %d: after(%v, %v) = %v, %v by position, want %v", round, a, b, again, err, got)
			}
		}
	}
}

func TestManyMarksOnALongTextAreQuick(t *testing.T) {
	const chars, marks = 20_000, 5_000
	h := newHistory()
	text := paste(t, chars)
	text.Deps, text.Seq, text.Actors = nil, 1, []kaijutsu.ActorID{"author"}
	text.Ops = append([]Op{{Action: MakeText, Key: "text"}}, text.Ops...)
	for i := range text.Ops[1:] {
		text.Ops[i+1].Obj, text.Ops[i+1].Elem = OpID{text.StartOp, 0}, OpID{text.StartOp + uint64(i), 0}
	}
	text.Ops[1].Elem = OpID{}
	c := &Change{Actors: []kaijutsu.ActorID{"marker", "author"}, Seq: 1, StartOp: text.StartOp + chars + 1}
	for range marks {
		op := Op{Action: Mark, Obj: OpID{text.StartOp, 1}, Seq: true, Insert: true, MarkBegin: true, MarkName: "m"}
		c.Ops = append(c.Ops, op)
		op.MarkBegin, op.MarkName, op.Elem = false, "", OpID{text.StartOp + chars, 1}
		c.Ops = append(c.Ops, op)
	}
	if err := EncodeChange(text); err != nil {
		t.Fatal(err)
	}
	c.Deps = []kaijutsu.ChangeHash{text.Hash}
	if err := EncodeChange(c); err != nil {
		t.Fatal(err)
	}
	for _, change := range []*Change{text, c} {
		if err := h.add(change); err != nil {
			t.Fatal(err)
		}
	}
	past := &countingPast{Past: testPast{h, h.clocks[text.Hash]}}
	if err := c.Check(past); err != nil {
		t.Fatal(err)
	}
	if limit := 3*maxClimb + 4*len(c.Ops) + 2*chars; past.ops > limit {
		t.Errorf("%d operations looked up, want at most %d", past.ops, limit)
	}
}

// countingPast counts the operations looked up.
type countingPast struct {
	Past
	ops int
}

func (p *countingPast) Op(id GlobalID) (PastOp, bool) {
	p.ops++
	return p.Past.Op(id)
}
