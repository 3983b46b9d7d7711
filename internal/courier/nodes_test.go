package courier_test

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/flowbus"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/repo"
)

// startNATS runs a NATS server in this process.
func startNATS(t testing.TB) *server.Server {
	t.Helper()
	srv, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true,
		JetStream: true, JetStreamMaxMemory: 64 << 20, JetStreamMaxStore: 1 << 30, StoreDir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	srv.Start()
	if !srv.ReadyForConnections(patience) {
		t.Fatal("the NATS server is not ready")
	}
	t.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	return srv
}

// newNode returns a world that is one node of several. What others commit comes
// when the test brings it.
func newNode(t testing.TB, name string, s *server.Server) *world {
	t.Helper()
	bus, err := flowbus.Open(t.Context(), flowbus.Config{
		Log: slog.New(slog.DiscardHandler), Kernel: "main", Node: name, Servers: []string{s.ClientURL()}, Dir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bus.Close() })
	w := &world{t: t, dir: t.TempDir(), bus: bus}
	w.open()
	t.Cleanup(w.close)
	return w
}

// bring has a world take over what another one holds of some documents.
func (w *world) bring(from *world, docs ...kaijutsu.DocumentID) {
	for _, doc := range docs {
		changes, err := from.repo.Raw(w.t.Context(), doc, 0, 1<<20)
		if errors.Is(err, kaijutsu.ErrNotFound) {
			continue
		}
		if err != nil {
			w.t.Error(err)
			return
		}
		origin, err := from.repo.Origin(w.t.Context(), doc)
		if err != nil {
			w.t.Error(err)
			return
		}
		d := repo.Delivery{Node: "other", Signers: make(map[kaijutsu.ActorID]repo.Signer), Base: origin.Base, Anchor: origin.Anchor}
		for _, c := range changes {
			decoded, err := amfile.DecodeChange(c.Raw)
			if err != nil {
				w.t.Error(err)
				return
			}
			d.Changes = append(d.Changes, decoded)
			d.Signers[c.Author()] = repo.Signer{By: c.By, Via: c.Via}
		}
		if _, err := w.repo.Absorb(w.t.Context(), doc, d); err != nil {
			w.t.Error(err)
		}
	}
}

// TestCancelAtAnotherNode cancels at one node while another flushes, with the
// changes of each coming to the other late: each item is delivered or cancelled,
// and both nodes agree.
func TestCancelAtAnotherNode(t *testing.T) {
	s := startNATS(t)
	a, b := newNode(t, "a", s), newNode(t, "b", s)
	until(t, "the nodes see NATS", func() bool { return a.bus.State().Connected && b.bus.State().Connected })
	from, to := a.context("from"), a.context("to")
	const n = 30
	for i := range n {
		a.stage(owner, from.Doc, to.Doc, fmt.Sprintf("%02d", i))
	}
	docs := []kaijutsu.DocumentID{a.records.Doc(), a.queue.Doc(), from.Doc, to.Doc}
	b.bring(a, docs...)
	until(t, "b has the queue", func() bool { return b.Stats().Staged == n })
	stop := make(chan struct{})
	var carrying, cancelling sync.WaitGroup
	carrying.Go(func() { // what the cluster does, late
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				b.bring(a, docs...)
				a.bring(b, docs...)
			}
		}
	})
	var mu sync.Mutex
	said := make(map[string]drift.State)
	cancelling.Go(func() {
		for i := n; i > 0; i-- {
			got, err := b.Cancel(t.Context(), owner, fmt.Sprint(i))
			if err != nil && !errors.Is(err, kaijutsu.ErrNotFound) {
				t.Errorf("cancel %d: %v", i, err)
			}
			if err == nil {
				mu.Lock()
				said[got.ID] = got.State
				mu.Unlock()
			}
		}
	})
	for i := range n { // one by one, so that the nodes take turns
		if _, err := a.Flush(t.Context(), owner, fmt.Sprint("#", i+1)); err != nil && !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("flush %d: %v", i+1, err)
		}
	}
	cancelling.Wait()
	a.flush(owner, from.Doc)
	b.flush(owner, from.Doc)
	until(t, "both queues are empty", func() bool { return a.Stats() == courier.Stats{} && b.Stats() == courier.Stats{} })
	close(stop)
	carrying.Wait()
	b.bring(a, docs...)
	a.bring(b, docs...)
	got := a.drifts(to.Doc)
	same(t, "drifts at the other node", b.drifts(to.Doc), got)
	seen := make(map[string]bool)
	cancelled := 0
	for _, block := range a.shown(to.Doc) {
		m, _ := drift.ParseMeta(block.Meta)
		if seen[m.DriftID] {
			t.Errorf("drift %s is there twice", m.DriftID)
		}
		seen[m.DriftID] = true
	}
	for id, state := range said {
		if state == drift.StateCancelled {
			cancelled++
		}
		if seen[id] != (state == drift.StateDelivered) {
			t.Errorf("cancel of %s said %s, and it was delivered: %v", id, state, seen[id])
		}
	}
	if len(seen)+cancelled != n {
		t.Errorf("%d delivered and %d cancelled of %d", len(seen), cancelled, n)
	}
	t.Logf("%d delivered, %d cancelled", len(seen), cancelled)
}

// TestTwoNodesFlush has both flush the same items without knowing of each other,
// as when NATS is away: each becomes one block.
func TestTwoNodesFlush(t *testing.T) {
	a, b := newWorld(t), newWorld(t)
	from, to := a.context("from"), a.context("to")
	for i := range 10 {
		a.stage(owner, from.Doc, to.Doc, fmt.Sprint(i))
	}
	docs := []kaijutsu.DocumentID{a.records.Doc(), a.queue.Doc(), from.Doc, to.Doc}
	b.bring(a, docs...)
	until(t, "b has the queue", func() bool { return b.Stats().Staged == 10 })
	a.flush(owner, from.Doc)
	b.flush(owner, from.Doc)
	b.bring(a, docs...)
	a.bring(b, docs...)
	got := a.drifts(to.Doc)
	if len(got) != 10 {
		t.Errorf("drifts = %v, want 10", got)
	}
	same(t, "drifts at the other node", b.drifts(to.Doc), got)
}
