package courier_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/flowbus"
	"kaijutsu/internal/courier"
)

func TestFlush(t *testing.T) {
	t.Run("drift_engine_push_queue_flush", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		w.stage(owner, a.Doc, b.Doc, "x")
		got := w.flush(owner, a.Doc)
		if got.Delivered != 1 || len(got.Items) != 1 || got.Items[0].State != drift.StateDelivered || got.Items[0].Number != 1 {
			t.Errorf("Flush = %+v, want one delivered", got)
		}
		same(t, "drifts of B", w.drifts(b.Doc), []string{"x"})
		if m := w.metaOf(b.Doc, got.Items[0].Block); m.Number != 1 || m.Kind != drift.KindPush {
			t.Errorf("meta = %+v, want the number", m)
		}
		same(t, "queue", w.queued(courier.Filter{}), nil)
	})
	t.Run("drift_push_queue_flush_lifecycle", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		for i := range 5 {
			w.stage(owner, a.Doc, b.Doc, fmt.Sprint("item ", i))
		}
		if _, err := w.Cancel(t.Context(), owner, "3"); err != nil {
			t.Fatal(err)
		}
		w.flush(owner, a.Doc)
		same(t, "drifts of B", w.drifts(b.Doc), []string{"item 0", "item 1", "item 3", "item 4"})
		if again := w.flush(owner, a.Doc); again.Delivered != 0 || len(again.Items) != 0 {
			t.Errorf("Flush of nothing = %+v, want nothing, and no error", again)
		}
		same(t, "drifts of B", w.drifts(b.Doc), []string{"item 0", "item 1", "item 3", "item 4"})
	})
	t.Run("drain", func(t *testing.T) {
		w := newWorld(t)
		a, b, c := w.context("A"), w.context("B"), w.context("C")
		for i := range 20 {
			w.stage(owner, a.Doc, []kaijutsu.DocumentID{b.Doc, c.Doc}[i%2], fmt.Sprintf("%02d", i))
		}
		if got := w.flush(owner, a.Doc); got.Delivered != 20 {
			t.Errorf("Flush = %+v, want 20 delivered", got)
		}
		same(t, "queue", w.queued(courier.Filter{}), nil)
		if got := strings.Join(w.drifts(b.Doc), " "); got != "00 02 04 06 08 10 12 14 16 18" {
			t.Errorf("drifts of B = %q, want them in order", got)
		}
	})
	t.Run("drain_scoped", func(t *testing.T) {
		w := newWorld(t)
		a, b, c := w.context("A"), w.context("B"), w.context("C")
		w.stage(owner, a.Doc, b.Doc, "a to b")
		w.stage(owner, c.Doc, b.Doc, "c to b")
		w.flush(owner, b.Doc) // what merely goes there is not its to deliver
		same(t, "drifts of B", w.drifts(b.Doc), nil)
		w.flush(owner, a.Doc)
		same(t, "drifts of B", w.drifts(b.Doc), []string{"a to b"})
		same(t, "queue", w.queued(courier.Filter{}), []string{"c to b"})
	})
	t.Run("flushed_drift_carries_the_stager_not_the_flusher", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		amy, ben := w.member("amy", kaijutsu.RightEdit), w.member("ben", kaijutsu.RightEdit)
		for i := range 6 {
			w.stage([]courierCall{amy, ben, owner}[i%3], a.Doc, b.Doc, fmt.Sprint(i))
		}
		w.flush(ben, a.Doc)
		same(t, "drifts of B", w.drifts(b.Doc), []string{"0", "1", "2", "3", "4", "5"})
		for i, got := range w.shown(b.Doc) {
			if want := []courierCall{amy, ben, owner}[i%3].By; got.By != want {
				t.Errorf("author of %d = %v, want %v", i, got.By, want)
			}
		}
	})
	t.Run("by what the stager may do now", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		amy := w.member("amy", kaijutsu.RightEdit)
		w.stage(amy, a.Doc, b.Doc, "x")
		if _, err := w.access.Revoke(t.Context(), owner.By, "amy"); err != nil {
			t.Fatal(err)
		}
		if got := w.flush(owner, a.Doc); got.Failed != 1 || got.Delivered != 0 {
			t.Errorf("Flush for somebody without a token = %+v, want it failed", got)
		}
		same(t, "drifts of B", w.drifts(b.Doc), nil)
		same(t, "queue", w.queued(courier.Filter{}), []string{"x"})
	})
	t.Run("shared_drift_on_fork", func(t *testing.T) {
		w := newWorld(t)
		p, b := w.context("P"), w.context("B")
		w.stage(owner, p.Doc, b.Doc, "of the parent")
		f, err := w.kernel.Fork(t.Context(), owner, p.Doc, nil, "F")
		if err != nil {
			t.Fatal(err)
		}
		w.stage(owner, f.Doc, p.Doc, "of the fork")
		w.flush(owner, f.Doc)
		same(t, "drifts of P", w.drifts(p.Doc), []string{"of the fork"})
		same(t, "queue", w.queued(courier.Filter{}), []string{"of the parent"})
	})
	t.Run("unregister", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		amy := w.member("amy", kaijutsu.RightEdit)
		ben := w.member("ben", kaijutsu.RightEdit)
		w.stage(amy, a.Doc, b.Doc, "amy's")
		w.stage(ben, a.Doc, b.Doc, "ben's")
		w.archive(a.Doc, true)
		if err := w.kernel.Delete(t.Context(), owner, a.Doc, true); err != nil {
			t.Fatal(err)
		}
		same(t, "queue", w.queued(courier.Filter{}), []string{"amy's", "ben's"})
		if got := w.flush(amy, a.Doc); got.Delivered != 1 {
			t.Errorf("Flush of a deleted context by a stager = %+v, want the own item delivered", got)
		}
		if got := w.flush(owner, a.Doc); got.Delivered != 1 {
			t.Errorf("Flush of a deleted context by an owner = %+v, want the rest delivered", got)
		}
		same(t, "drifts of B", w.drifts(b.Doc), []string{"amy's", "ben's"})
	})
}

