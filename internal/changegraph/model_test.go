package changegraph

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"kaijutsu"
)

// link is one connection between two replicas: a queue of frames and a sync
// state for each direction.
type link struct {
	ends   [2]int
	states [2]*SyncState
	frames [2][][]byte // frames[k] are on their way to ends[k]
}

// world is a number of replicas that edit and talk, while frames are
// duplicated and reordered, connections cut and peers restarted.
type world struct {
	t        *rapid.T
	replicas []*writer
	links    []*link
	r        *rand.Rand
	actors   int
	saved    [][][]byte // per replica, the changes on its disk, in order
	crashed  bool       // changes may be lost for good, and their dependents wait for ever
}

func (w *world) freshActor() kaijutsu.ActorID {
	w.actors++
	return actorID(w.actors)
}

func newWorld(t *rapid.T) *world {
	w := &world{t: t, r: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))}
	n := rapid.IntRange(2, 5).Draw(t, "replicas")
	for range n {
		w.replicas = append(w.replicas, newWriter(t, w.freshActor()))
	}
	w.saved = make([][][]byte, n)
	// A tree with a few more edges: every replica reaches every other.
	for i := 1; i < n; i++ {
		w.connect(rapid.IntRange(0, i-1).Draw(t, "parent"), i)
	}
	if n > 2 && rapid.Bool().Draw(t, "ring") {
		w.connect(n-1, 0)
	}
	return w
}

func (w *world) connect(a, b int) {
	l := &link{ends: [2]int{a, b}}
	w.links = append(w.links, l)
	w.reconnect(l, false)
}

// reconnect makes the connection anew: what was on its way is lost and both
// states are fresh, or remember the heads that were shared.
func (w *world) reconnect(l *link, resume bool) {
	for k := range l.states {
		fresh := NewSyncState()
		if resume && l.states[k] != nil {
			fresh = ResumeSyncState(l.states[k].Shared())
		}
		l.states[k] = fresh
		l.frames[k] = nil
	}
}

// speak lets one end of a link say what it has to say.
func (w *world) speak(l *link, end int) bool {
	data, ok := w.replicas[l.ends[end]].g.Generate(l.states[end])
	if ok {
		l.frames[1-end] = append(l.frames[1-end], data)
	}
	return ok
}

// hear delivers the frame at place k of those on their way to an end.
func (w *world) hear(l *link, end, k int, keep bool) {
	data := l.frames[end][k]
	if !keep {
		l.frames[end] = append(l.frames[end][:k:k], l.frames[end][k+1:]...)
	}
	got := w.replicas[l.ends[end]].receive(l.states[end], data, ReceiveOptions{})
	if len(got.Refused) > 0 {
		w.t.Fatalf("replica %d refused %v", l.ends[end], got.Refused)
	}
}

// refuse lets a replica hear a few messages, whose changes its disk then
// refuses: it forgets them before it has spoken.
func (w *world) refuse(i int) {
	r := w.replicas[i]
	before := r.g.Len()
	for range 1 + w.r.IntN(4) {
		if w.r.IntN(3) == 0 {
			r.edit(w.r)
			continue
		}
		for _, l := range w.links {
			for end := range l.ends {
				if l.ends[end] == i && len(l.frames[end]) > 0 && w.r.IntN(2) == 0 {
					w.hear(l, end, 0, false)
				}
			}
		}
	}
	r.g.Truncate(before + w.r.IntN(r.g.Len()-before+1))
	r.reread()
}

// restart makes a replica forget what is not on its disk, or all of it. Its
// connections are cut, unless it only let go of the document: then the others
// keep their states, and what is on its way arrives. It goes on with another
// actor, as an actor is never used again after a crash.
func (w *world) restart(i int, empty, cut bool) {
	w.crashed = true
	old := w.replicas[i]
	fresh := newWriter(old.t, w.freshActor())
	if empty {
		w.saved[i] = nil
	}
	for _, raw := range w.saved[i] {
		if err := fresh.g.Restore(raw); err != nil {
			w.t.Fatalf("restore: %v", err)
		}
	}
	fresh.reread()
	w.replicas[i] = fresh
	for _, l := range w.links {
		for end := range l.ends {
			switch {
			case l.ends[end] != i:
			case cut:
				w.reconnect(l, false)
			default:
				l.states[end] = NewSyncState()
			}
		}
	}
}

func (w *world) save(i int) {
	g := w.replicas[i].g
	w.saved[i] = nil
	for k := range g.Len() {
		w.saved[i] = append(w.saved[i], g.Raw(k))
	}
}

func (w *world) anyLink() *link { return w.links[w.r.IntN(len(w.links))] }

