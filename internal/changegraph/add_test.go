package changegraph

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// two are writers of one document: amy has written on, and bob has not seen it.
func two(t *testing.T) (amy, bob *writer) {
	amy, bob = newWriter(t, actorID(1)), newWriter(t, actorID(2))
	bob.take(amy.write("ab"))
	bob.take(amy.put("k", amfile.CounterValue(1)))
	amy.write("c")
	amy.put("k", amfile.IntValue(2))
	return amy, bob
}

func TestAddRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		// make returns a change of bob, for amy's graph.
		make func(amy, bob *writer) *amfile.Change
		rule int
		kind error
	}{
		{"an author's number used twice", func(amy, bob *writer) *amfile.Change {
			c := amy.begin()
			c.Seq, c.StartOp, c.Deps = 2, bob.g.MaxOp()+1, slices.Clone(bob.g.Heads())
			return c.encode(bob.t)
		}, 9, kaijutsu.ErrConflict},
		{"an author's number used twice, before its dependencies are known", func(amy, bob *writer) *amfile.Change {
			c := amy.begin()
			c.Seq, c.Deps = 1, []kaijutsu.ChangeHash{{7}}
			return c.encode(bob.t)
		}, 9, kaijutsu.ErrConflict},
		{"a gap in an author's numbers", func(amy, bob *writer) *amfile.Change {
			c := bob.begin()
			c.Seq = 2
			return c.encode(bob.t)
		}, 9, kaijutsu.ErrInvalid},
		{"the author's own change is not among its ancestors", func(amy, bob *writer) *amfile.Change {
			first := slices.Clone(bob.g.Heads())
			amy.take(bob.put("mine", amfile.IntValue(1)))
			c := bob.begin()
			c.Deps = first
			return c.encode(bob.t)
		}, 11, kaijutsu.ErrInvalid},
		{"it starts at a counter of its past", func(amy, bob *writer) *amfile.Change {
			c := bob.begin()
			c.StartOp--
			c.add(amfile.Op{Action: amfile.Put, Key: "x", Value: amfile.IntValue(1)})
			return c.encode(bob.t)
		}, 12, kaijutsu.ErrInvalid},
		{"an object that was never made", func(amy, bob *writer) *amfile.Change {
			c := bob.begin()
			c.add(amfile.Op{Action: amfile.Put, Obj: amfile.OpID{Counter: 2, Actor: 0}, Key: "x", Value: amfile.IntValue(1)})
			return c.encode(bob.t)
		}, 17, kaijutsu.ErrInvalid},
		{"an object of an actor without changes", func(amy, bob *writer) *amfile.Change {
			c := bob.begin()
			c.add(amfile.Op{Action: amfile.Put, Obj: c.id(amfile.GlobalID{Counter: 1, Actor: "nobody"}), Key: "x", Value: amfile.IntValue(1)})
			return c.encode(bob.t)
		}, 17, kaijutsu.ErrInvalid},
		{"an element outside its past, though the server has it", func(amy, bob *writer) *amfile.Change {
			c := bob.begin()
			c.StartOp = amy.g.MaxOp() + 1
			c.add(amfile.Op{Action: amfile.Put, Obj: c.id(bob.text), Seq: true, Elem: c.id(amy.chars[2]), Insert: true, Value: amfile.StringValue("x")})
			return c.encode(bob.t)
		}, 19, kaijutsu.ErrInvalid},
		{"a predecessor outside its past, though the server has it", func(amy, bob *writer) *amfile.Change {
			c := bob.begin()
			c.StartOp = amy.g.MaxOp() + 1
			c.add(amfile.Op{Action: amfile.Put, Key: "k", Value: amfile.IntValue(1), Pred: c.preds(amy.keys["k"])})
			return c.encode(bob.t)
		}, 21, kaijutsu.ErrInvalid},
		{"a predecessor behind the end of a change", func(amy, bob *writer) *amfile.Change {
			c := bob.begin()
			c.StartOp += 20
			c.add(amfile.Op{Action: amfile.Put, Key: "k", Value: amfile.IntValue(1), Pred: c.preds([]amfile.GlobalID{{Counter: 20, Actor: amy.actor}})})
			return c.encode(bob.t)
		}, 21, kaijutsu.ErrInvalid},
		{"an increment of what is no counter", func(amy, bob *writer) *amfile.Change {
			c := bob.begin()
			c.add(amfile.Op{Action: amfile.Increment, Key: "text", Value: amfile.IntValue(1), Pred: c.preds(bob.keys["text"])})
			return c.encode(bob.t)
		}, 22, kaijutsu.ErrInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			amy, bob := two(t)
			c := tt.make(amy, bob)
			before := amy.g.Len()
			for range 2 { // the second time it is remembered
				added, err := amy.g.Add(c)
				var r *Refusal
				if !errors.As(err, &r) || r.Rule != tt.rule || !errors.Is(err, tt.kind) || len(added) > 0 {
					t.Fatalf("Add = %d changes, %v; want a refusal by rule %d wrapping %v", len(added), err, tt.rule, tt.kind)
				}
				if r.Hash != c.Hash || r.Actor != c.Author() || r.Seq != c.Seq || !strings.Contains(err.Error(), c.Hash.String()) {
					t.Errorf("the refusal %v does not name the change", err)
				}
			}
			if amy.g.Len() != before {
				t.Errorf("%d changes afterwards, want %d", amy.g.Len(), before)
			}
			checkGraph(t, amy.g)
			amy.write("d") // life goes on
		})
	}
}

