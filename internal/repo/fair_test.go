package repo_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"kaijutsu/internal/amfile"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// TestInboxIsShared holds the owner up and sends more than a session may have
// waiting: the sender waits, and others still get their message in.
func TestInboxIsShared(t *testing.T) {
	id := newDocument(t)
	h := open(t, t.TempDir(), nil)
	loud, calm := newReplica(t), newReplica(t)
	loud.put(1)
	loud.join(h, id)
	calm.join(h, id)
	loud.until("both have the change", func() bool { return calm.graph.Len() == 1 })

	held, free := make(chan struct{}), make(chan struct{})
	viewed := make(chan error, 1)
	go func() {
		viewed <- h.repo.View(t.Context(), id, func(repo.View) error {
			close(held)
			<-free
			return nil
		})
	}()
	<-held
	m := &amfile.SyncMessage{Version: 1, Heads: loud.graph.Heads(), Have: []amfile.Have{{}}}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	sent := 0
	for ; sent < 100; sent++ {
		ctx := t.Context()
		if sent >= 2 {
			ctx = ended
		}
		if err := loud.session.Receive(ctx, m, nil, false); err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("Receive of a message too many = %v, want context.Canceled", err)
			}
			break
		}
	}
	if sent != 2 {
		t.Errorf("%d messages of one session wait in the inbox, want 2", sent)
	}
	if err := calm.session.Receive(t.Context(), m, nil, false); err != nil {
		t.Errorf("Receive of another session = %v, want nil", err)
	}
	close(free)
	if err := <-viewed; err != nil {
		t.Fatal(err)
	}
	for range 5 { // the turns come back
		if err := loud.session.Receive(t.Context(), m, nil, false); err != nil {
			t.Fatalf("Receive when the owner goes on = %v", err)
		}
	}
	h.close(t)
}

// TestEmptyDocumentsCount opens many documents that nobody has: they are held
// to the budget like others.
func TestEmptyDocumentsCount(t *testing.T) {
	const budget, opened = 1 << 20, 500
	h := open(t, t.TempDir(), func(c *repo.Config, _ *store.Options) { c.BudgetBytes = budget })
	for range opened {
		if heads, err := h.repo.Heads(t.Context(), newDocument(t)); err != nil || len(heads) > 0 {
			t.Fatalf("Heads = %v, %v", heads, err)
		}
	}
	eventually(t, "documents beyond the budget are closed", func() bool {
		s := h.repo.Stats()
		return s.Bytes <= budget && s.Open < opened/2
	})
	h.close(t)
}

// TestEstimateIsExact opens and closes documents from many sides: what is said
// that they take, by which it is known whether some have to go, is what they take.
func TestEstimateIsExact(t *testing.T) {
	h := open(t, t.TempDir(), func(c *repo.Config, _ *store.Options) { c.BudgetBytes = 200 << 10 })
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				if _, err := h.repo.Heads(t.Context(), newDocument(t)); err != nil {
					t.Errorf("Heads = %v", err)
					return
				}
				if said, counted := h.repo.Estimated(); said != counted {
					t.Errorf("open documents are said to take %d bytes, and take %d", said, counted)
					return
				}
			}
		})
	}
	all.Wait()
	h.close(t)
}
