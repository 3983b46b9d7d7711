package courier_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/records"
)

// TestNumbersOfTwoNodes stages at two nodes in turn, neither of which has heard
// of what the other has staged.
func TestNumbersOfTwoNodes(t *testing.T) {
	s := startNATS(t)
	a, b := newNode(t, "a", s), newNode(t, "b", s)
	until(t, "the nodes see NATS", func() bool { return a.bus.State().Connected && b.bus.State().Connected })
	from, to := a.context("from"), a.context("to")
	b.bring(a, a.records.Doc(), from.Doc, to.Doc)
	for i := range 10 {
		for k, w := range []*world{a, b} {
			it := w.stage(owner, from.Doc, to.Doc, fmt.Sprint(i))
			if got, want := it.Number, uint64(1+2*i+k); got != want {
				t.Errorf("number of item %d of node %d = %d, want %d", i, k, got, want)
			}
		}
	}
}

// TestLeaseOfADeadNode has a node that is gone hold the lease still: nothing is
// cancelled or delivered that it may have delivered.
func TestLeaseOfADeadNode(t *testing.T) {
	s := startNATS(t)
	a, b := newNode(t, "a", s), newNode(t, "b", s)
	until(t, "the nodes see NATS", func() bool { return a.bus.State().Connected && b.bus.State().Connected })
	from, to := a.context("from"), a.context("to")
	it := a.stage(owner, from.Doc, to.Doc, "x")
	lease, err := b.bus.Hold(t.Context(), "drift."+from.Doc.Name(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Cancel(t.Context(), owner, it.ID)
	if !errors.Is(err, kaijutsu.ErrUnavailable) || errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("Cancel = %v, want ErrUnavailable alone", err)
	}
	same(t, "queue", a.queued(courier.Filter{}), []string{"x"})
	lease.Release()
	if got, err := a.Cancel(t.Context(), owner, it.ID); err != nil || got.State != drift.StateCancelled {
		t.Errorf("Cancel when the lease is free = %+v, %v, want it cancelled", got, err)
	}
}

// TestFlushOfADeadNode goes on with a flush that a node had begun before it
// went.
func TestFlushOfADeadNode(t *testing.T) {
	now := time.Now
	w := newWorldWith(t, func(c *courier.Config) { c.Now = func() time.Time { return now() } })
	from, to := w.context("from"), w.context("to")
	for i := range 3 {
		w.stage(owner, from.Doc, to.Doc, fmt.Sprint(i))
	}
	row, err := json.Marshal(map[string]any{"v": 1, "node": "gone", "at": time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	name := "flush/" + from.Doc.String()
	if err := w.queue.Put(t.Context(), records.Mover, name, row); err != nil {
		t.Fatal(err)
	}
	w.TakeOver()
	if got := w.Stats().Staged; got != 3 {
		t.Errorf("staged = %d right after it began, want 3: its node may be at it", got)
	}
	w.Courier.Close()
	now = func() time.Time { return time.Now().Add(2 * time.Minute) }
	w.start()
	w.TakeOver()
	until(t, "the flush is over", func() bool { _, there := w.queue.Get(name); return !there })
	same(t, "drifts", w.drifts(to.Doc), []string{"0", "1", "2"})
	if s := w.Stats(); s != (courier.Stats{}) {
		t.Errorf("Stats = %+v, want none left", s)
	}
}

// TestCancelUnderAnOffer cancels at one node what another one is just offering to
// another kernel.
func TestCancelUnderAnOffer(t *testing.T) {
	for _, fails := range []bool{false, true} {
		t.Run(fmt.Sprint("fails ", fails), func(t *testing.T) {
			s := startNATS(t)
			offered, goOn := make(chan bool), make(chan bool)
			far := &carrier{offer: func(it drift.Item) (courier.Receipt, error) {
				offered <- true
				<-goOn
				if fails {
					return courier.Receipt{}, fmt.Errorf("away: %w", kaijutsu.ErrUnavailable)
				}
				return courier.Receipt{State: drift.StateDelivered, Block: drift.BlockID(it.ID, it.From)}, nil
			}}
			a, b := newNode(t, "a", s), newNode(t, "b", s)
			until(t, "the nodes see NATS", func() bool { return a.bus.State().Connected && b.bus.State().Connected })
			a.config = func(c *courier.Config) { c.Carrier = far }
			a.Courier.Close()
			a.start()
			from := a.context("from")
			var pushing sync.WaitGroup
			pushing.Go(func() {
				_, err := a.Push(t.Context(), owner, courier.Push{From: from.Doc.Name(), To: "far:plan", Content: "x"})
				if (err != nil) != fails {
					t.Errorf("Push = %v, want it to fail: %v", err, fails)
				}
			})
			<-offered
			b.bring(a, a.records.Doc(), a.queue.Doc(), from.Doc)
			until(t, "b has it", func() bool { return b.Stats().Staged == 1 })
			if got, err := b.Cancel(t.Context(), owner, "1"); !errors.Is(err, kaijutsu.ErrUnavailable) {
				t.Errorf("Cancel = %+v, %v, want ErrUnavailable: it is being offered", got, err)
			}
			close(goOn)
			pushing.Wait()
		})
	}
}

// TestNumbersAfterARestart has two nodes note the last number at once: neither
// note takes the other one's place.
func TestNumbersAfterARestart(t *testing.T) {
	s := startNATS(t)
	a, b := newNode(t, "a", s), newNode(t, "b", s)
	until(t, "the nodes see NATS", func() bool { return a.bus.State().Connected && b.bus.State().Connected })
	from, to := a.context("from"), a.context("to")
	docs := []kaijutsu.DocumentID{a.records.Doc(), a.queue.Doc(), from.Doc, to.Doc}
	b.bring(a, docs...)
	b.stage(owner, from.Doc, to.Doc, "b 1")
	for i := range 40 { // what else nodes note there
		if err := b.queue.Put(t.Context(), owner.By, "read/person/owner/x", []byte(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	b.stage(owner, from.Doc, to.Doc, "b 2")
	for i := range 5 {
		a.stage(owner, from.Doc, to.Doc, fmt.Sprint("a ", i))
	}
	b.bring(a, docs...)
	a.bring(b, docs...)
	until(t, "a has all", func() bool { return a.Stats().Staged == 7 })
	a.flush(owner, from.Doc)
	if err := a.bus.Delete(t.Context(), "drift.number"); err != nil { // NATS was started anew
		t.Fatal(err)
	}
	a.restart()
	if it := a.stage(owner, from.Doc, to.Doc, "after"); it.Number != 8 {
		t.Errorf("number = %d, want 8: 7 were given", it.Number)
	}
}

// TestFlushUnderAnOldLease starts a node again whose lease, from before it was
// killed, is not over yet: its flush goes on when it is.
func TestFlushUnderAnOldLease(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	a, b := newNode(t, "a", s), newNode(t, "b", s)
	until(t, "the nodes see NATS", func() bool { return a.bus.State().Connected && b.bus.State().Connected })
	from, to := a.context("from"), a.context("to")
	a.stage(owner, from.Doc, to.Doc, "x")
	lease, err := b.bus.Hold(t.Context(), "drift."+from.Doc.Name(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	row, err := json.Marshal(map[string]any{"v": 1, "node": "a", "at": time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.queue.Put(t.Context(), records.Mover, "flush/"+from.Doc.String(), row); err != nil {
		t.Fatal(err)
	}
	a.Courier.Close()
	a.start()
	over := time.AfterFunc(6*time.Second, lease.Release) // after the first try is over
	defer over.Stop()
	until(t, "the flush has gone on", func() bool { return a.Stats() == courier.Stats{} })
	same(t, "drifts", a.drifts(to.Doc), []string{"x"})
}