func TestAddTakesEachChangeOnce(t *testing.T) {
	amy, _ := two(t)
	c := amy.write("x")
	added, err := amy.g.Add(c)
	if err != nil || len(added) > 0 {
		t.Errorf("Add of a known change = %d changes, %v; want nothing", len(added), err)
	}
}

func TestChangesWaitForDependencies(t *testing.T) {
	w := newWriter(t, actorID(1))
	var changes []*amfile.Change
	for range 50 {
		changes = append(changes, w.write("x"))
	}
	r := rand.New(rand.NewPCG(1, 1))
	g := New()
	var got []*amfile.Change
	for _, k := range r.Perm(len(changes)) {
		added, err := g.Add(changes[k])
		if err != nil {
			t.Fatal(err)
		}
		if again, err := g.Add(changes[k]); err != nil || len(again) > 0 {
			t.Fatalf("a waiting change added again: %d, %v", len(again), err)
		}
		got = append(got, added...)
	}
	if len(got) != len(changes) {
		t.Fatalf("%d changes added, want %d", len(got), len(changes))
	}
	for i, c := range got {
		if c.Hash != changes[i].Hash || g.Hash(i) != c.Hash {
			t.Fatalf("change %d is out of order", i)
		}
	}
	if n := len(g.waiting.byHash) + len(g.waiting.onDep) + len(g.waiting.late) + g.waiting.bytes; n != 0 {
		t.Errorf("the queue holds something when nothing waits: %+v", g.waiting)
	}
}

func TestMissing(t *testing.T) {
	w := newWriter(t, actorID(1))
	var changes []*amfile.Change
	for range 6 {
		changes = append(changes, w.write("x"))
	}
	g := New()
	for _, k := range []int{0, 3, 4} {
		if _, err := g.Add(changes[k]); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name  string
		heads []kaijutsu.ChangeHash
		want  []kaijutsu.ChangeHash
	}{
		{"a known head", []kaijutsu.ChangeHash{changes[0].Hash}, nil},
		{"an unknown head", []kaijutsu.ChangeHash{changes[5].Hash}, []kaijutsu.ChangeHash{changes[5].Hash}},
		{"a head that waits", []kaijutsu.ChangeHash{changes[4].Hash}, []kaijutsu.ChangeHash{changes[2].Hash}},
		{"all of them", []kaijutsu.ChangeHash{changes[4].Hash, changes[5].Hash, changes[3].Hash},
			kaijutsu.NewHeads(changes[2].Hash, changes[5].Hash)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := g.Missing(tt.heads); !slices.Equal(got, tt.want) {
				t.Errorf("Missing = %v, want %v", kaijutsu.Heads(got), kaijutsu.Heads(tt.want))
			}
		})
	}
}

