package changegraph

import (
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// waitingChange is a change of this author that waits for these.
func waitingChange(t *testing.T, author, ops int, deps ...kaijutsu.ChangeHash) *amfile.Change {
	t.Helper()
	c := change{&amfile.Change{Actors: []kaijutsu.ActorID{actorID(author)}, Seq: 1, StartOp: 1}}
	c.Deps = kaijutsu.NewHeads(deps...)
	list := amfile.OpID{Counter: 1}
	c.Ops = append(c.Ops, amfile.Op{Action: amfile.MakeList, Key: "l"})
	for len(c.Ops) < ops {
		c.Ops = append(c.Ops, amfile.Op{Action: amfile.Put, Obj: list, Seq: true, Insert: true, Value: amfile.NullValue()})
	}
	return c.encode(t)
}

// TestWaitingOperationsAreBounded queues changes of few bytes and many
// operations behind one change: all of them are decoded when it comes.
func TestWaitingOperationsAreBounded(t *testing.T) {
	g := New()
	missing := kaijutsu.ChangeHash{1}
	const each = 20_000
	for i := range MaxWaitingOps/each + 3 {
		if added, err := g.Add(waitingChange(t, i, each, missing)); err != nil || len(added) > 0 {
			t.Fatalf("Add = %d changes, %v", len(added), err)
		}
	}
	ops := 0
	for o := g.waiting.oldest; o != nil; o = o.newer {
		ops += o.ops
	}
	if want := MaxWaitingOps / each * each; ops != want || g.waiting.ops != want {
		t.Errorf("changes of %d operations wait, counted as %d, want %d", ops, g.waiting.ops, want)
	}
	if got, want := len(g.waiting.onDep[missing]), len(g.waiting.byHash); got != want {
		t.Errorf("%d wait for the change, %d wait at all", got, want)
	}
}

// TestMissingIsBounded lets few changes wait for a great many.
func TestMissingIsBounded(t *testing.T) {
	g := New()
	var heads []kaijutsu.ChangeHash
	for i := range 100 {
		deps := make([]kaijutsu.ChangeHash, amfile.MaxDeps)
		for k := range deps {
			deps[k] = kaijutsu.ChangeHash{byte(i), byte(k), byte(k >> 8), 1}
		}
		c := waitingChange(t, i, 1, deps...)
		if _, err := g.Add(c); err != nil {
			t.Fatal(err)
		}
		heads = append(heads, c.Hash)
	}
	if got := len(g.Missing(heads)); got == 0 || got > maxNeed {
		t.Errorf("Missing returns %d changes, want some, at most %d", got, maxNeed)
	}
}