// settle speaks and hears in order until nobody has anything to say.
func (w *world) settle() {
	for round := 0; ; round++ {
		busy := false
		for _, l := range w.links {
			for end := range 2 {
				for len(l.frames[end]) > 0 {
					w.hear(l, end, 0, false)
					busy = true
				}
				busy = w.speak(l, end) || busy
			}
		}
		if !busy {
			return
		}
		if round > 16 {
			w.t.Fatalf("still talking after %d rounds", round)
		}
	}
}

func (w *world) check() {
	for i := 1; i < len(w.replicas); i++ {
		sameDocument(w.t, w.replicas[0].g, w.replicas[i].g)
	}
	for _, r := range w.replicas {
		if n := len(r.g.waiting.byHash); n > 0 && !w.crashed {
			w.t.Fatalf("%d changes still wait", n)
		}
		checkGraph(w.t, r.g)
	}
}

// TestReplicasConverge is the model check: whatever happens on the way, when
// everything that was sent has arrived nobody has more to say, and all hold
// the same changes.
func TestReplicasConverge(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(rt)
		steps := rapid.IntRange(1, 120).Draw(rt, "steps")
		disorder := rapid.Bool().Draw(rt, "disorder")
		crashes := rapid.Bool().Draw(rt, "crashes")
		for range steps {
			w.step(disorder, crashes)
		}
		w.settle()
		w.check()
		before := w.replicas[0].g.Len()
		w.replicas[w.r.IntN(len(w.replicas))].edit(w.r)
		w.settle()
		w.check()
		if got := w.replicas[0].g.Len(); got != before+1 {
			rt.Fatalf("%d changes after one more edit, want %d", got, before+1)
		}
	})
}

func (w *world) step(disorder, crashes bool) {
	l, end := w.anyLink(), w.r.IntN(2)
	switch n := w.r.IntN(20); {
	case n < 5:
		w.replicas[w.r.IntN(len(w.replicas))].edit(w.r)
	case n < 11:
		w.speak(l, end)
	case n < 17:
		if waiting := len(l.frames[end]); waiting > 0 {
			k := 0
			if disorder {
				k = w.r.IntN(waiting)
			}
			w.hear(l, end, k, disorder && w.r.IntN(4) == 0)
			w.speak(l, end)
		}
	case n < 18 && w.r.IntN(2) == 0:
		w.save(w.r.IntN(len(w.replicas)))
	case n < 18:
		w.refuse(w.r.IntN(len(w.replicas)))
	case n < 19 && crashes:
		if w.r.IntN(2) == 0 {
			l.states[end] = NewSyncState()
			return
		}
		w.reconnect(l, w.r.IntN(2) == 0)
	case crashes && w.r.IntN(3) == 0:
		w.restart(w.r.IntN(len(w.replicas)), w.r.IntN(3) == 0, w.r.IntN(2) == 0)
	}
}

// checkGraph compares what the graph keeps with what follows from the changes.
func checkGraph(t tester, g *Graph) {
	t.Helper()
	again := New()
	for i := range g.Len() {
		if err := again.Restore(g.Raw(i)); err != nil {
			t.Fatalf("restore change %d again: %v", i, err)
		}
	}
	if !g.Heads().Equal(again.Heads()) || g.MaxOp() != again.MaxOp() {
		t.Fatalf("heads %v and max op %d, want %v and %d", g.Heads(), g.MaxOp(), again.Heads(), again.MaxOp())
	}
	for i := range g.log {
		if got, want := g.log[i].children, again.log[i].children; got != want {
			t.Fatalf("change %d has %d children, want %d", i, got, want)
		}
		if k, ok := g.Index(g.Hash(i)); !ok || k != i {
			t.Fatalf("index of change %d = %d, %v", i, k, ok)
		}
	}
	for _, c := range []*opCache{&g.ops.small, &g.ops.large} {
		n, size := 0, 0
		for e := c.oldest; e != nil; e = e.newer {
			if c.byChange[e.change] != e || int(e.change) >= g.Len() {
				t.Fatalf("the cache holds operations of change %d of %d", e.change, g.Len())
			}
			n, size = n+1, size+e.bytes
		}
		if n != len(c.byChange) || size != c.bytes {
			t.Fatalf("the cache lists %d changes and %d bytes, and counts %d and %d", n, size, len(c.byChange), c.bytes)
		}
	}
	for a := range g.authors {
		if got, want := fmt.Sprint(g.authors[a]), fmt.Sprint(again.authors[a]); got != want {
			t.Fatalf("author %d = %s, want %s", a, got, want)
		}
	}
}
