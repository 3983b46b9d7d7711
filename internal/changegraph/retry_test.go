package changegraph

import (
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// TestTakeWaiting restores what changes wait for, and tries them again.
func TestTakeWaiting(t *testing.T) {
	w := newWriter(t, actorID(1))
	for i := range 12 {
		w.put("key", amfile.UintValue(uint64(i)))
	}
	from, g := w.g, New()
	var took []kaijutsu.ChangeHash
	g.Took = func(c *amfile.Change, s *SyncState) { took = append(took, c.Hash) }
	s := NewSyncState()
	for i := 2; i < from.Len(); i++ {
		c, err := amfile.DecodeChange(from.Raw(i))
		if err != nil {
			t.Fatal(err)
		}
		if added, err := g.AddFrom(s, c, ReceiveOptions{}); err != nil || added != nil {
			t.Fatalf("AddFrom() of a change that waits = %v, %v", added, err)
		}
	}
	if got := g.Missing(from.Heads()); len(got) != 1 || got[0] != from.Hash(1) {
		t.Errorf("Missing() = %v, want %v", got, from.Hash(1))
	}
	retry := g.TakeWaiting()
	if g.Waiting() != 0 || s.waits != 0 {
		t.Errorf("%d changes wait, %d of the peer; want none", g.Waiting(), s.waits)
	}
	retry()
	if want := from.Len() - 2; g.Waiting() != want || s.waits != want || len(took) != 0 {
		t.Errorf("%d changes wait, %d of the peer, when nothing was restored; want %d", g.Waiting(), s.waits, want)
	}
	retry = g.TakeWaiting()
	for i := range 2 {
		if err := g.Restore(from.Raw(i)); err != nil {
			t.Fatal(err)
		}
	}
	retry()
	if g.Waiting() != 0 || s.waits != 0 || len(took) != from.Len()-2 || !g.Heads().Equal(from.Heads()) {
		t.Errorf("%d changes wait and %d were taken, want 0 and %d", g.Waiting(), len(took), from.Len()-2)
	}
}
