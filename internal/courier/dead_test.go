package courier_test

import (
	"errors"
	"fmt"
	"testing"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/flowbus"
	"kaijutsu/internal/courier"
)

// bury has an item of A fail until it is a dead letter of a context B that is
// archived.
func (w *world) bury(a, b kaijutsu.DocumentID, text string) drift.Item {
	w.t.Helper()
	it := w.stage(owner, a, b, text)
	w.archive(b, true)
	for i := range 5 {
		got := w.flush(owner, a)
		if want := i == 4; (got.Dead == 1) != want || (got.Failed == 1) == want {
			w.t.Fatalf("Flush %d = %+v, want it dead: %v", i+1, got, want)
		}
	}
	return it
}

func (w *world) lost() kaijutsu.DocumentID {
	w.t.Helper()
	all, err := w.kernel.Contexts(w.t.Context(), owner, true)
	if err != nil {
		w.t.Fatal(err)
	}
	var doc kaijutsu.DocumentID
	for _, c := range all {
		if c.Title != "lost+found" {
			continue
		}
		if !doc.IsZero() {
			w.t.Fatal("there are two contexts lost+found")
		}
		doc = c.Doc
	}
	return doc
}

func TestDeadLetters(t *testing.T) {
	t.Run("test_requeue_retry_limit_moves_to_dead_letter", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		w.bury(a.Doc, b.Doc, "x")
		same(t, "queue", w.queued(courier.Filter{}), nil)
		letters, err := w.DeadLetters(t.Context(), owner)
		if err != nil || len(letters) != 1 || letters[0].Failures != 5 || letters[0].LastError == "" || letters[0].State != drift.StateDead {
			t.Fatalf("DeadLetters = %+v, %v, want one with 5 failures", letters, err)
		}
		kinds := w.kinds(a.Doc)
		if kinds[len(kinds)-1] != flowbus.DriftFailed {
			t.Errorf("events of A = %v, want drift.failed last", kinds)
		}
		w.archive(b.Doc, false)
		w.flush(owner, a.Doc) // does not touch it
		same(t, "drifts of B", w.drifts(b.Doc), nil)
		outs, err := w.Replay(t.Context(), owner, "1", "")
		if err != nil || len(outs) != 1 || outs[0].State != drift.StateDelivered {
			t.Fatalf("Replay = %+v, %v, want it delivered", outs, err)
		}
		same(t, "drifts of B", w.drifts(b.Doc), []string{"x"})
		if s := w.Stats(); s != (courier.Stats{}) {
			t.Errorf("Stats = %+v, want none left", s)
		}
	})
	t.Run("replay to another target", func(t *testing.T) {
		w := newWorld(t)
		a, b, c := w.context("A"), w.context("B"), w.context("C")
		w.bury(a.Doc, b.Doc, "x")
		if _, err := w.Replay(t.Context(), owner, "1", "D"); !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("Replay to nowhere = %v, want ErrNotFound", err)
		}
		if outs, err := w.Replay(t.Context(), owner, "1", "C"); err != nil || outs[0].Doc != c.Doc {
			t.Fatalf("Replay to C = %+v, %v", outs, err)
		}
		same(t, "drifts of C", w.drifts(c.Doc), []string{"x"})
		same(t, "drifts of B", w.drifts(b.Doc), nil)
	})
	t.Run("replay that fails", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		w.bury(a.Doc, b.Doc, "x")
		outs, err := w.Replay(t.Context(), owner, "all", "")
		if !errors.Is(err, kaijutsu.ErrConflict) || len(outs) != 1 || outs[0].State != drift.StateStaged || outs[0].Item.Failures != 1 {
			t.Fatalf("Replay = %+v, %v, want it staged with one failure, and an error", outs, err)
		}
		same(t, "queue", w.queued(courier.Filter{}), []string{"x"})
	})
	t.Run("a dead letter can be cancelled", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		w.bury(a.Doc, b.Doc, "x")
		if got, err := w.Cancel(t.Context(), owner, "1"); err != nil || got.State != drift.StateCancelled {
			t.Errorf("Cancel = %+v, %v", got, err)
		}
		if s := w.Stats(); s != (courier.Stats{}) {
			t.Errorf("Stats = %+v, want none left", s)
		}
	})
	t.Run("of a target that was deleted", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		w.stage(owner, a.Doc, b.Doc, "x")
		if err := w.kernel.Delete(t.Context(), owner, b.Doc, true); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			w.flush(owner, a.Doc)
		}
		if s := w.Stats(); s.Dead != 1 {
			t.Errorf("Stats = %+v, want a dead letter", s)
		}
	})
	t.Run("drift_flush_persists_lost_found_context_row", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		if w.flush(owner, a.Doc); !w.lost().IsZero() {
			t.Error("there is a lost+found without anything lost")
		}
		w.bury(a.Doc, b.Doc, "x")
		doc := w.lost()
		if !w.LostFound(doc) || w.LostFound(a.Doc) {
			t.Fatalf("LostFound(%v) = false, want that it is the one", doc)
		}
		same(t, "drifts of lost+found", w.drifts(doc), []string{"x"})
		w.restart()
		if !w.LostFound(doc) || w.lost() != doc {
			t.Error("another lost+found after a restart")
		}
		c := w.context("C")
		w.bury(a.Doc, c.Doc, "y")
		same(t, "drifts of lost+found", w.drifts(doc), []string{"x", "y"})
		if s := w.Stats(); s.Dead != 2 {
			t.Errorf("Stats = %+v, want the letters listed still", s)
		}
	})
	t.Run("drift_flush_drains_dead_letters_with_nothing_staged", func(t *testing.T) {
		w := newWorld(t)
		a, b, c := w.context("A"), w.context("B"), w.context("C")
		w.bury(a.Doc, b.Doc, "x")
		if err := w.kernel.Delete(t.Context(), owner, w.lost(), true); err != nil {
			t.Fatal(err)
		}
		if got := w.flush(owner, c.Doc); got.LostFound != 1 || got.Delivered != 0 {
			t.Errorf("Flush with nothing staged = %+v, want one dead letter copied", got)
		}
		same(t, "drifts of the new lost+found", w.drifts(w.lost()), []string{"x"})
		if got := w.flush(owner, c.Doc); got.LostFound != 0 {
			t.Errorf("Flush again = %+v, want nothing copied", got)
		}
	})
}

func TestReplayAll(t *testing.T) {
	w := newWorld(t)
	a, b := w.context("A"), w.context("B")
	for i := range 3 {
		w.stage(owner, a.Doc, b.Doc, fmt.Sprint(i))
	}
	w.archive(b.Doc, true)
	for range 5 {
		w.flush(owner, a.Doc)
	}
	w.archive(b.Doc, false)
	outs, err := w.Replay(t.Context(), owner, "all", "")
	if err != nil || len(outs) != 3 {
		t.Fatalf("Replay(all) = %+v, %v, want 3", outs, err)
	}
	same(t, "drifts of B", w.drifts(b.Doc), []string{"0", "1", "2"})
}