// TestFlushUnderEdits flushes while others type, push, stage, cancel and flush,
// and somebody looks into the queue: every item is delivered once, or cancelled.
func TestFlushUnderEdits(t *testing.T) {
	w := newWorld(t)
	a, b := w.context("A"), w.context("B")
	const n = 400
	w.stageMany(n, a.Doc, b.Doc)
	var wg sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	var mu sync.Mutex
	cancelled, late := map[string]bool{}, 0
	for range 3 {
		wg.Go(func() {
			for ctx.Err() == nil {
				got, err := w.Cancel(t.Context(), owner, fmt.Sprint(1+rand.N(n)))
				if err == nil && got.State == drift.StateCancelled {
					whole := got.ID
					mu.Lock()
					if cancelled[whole] {
						t.Errorf("%s was cancelled twice", whole)
					}
					cancelled[whole] = true
					mu.Unlock()
				}
				if err == nil && got.State == drift.StateDelivered {
					mu.Lock()
					late++
					mu.Unlock()
				}
			}
		})
	}
	wg.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			w.push(owner, a.Doc, b.Doc, fmt.Sprint("push ", i))
			w.stage(owner, a.Doc, b.Doc, fmt.Sprint("late ", i))
			w.write(owner, b.Doc, "typed")
			w.queued(courier.Filter{})
		}
	})
	for range 4 {
		w.flush(owner, a.Doc)
	}
	stop()
	wg.Wait()
	w.flush(owner, a.Doc)
	same(t, "queue", w.queued(courier.Filter{}), nil)
	found := make(map[string]int)
	for _, b := range w.shown(b.Doc) {
		if m, ok := drift.ParseMeta(b.Meta); ok && b.Kind == "drift" {
			found[m.DriftID]++
			if cancelled[m.DriftID] {
				t.Errorf("%s was delivered though it was cancelled", m.DriftID)
			}
		}
	}
	delivered := 0
	for _, content := range w.drifts(b.Doc) {
		if strings.HasPrefix(content, "finding ") {
			delivered++
		}
	}
	mu.Lock()
	defer mu.Unlock()
	cancelledFindings := n - delivered
	if cancelledFindings > len(cancelled) {
		t.Errorf("%d delivered and %d cancelled of %d", delivered, len(cancelled), n)
	}
	t.Logf("%d of %d delivered, %d cancelled, %d cancels came too late", delivered, n, len(cancelled), late)
}

