package changegraph

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// TestAnchorTakesDescendants compares what is taken behind an anchor with the
// definition: what names the anchor, or something taken behind it.
func TestAnchorTakesDescendants(t *testing.T) {
	changes := crowd(t, 4, 5, 300)
	for _, at := range []int{0, 1, 7, 150, 299} {
		g := build(t, changes[:at+1])
		if _, ok := g.Anchor(); ok {
			t.Fatal("there is an anchor already")
		}
		g.SetAnchor(at)
		behind := map[kaijutsu.ChangeHash]bool{changes[at].Hash: true}
		for i, c := range changes[at+1:] {
			known := !slices.ContainsFunc(c.Deps, func(d kaijutsu.ChangeHash) bool { return !g.Has(d) })
			want := known && slices.ContainsFunc(c.Deps, func(d kaijutsu.ChangeHash) bool { return behind[d] })
			added, err := g.Add(c)
			var r *Refusal
			if got := len(added) == 1; got != want || !got && (!errors.As(err, &r) || !r.Judged) {
				t.Fatalf("anchor %d: change %d is taken: %v, %v; want %v", at, at+1+i, got, err, want)
			}
			behind[c.Hash] = want
		}
		checkGraph(t, g)

		again := New() // from storage, where the anchor is known when all is there
		for i := range g.Len() {
			if err := again.Restore(g.Raw(i)); err != nil {
				t.Fatal(err)
			}
		}
		again.SetAnchor(at)
		for i := range g.log {
			if again.log[i].descends != g.log[i].descends {
				t.Fatalf("anchor %d: change %d descends: %v after a restart, %v before", at, i, again.log[i].descends, g.log[i].descends)
			}
		}
		again.Truncate(at)
		if _, ok := again.Anchor(); ok {
			t.Errorf("anchor %d outlives its change", at)
		}
	}
}

// TestOneIsDeniedWhatAnotherBrings: a denial is one peer's, and so is that of
// what depends on it; it is told once, and nobody is asked for the change again.
func TestOneIsDeniedWhatAnotherBrings(t *testing.T) {
	w := newWriter(t, actorID(1))
	var changes []*amfile.Change
	for range 4 {
		changes = append(changes, w.put("k", amfile.IntValue(1)))
	}
	g := New()
	low, high := NewSyncState(), NewSyncState()
	low.Peer, high.Peer = "low", "high"
	forbidden := changes[1].Hash
	var took []string
	g.Judge = func(c *amfile.Change, from *SyncState) error {
		if from == low && c.Hash == forbidden {
			return fmt.Errorf("not by %v: %w", from.Peer, kaijutsu.ErrDenied)
		}
		return nil
	}
	g.Took = func(c *amfile.Change, from *SyncState) { took = append(took, fmt.Sprint(from.Peer, c.Seq)) }
	receive := func(s *SyncState, cs ...*amfile.Change) Received {
		last := cs[len(cs)-1]
		return g.Receive(s, &amfile.SyncMessage{Version: 1, Heads: []kaijutsu.ChangeHash{last.Hash}, Have: []amfile.Have{{}}}, cs, ReceiveOptions{})
	}
	r := receive(low, changes[3], changes[2], changes[0], changes[1]) // the last two wait for the denied one
	var refused []uint64
	for _, refusal := range append(r.Refused, receive(low, changes[1], changes[2]).Refused...) {
		if !refusal.Judged || !errors.Is(refusal, kaijutsu.ErrDenied) {
			t.Errorf("refusal %v: want one that is judged and wraps ErrDenied", refusal)
		}
		refused = append(refused, refusal.Seq)
	}
	slices.Sort(refused)
	if want := []uint64{2, 3, 4}; !slices.Equal(refused, want) || g.Len() != 1 || g.Waiting() != 0 {
		t.Errorf("refused %v, want %v, each once; %d changes, %d waiting, want 1 and 0", refused, want, g.Len(), g.Waiting())
	}
	if need := g.missing([]kaijutsu.ChangeHash{changes[3].Hash}, low); len(need) > 0 {
		t.Errorf("it is asked for %v, which it was denied", need)
	}
	if r := receive(high, changes[1], changes[2]); len(r.Added) != 2 || len(r.Refused) > 0 {
		t.Errorf("the other brings %d, refused %v; want both taken", len(r.Added), r.Refused)
	}
	low.Forgive()
	if data, ok := g.Generate(low); !ok {
		t.Error("nothing is said to a peer that may bring more now")
	} else if m, err := amfile.DecodeSync(data); err != nil || len(m.Heads) > 0 {
		t.Errorf("it is told the heads %v, %v; want none, so that it sends again", m.Heads, err)
	}
	if r := receive(low, changes[3]); len(r.Added) != 1 {
		t.Errorf("forgiven, it brings %d, refused %v; want 1", len(r.Added), r.Refused)
	}
	if want := []string{"low1", "high2", "high3", "low4"}; !slices.Equal(took, want) {
		t.Errorf("Took was told %v, want %v", took, want)
	}
}

// TestWhatIsForeignStaysOut: what Judge refuses for another reason than rights
// is refused to all.
func TestWhatIsForeignStaysOut(t *testing.T) {
	w := newWriter(t, actorID(1))
	first, second := w.put("k", amfile.IntValue(1)), w.put("k", amfile.IntValue(2))
	g := New()
	g.Judge = func(c *amfile.Change, _ *SyncState) error {
		if c.Hash == first.Hash {
			return fmt.Errorf("of another document: %w", kaijutsu.ErrConflict)
		}
		return nil
	}
	for _, s := range []*SyncState{NewSyncState(), NewSyncState()} {
		r := g.Receive(s, &amfile.SyncMessage{Version: 1, Heads: []kaijutsu.ChangeHash{second.Hash}}, []*amfile.Change{second, first}, ReceiveOptions{})
		if len(r.Added) > 0 || len(r.Refused) == 0 {
			t.Errorf("added %d, refused %v; want all refused", len(r.Added), r.Refused)
		}
		for _, refusal := range r.Refused {
			if !refusal.Judged {
				t.Errorf("refusal %v is not marked as judged", refusal)
			}
		}
	}
	if need := g.Missing([]kaijutsu.ChangeHash{second.Hash}); len(need) > 0 {
		t.Errorf("somebody is asked for %v", need)
	}
}

// TestPassingRefusalsAreForgotten: what Judge refuses for now is taken later,
// with what depends on it.
func TestPassingRefusalsAreForgotten(t *testing.T) {
	w := newWriter(t, actorID(1))
	first, second := w.put("k", amfile.IntValue(1)), w.put("k", amfile.IntValue(2))
	g := New()
	g.Judge = func(*amfile.Change, *SyncState) error {
		return Passing(fmt.Errorf("not yet: %w", kaijutsu.ErrConflict))
	}
	s := NewSyncState()
	if _, err := g.AddFrom(s, second, ReceiveOptions{}); err != nil {
		t.Errorf("AddFrom() of a change that waits = %v", err)
	}
	if _, err := g.AddFrom(s, first, ReceiveOptions{}); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("AddFrom() = %v, want ErrConflict", err)
	}
	g.Judge = nil
	if added, err := g.AddFrom(s, first, ReceiveOptions{}); err != nil || len(added) != 2 {
		t.Errorf("AddFrom() later = %d changes, %v; want both", len(added), err)
	}
}