// TestLateChangesWait lets a change start far beyond every known counter: it
// waits, without anybody being asked for anything, until the counter is near.
func TestLateChangesWait(t *testing.T) {
	w := newWriter(t, actorID(1))
	first := w.write("a")
	long := w.write(strings.Repeat("x", 6000))
	longer := w.write(strings.Repeat("y", 6000))

	far := newWriter(t, actorID(2))
	far.take(first)
	c := far.begin()
	c.StartOp = longer.MaxOp() + 1
	c.add(amfile.Op{Action: amfile.Put, Key: "k", Value: amfile.IntValue(1)})
	late := c.encode(t)

	g := New()
	for _, tt := range []struct {
		c    *amfile.Change
		want int
	}{{first, 1}, {late, 0}, {long, 2}, {longer, 1}} {
		added, err := g.Add(tt.c)
		if err != nil || len(added) != tt.want {
			t.Fatalf("Add of a change that starts at %d: %d changes, %v; want %d", tt.c.StartOp, len(added), err, tt.want)
		}
		if got := g.Missing([]kaijutsu.ChangeHash{late.Hash}); tt.c != first && len(got) > 0 {
			t.Errorf("missing %v for a change that waits for the counter", kaijutsu.Heads(got))
		}
	}
}

func TestDependentsOfRefusedChangesAreRefused(t *testing.T) {
	amy, bob := two(t)
	bad := bob.begin()
	bad.add(amfile.Op{Action: amfile.Increment, Key: "text", Value: amfile.IntValue(1), Pred: bad.preds(bob.keys["text"])})
	refused := bad.encode(t)
	next := change{&amfile.Change{Deps: []kaijutsu.ChangeHash{refused.Hash}, Actors: []kaijutsu.ActorID{bob.actor}, Seq: 2, StartOp: refused.MaxOp() + 1}}.encode(t)
	last := change{&amfile.Change{Deps: []kaijutsu.ChangeHash{next.Hash}, Actors: []kaijutsu.ActorID{bob.actor}, Seq: 3, StartOp: refused.MaxOp() + 1}}.encode(t)

	bringer, other := NewSyncState(), NewSyncState()
	empty := &amfile.SyncMessage{Version: 1}
	if got := amy.g.Receive(bringer, empty, []*amfile.Change{last, next}, ReceiveOptions{}); len(got.Refused) > 0 || len(got.Added) > 0 {
		t.Fatalf("waiting changes: %+v, want nothing", got)
	}
	if got := amy.g.Receive(other, empty, []*amfile.Change{refused}, ReceiveOptions{}); len(got.Refused) != 1 || got.Refused[0].Hash != refused.Hash {
		t.Fatalf("refused %v, want the one change that this peer brought", got.Refused)
	}
	got := amy.g.Receive(bringer, empty, nil, ReceiveOptions{})
	if len(got.Refused) != 2 || got.Refused[0].Rule != 10 || got.Refused[1].Rule != 10 {
		t.Fatalf("refused %v, want the two dependents", got.Refused)
	}
	if got := amy.g.Receive(bringer, empty, nil, ReceiveOptions{}); len(got.Refused) > 0 {
		t.Errorf("refused %v once more", got.Refused)
	}
	if got := amy.g.Missing([]kaijutsu.ChangeHash{last.Hash, next.Hash, refused.Hash}); len(got) > 0 {
		t.Errorf("asks for %v, which it refused", kaijutsu.Heads(got))
	}
	if _, err := amy.g.Add(next); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("Add of a dependent = %v, want a refusal", err)
	}
}