// TestCancelInFlightDropsOnRequeue cancels an item while its delivery is failing:
// it is never queued again.
func TestCancelInFlightDropsOnRequeue(t *testing.T) {
	t.Run("test_cancel_in_flight_drops_on_requeue", func(t *testing.T) {
		asked, answer := make(chan struct{}), make(chan struct{})
		far := &carrier{offer: func(drift.Item) (courier.Receipt, error) {
			asked <- struct{}{}
			<-answer
			return courier.Receipt{}, fmt.Errorf("it is away: %w", kaijutsu.ErrUnavailable)
		}}
		w := newWorldWith(t, func(c *courier.Config) { c.Carrier = far })
		a := w.context("A")
		if _, err := w.Push(t.Context(), owner, courier.Push{From: a.ID, To: "far:plan", Content: "x", Stage: true}); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() { w.flush(owner, a.Doc) })
		<-asked
		cancelled := make(chan error, 1)
		wg.Go(func() {
			_, err := w.Cancel(t.Context(), owner, "1")
			cancelled <- err
		})
		close(answer)
		if err := <-cancelled; err != nil {
			t.Errorf("Cancel = %v", err)
		}
		wg.Wait()
		same(t, "queue", w.queued(courier.Filter{}), nil)
		w.restart()
		same(t, "queue after a restart", w.queued(courier.Filter{}), nil)
	})
}

// TestFlushAnswersInTime holds that a long flush outlasts its call, and that the
// answer says so.
func TestFlushAnswersInTime(t *testing.T) {
	step := make(chan struct{})
	far := &carrier{offer: func(drift.Item) (courier.Receipt, error) {
		<-step
		return courier.Receipt{State: drift.StateDelivered, Block: "0190aaaa-0000-7000-8000-000000000001"}, nil
	}}
	w := newWorldWith(t, func(c *courier.Config) { c.Carrier = far })
	a := w.context("A")
	for i := range 3 {
		if _, err := w.Push(t.Context(), owner, courier.Push{From: a.ID, To: "far:plan", Content: fmt.Sprint(i), Stage: true}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer stop()
	got, err := w.Flush(ctx, owner, a.ID)
	if err != nil || !got.Background || got.Left != 3 {
		t.Fatalf("Flush = %+v, %v, want 3 left, in the background", got, err)
	}
	close(step)
	until(t, "the flush goes on", func() bool { return w.Stats() == courier.Stats{} })
}

// TestProgressOfALongFlush holds that a long flush tells how far it is.
func TestProgressOfALongFlush(t *testing.T) {
	w := newWorld(t)
	a, b := w.context("A"), w.context("B")
	w.stageMany(1000, a.Doc, b.Doc)
	w.flush(owner, a.Doc)
	w.mu.Lock()
	defer w.mu.Unlock()
	var told []float64
	for _, e := range w.events {
		if p, ok := e.Data.(*flowbus.Progress); ok {
			told = append(told, p.Progress)
		}
	}
	same(t, "progress", told, []float64{500, 1000})
}

// TestTheQueueIsNotWritten has records refuse: the callers are told, and nothing
// is said to be staged that is not.
func TestTheQueueIsNotWritten(t *testing.T) {
	w := newWorld(t)
	a, b := w.context("A"), w.context("B")
	w.stage(owner, a.Doc, b.Doc, "x")
	if err := w.queue.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Push(t.Context(), owner, courier.Push{From: a.ID, To: b.ID, Content: "y", Stage: true}); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("stage = %v, want ErrUnavailable", err)
	}
	if _, err := w.Cancel(t.Context(), owner, "1"); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("cancel = %v, want ErrUnavailable", err)
	}
	w.restart()
	same(t, "queue", w.queued(courier.Filter{}), []string{"x"})
}
