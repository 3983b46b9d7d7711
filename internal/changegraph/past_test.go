package changegraph

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// TestEditsAllOverALongHistory deletes and inserts at random places of a text
// that was typed a character at a time, one by one and hundreds at once.
func TestEditsAllOverALongHistory(t *testing.T) {
	w := newWriter(t, actorID(1))
	for range 3000 {
		w.write("x")
	}
	again := newWriter(t, actorID(2))
	for i := range w.g.Len() {
		if err := again.g.Restore(w.g.Raw(i)); err != nil {
			t.Fatal(err)
		}
	}
	again.reread()
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 30, 31, 32, 33, 200, 1000, 1} {
		again.erase(r, n)
		c := again.begin()
		again.typeInto(c, strings.Repeat("y", n), r.IntN(len(again.chars)))
		again.commit(c)
	}
	if c := &again.g.ops.small; c.bytes > c.limit || len(c.byChange) == 0 {
		t.Errorf("the cache holds %d changes, %d bytes of at most %d", len(c.byChange), c.bytes, c.limit)
	}
}

// TestManyReferencesObeyThePast is rule 21 for a change so large that its
// references are gathered first.
func TestManyReferencesObeyThePast(t *testing.T) {
	amy, bob := newWriter(t, actorID(1)), newWriter(t, actorID(2))
	for range 100 {
		bob.take(amy.write("x"))
	}
	amy.write("y") // not known to bob
	erase := func(chars []amfile.GlobalID) *amfile.Change {
		c := bob.begin()
		c.StartOp = amy.g.MaxOp() + 1
		for _, id := range chars {
			c.add(amfile.Op{Action: amfile.Delete, Obj: c.id(amy.text), Seq: true, Elem: c.id(id), Pred: []amfile.OpID{c.id(id)}})
		}
		return c.encode(t)
	}
	var r *Refusal
	if _, err := amy.g.Add(erase(amy.chars)); !errors.As(err, &r) || r.Rule != 19 {
		t.Errorf("a change that refers to one character outside its past: %v, want a refusal by rule 19", err)
	}
	if _, err := amy.g.Add(erase(amy.chars[:100])); err != nil {
		t.Errorf("a change that refers to its past only: %v", err)
	}
}

// TestReferencesAreDecodedOnce is the promise that a change which refers to
// many large changes by turns does not decode them over and over.
func TestReferencesAreDecodedOnce(t *testing.T) {
	w := newWriter(t, actorID(1))
	const large, size = 4, 150_000 // more together than the cache holds
	for range large {
		w.write(strings.Repeat("x", size))
	}
	c := w.begin()
	for k := range 200 {
		for l := range large {
			id := w.chars[l*size+k]
			c.add(amfile.Op{Action: amfile.Delete, Obj: c.id(w.text), Seq: true, Elem: c.id(id), Pred: []amfile.OpID{c.id(id)}})
		}
	}
	made := c.encode(t)
	w.g.ops.init()
	if avg := testing.AllocsPerRun(1, func() {
		w.g.ops.init()
		w.g.pastOf(made, slices.Clone(w.g.heads))
	}); avg > 300 {
		t.Errorf("%.0f allocations to gather references to %d changes", avg, large)
	}
	if cache := &w.g.ops.large; len(cache.byChange) > 2 || cache.bytes > cache.limit {
		t.Errorf("the cache holds %d large changes, %d bytes of at most %d", len(cache.byChange), cache.bytes, cache.limit)
	}
	w.take(made)
}

func TestElementsOfAllSequences(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	w, other := newWriter(t, actorID(1)), newWriter(t, actorID(2))
	list := func(g *Graph, obj amfile.GlobalID) []amfile.GlobalID {
		seen := map[amfile.GlobalID]bool{{}: true}
		var ids []amfile.GlobalID
		for id, after := range g.elementsOf(obj) {
			if !seen[after] {
				t.Fatalf("element %v comes before %v, after which it was inserted", id, after)
			}
			seen[id] = true
			ids = append(ids, id)
		}
		return ids
	}
	for range 200 {
		c := w.edit(r)
		other.take(c)
		if r.IntN(3) == 0 {
			w.take(other.edit(r))
		}
		if r.IntN(5) == 0 {
			if got := list(w.g, w.text); !slices.Equal(got, w.chars) {
				t.Fatalf("%d elements, want %d", len(got), len(w.chars))
			}
		}
	}
	n := w.g.Len() / 2
	w.g.Truncate(n)
	w.reread()
	if got := list(w.g, w.text); !slices.Equal(got, w.chars) {
		t.Fatalf("%d elements after a truncation, want %d", len(got), len(w.chars))
	}
	w.g.elements = elementIndex{outgrown: true}
	if got := list(w.g, w.text); !slices.Equal(got, w.chars) {
		t.Fatalf("%d elements without the index, want %d", len(got), len(w.chars))
	}
	for _, obj := range []amfile.GlobalID{{}, {Counter: 1, Actor: "nobody"}, {Counter: 1 << 40, Actor: w.actor}, {Counter: 99, Actor: w.actor}} {
		if got := list(w.g, obj); len(got) > 0 {
			t.Errorf("%d elements of %v, which is no sequence", len(got), obj)
		}
	}
}

// TestMarksAreOrdered is rule 24 on a history of many changes.
func TestMarksAreOrdered(t *testing.T) {
	w := newWriter(t, actorID(1))
	for range 12_000 { // more than the rule climbs one by one
		w.write("x")
	}
	mark := func(from, to int) error {
		c := w.begin()
		c.add(amfile.Op{Action: amfile.Mark, Obj: c.id(w.text), Seq: true, Elem: c.id(w.chars[from]), Insert: true, MarkBegin: true, MarkName: "bold", Value: amfile.BoolValue(true)})
		c.add(amfile.Op{Action: amfile.Mark, Obj: c.id(w.text), Seq: true, Elem: c.id(w.chars[to]), Insert: true})
		_, err := w.g.Add(c.encode(t))
		return err
	}
	if err := mark(3, 11_990); err != nil {
		t.Errorf("a mark over nearly all of the text: %v", err)
	}
	if err := mark(11_990, 3); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("a mark that ends before it begins: %v, want a refusal", err)
	}
	if err := mark(100, 100); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("a mark that ends where it begins: %v, want a refusal", err)
	}
}
