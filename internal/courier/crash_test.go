package courier_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/repo"
)

// deliverOnly writes the block of an item as a flush does, and leaves the item
// in the queue: what a server does that goes in between.
func (w *world) deliverOnly(it drift.Item) {
	w.t.Helper()
	meta, err := it.Meta.Encode("")
	if err != nil {
		w.t.Fatal(err)
	}
	_, err = w.kernel.Post(w.t.Context(), kernel.Posting{By: it.By, As: w.kernel.CallOf(it.By), Doc: it.Target, Name: "drift_push", Spec: blocks.BlockSpec{
		ID: drift.BlockID(it.ID, it.Target), Position: blocks.Last(), Kind: blocks.KindDrift, Role: blocks.RoleSystem, Form: blocks.FormBody, Content: it.Content, Meta: meta,
	}})
	if err != nil {
		w.t.Fatal(err)
	}
}

func TestRestart(t *testing.T) {
	t.Run("restart_recovers_a_staged_item_never_flushed", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		w.stage(owner, a.Doc, b.Doc, "x")
		w.restart()
		same(t, "queue", w.queued(courier.Filter{}), []string{"x"})
		w.flush(owner, a.Doc)
		same(t, "drifts of B", w.drifts(b.Doc), []string{"x"})
	})
	t.Run("restart_recovers_a_dead_lettered_item", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		w.bury(a.Doc, b.Doc, "x")
		w.restart()
		if s := w.Stats(); s.Dead != 1 {
			t.Fatalf("Stats = %+v, want the dead letter", s)
		}
		w.archive(b.Doc, false)
		if _, err := w.Replay(t.Context(), owner, "1", ""); err != nil {
			t.Fatal(err)
		}
		same(t, "drifts of B", w.drifts(b.Doc), []string{"x"})
	})
	t.Run("drain_dead_letter_then_crash_before_ack_recovers_on_restart", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		it := w.bury(a.Doc, b.Doc, "x")
		w.archive(b.Doc, false)
		w.deliverOnly(it)
		w.restart()
		if s := w.Stats(); s.Dead != 1 {
			t.Fatalf("Stats = %+v, want the dead letter, which was not closed", s)
		}
		outs, err := w.Replay(t.Context(), owner, "1", "")
		if err != nil || outs[0].State != drift.StateDelivered {
			t.Fatalf("Replay = %+v, %v", outs, err)
		}
		same(t, "drifts of B", w.drifts(b.Doc), []string{"x"})
		if s := w.Stats(); s != (courier.Stats{}) {
			t.Errorf("Stats = %+v, want it closed", s)
		}
	})
	t.Run("inserted and not closed", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		w.deliverOnly(w.stage(owner, a.Doc, b.Doc, "x"))
		w.restart()
		w.archive(b.Doc, true) // closed meanwhile: it is delivered all the same
		if got := w.flush(owner, a.Doc); got.Delivered != 1 {
			t.Errorf("Flush = %+v, want it found delivered", got)
		}
		same(t, "drifts of B", w.drifts(b.Doc), []string{"x"})
		same(t, "queue", w.queued(courier.Filter{}), nil)
	})
	t.Run("inserted, deleted by a reader, and not closed", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		it := w.stage(owner, a.Doc, b.Doc, "x")
		w.deliverOnly(it)
		w.remove(b.Doc, drift.BlockID(it.ID, b.Doc))
		w.flush(owner, a.Doc)
		same(t, "drifts of B", w.drifts(b.Doc), nil)
		same(t, "queue", w.queued(courier.Filter{}), nil)
	})
	t.Run("inserted, not closed, and cancelled", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		it := w.stage(owner, a.Doc, b.Doc, "x")
		w.deliverOnly(it)
		w.restart()
		got, err := w.Cancel(t.Context(), owner, "1")
		if err != nil || got.State != drift.StateDelivered || got.Block != drift.BlockID(it.ID, b.Doc) {
			t.Errorf("Cancel = %+v, %v, want that it was delivered, and where", got, err)
		}
		same(t, "queue", w.queued(courier.Filter{}), nil)
	})
	t.Run("asked for and not begun", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		w.stage(owner, a.Doc, b.Doc, "x")
		if err := w.queue.Put(t.Context(), owner.By, "flush/"+a.Doc.String(), []byte(`{"v":1,"at":"2026-11-21T10:00:00Z"}`)); err != nil {
			t.Fatal(err)
		}
		w.restart()
		until(t, "the flush goes on", func() bool { return w.Stats() == courier.Stats{} })
		same(t, "drifts of B", w.drifts(b.Doc), []string{"x"})
		until(t, "it is not on record any more", func() bool { _, there := w.queue.Get("flush/" + a.Doc.String()); return !there })
	})
}

// TestStoppedInAFlush stops the courier, or the queue below it, at random points
// of flushes: after the restart each item is delivered once, in order.
func TestStoppedInAFlush(t *testing.T) {
	const n = 600
	for name, stop := range map[string]func(*world){
		"the courier": func(w *world) { _ = w.Courier.Close() },
		"the queue":   func(w *world) { _ = w.queue.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			for round := range 3 {
				a, b := w.context(fmt.Sprint("A ", round)), w.context(fmt.Sprint("B ", round))
				w.stageMany(n, a.Doc, b.Doc)
				var stopping sync.WaitGroup
				var once sync.Once
				point := uint64(rand.N(n))
				noted := func(c repo.Committed) {
					if c.Doc == b.Doc && c.Version > point {
						once.Do(func() { stopping.Go(func() { stop(w) }) })
					}
				}
				w.noted.Store(&noted)
				_, err := w.Flush(t.Context(), owner, a.ID) // whatever it says
				stopping.Wait()
				w.noted.Store(nil)
				before := len(w.drifts(b.Doc))
				w.restart()
				until(t, "the flush goes on by itself, or is asked for again", func() bool {
					_, pending := w.queue.Get("flush/" + a.Doc.String())
					return !pending
				})
				w.flush(owner, a.Doc)
				got := w.drifts(b.Doc)
				t.Logf("round %d: stopped with %d of %d delivered (%v)", round, before, n, err)
				slices.Sort(got)
				if len(slices.Compact(slices.Clone(got))) != n || len(got) != n {
					t.Fatalf("round %d: %d blocks, want each of %d once", round, len(got), n)
				}
				same(t, "queue", w.queued(courier.Filter{}), nil)
			}
		})
	}
}

// remove deletes a block.
func (w *world) remove(doc kaijutsu.DocumentID, id blocks.ID) {
	w.t.Helper()
	if _, err := w.kernel.Edit(w.t.Context(), owner, doc, "block_delete", func(_ repo.View, tx *blocks.Tx) error { return tx.Delete(id) }); err != nil {
		w.t.Fatal(err)
	}
}