// TestQueueOfWaitingChangesIsBounded floods the queue: the oldest make place.
func TestQueueOfWaitingChangesIsBounded(t *testing.T) {
	orphan := func(i int, value []byte) *amfile.Change {
		c := change{&amfile.Change{Actors: []kaijutsu.ActorID{actorID(i)}, Seq: 1, StartOp: 1}}
		var missing kaijutsu.ChangeHash
		binary.LittleEndian.PutUint64(missing[:], uint64(i))
		c.Deps = []kaijutsu.ChangeHash{missing}
		c.add(amfile.Op{Action: amfile.Put, Key: "k", Value: amfile.BytesValue(value)})
		return c.encode(t)
	}
	for _, tt := range []struct {
		name  string
		size  int
		count int
	}{{"by number", 1, MaxWaiting + 500}, {"by bytes", 1 << 20, 40}} {
		t.Run(tt.name, func(t *testing.T) {
			g := New()
			value := make([]byte, tt.size)
			var last *amfile.Change
			for i := range tt.count {
				last = orphan(i, value)
				if added, err := g.Add(last); err != nil || len(added) > 0 {
					t.Fatalf("Add = %d changes, %v", len(added), err)
				}
			}
			if n := len(g.waiting.byHash); n > MaxWaiting || n < tt.count/2 || g.waiting.bytes > MaxWaitingBytes {
				t.Errorf("%d changes of %d bytes wait", n, g.waiting.bytes)
			}
			if g.waiting.byHash[last.Hash] == nil {
				t.Error("the newest was dropped")
			}
			n := 0
			for o := g.waiting.oldest; o != nil; o = o.newer {
				n++
			}
			if n != len(g.waiting.byHash) || n != len(g.waiting.onDep) {
				t.Errorf("%d in the list, %d by hash, %d by dependency", n, len(g.waiting.byHash), len(g.waiting.onDep))
			}
		})
	}
}

func TestOpenHeadsAreBounded(t *testing.T) {
	g := New()
	root := newWriter(t, actorID(0))
	base := root.write("a")
	if _, err := g.Add(base); err != nil {
		t.Fatal(err)
	}
	branch := func(i int) *amfile.Change {
		c := change{&amfile.Change{Actors: []kaijutsu.ActorID{actorID(i)}, Seq: 1, StartOp: base.MaxOp() + 1, Deps: []kaijutsu.ChangeHash{base.Hash}}}
		return c.encode(t)
	}
	for i := range MaxHeads {
		if _, err := g.Add(branch(i + 1)); err != nil {
			t.Fatalf("head %d: %v", i, err)
		}
	}
	extra := branch(MaxHeads + 1)
	var r *Refusal
	if _, err := g.Add(extra); !errors.As(err, &r) || r.Rule != 27 || !errors.Is(err, kaijutsu.ErrTooLarge) {
		t.Fatalf("Add of one head too many = %v, want a refusal by rule 27", err)
	}
	merge := change{&amfile.Change{Actors: []kaijutsu.ActorID{actorID(MaxHeads + 2)}, Seq: 1, StartOp: base.MaxOp() + 1, Deps: g.Heads()[:10]}}.encode(t)
	if _, err := g.Add(merge); err != nil {
		t.Fatalf("Add of a merge: %v", err)
	}
	if _, err := g.Add(extra); err != nil {
		t.Errorf("Add after a merge made room: %v", err)
	}
}

// TestRefusedChangesAreForgotten bounds what is remembered of refusals.
func TestRefusedChangesAreForgotten(t *testing.T) {
	g := New()
	w := newWriter(t, actorID(1))
	first := w.write("a")
	if _, err := g.Add(first); err != nil {
		t.Fatal(err)
	}
	for i := range maxRefused + 100 {
		c := change{&amfile.Change{Actors: []kaijutsu.ActorID{actorID(1)}, Seq: 1, StartOp: 1, Message: fmt.Sprint(i)}}.encode(t)
		if _, err := g.Add(c); !errors.Is(err, kaijutsu.ErrConflict) {
			t.Fatalf("Add = %v, want a conflict", err)
		}
	}
	if got := g.refusals.len(); got != maxRefused || len(g.refusals.order) != maxRefused {
		t.Errorf("%d refusals remembered, want %d", got, maxRefused)
	}
}
