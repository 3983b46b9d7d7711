package repo_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// TestUnknownDocumentsAreFetched opens documents that only another repo has, in
// every way there is, many at a time.
func TestUnknownDocumentsAreFetched(t *testing.T) {
	from := open(t, t.TempDir(), nil)
	var h *house
	var fetched atomic.Int32
	var mu sync.Mutex
	under := make(map[kaijutsu.DocumentID]bool) // documents being fetched; guarded by mu
	fetch := func(ctx context.Context, doc kaijutsu.DocumentID) bool {
		mu.Lock()
		if under[doc] {
			t.Errorf("document %s is fetched twice at a time", doc)
		}
		under[doc] = true
		mu.Unlock()
		defer func() {
			mu.Lock()
			delete(under, doc)
			mu.Unlock()
		}()
		fetched.Add(1)
		if here, err := from.repo.Exists(ctx, doc); err != nil || !here {
			return false
		}
		absorbAll(t, h.repo, doc, []repo.Delivery{whole(t, from.repo, doc)})
		return true
	}
	h = open(t, t.TempDir(), func(c *repo.Config, _ *store.Options) { c.Fetch, c.UnavailableAfter = fetch, time.Millisecond })
	for name, use := range map[string]func(doc kaijutsu.DocumentID) error{
		"View": func(doc kaijutsu.DocumentID) error {
			return h.repo.View(t.Context(), doc, func(repo.View) error { return nil })
		},
		"Edit": func(doc kaijutsu.DocumentID) error {
			_, err := h.repo.Edit(t.Context(), doc, repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error { return tx.SetTitle("New") })
			return err
		},
		"Fork": func(doc kaijutsu.DocumentID) error {
			_, err := h.repo.Fork(t.Context(), amy, doc, nil, "Fork")
			return err
		},
		"Export": func(doc kaijutsu.DocumentID) error {
			_, err := h.repo.Export(t.Context(), doc)
			return err
		},
		"Watch": func(doc kaijutsu.DocumentID) error {
			w, err := h.repo.Watch(t.Context(), doc)
			if err == nil {
				w.Close()
				var here bool
				if here, err = h.repo.Exists(t.Context(), doc); err == nil && !here {
					err = kaijutsu.ErrNotFound
				}
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			doc := newContext(t, from.repo, "Plan")
			fetched.Store(0)
			var crowd sync.WaitGroup
			for range 8 {
				crowd.Go(func() {
					if err := use(doc); err != nil {
						t.Error(err)
					}
				})
			}
			crowd.Wait()
			if fetched.Load() == 0 {
				t.Error("the document was not fetched")
			}
			if err := use(newDocument(t)); !errors.Is(err, kaijutsu.ErrNotFound) {
				t.Errorf("with a document that nobody has: %v, want ErrNotFound", err)
			}
		})
	}
	t.Run("Join", func(t *testing.T) {
		doc := newContext(t, from.repo, "Plan")
		asker, lost := newReplica(t), newReplica(t)
		asker.join(h, doc)
		asker.until("the asker has the document", func() bool { return asker.graph.Heads().Equal(headsOf(t, from.repo, doc)) })
		lost.join(h, newDocument(t))
		lost.until("the asker is told that nobody has it", func() bool { return lost.last.Unavailable })
	})
}

// TestFetchIsBounded asks for a document of somebody who never answers.
func TestFetchIsBounded(t *testing.T) {
	var asked atomic.Int32
	h := open(t, t.TempDir(), func(c *repo.Config, _ *store.Options) {
		c.FetchTimeout, c.UnavailableAfter = 20*time.Millisecond, time.Millisecond
		c.Fetch = func(ctx context.Context, _ kaijutsu.DocumentID) bool {
			asked.Add(1)
			<-ctx.Done()
			return false
		}
	})
	err := h.repo.View(t.Context(), newDocument(t), func(repo.View) error { return nil })
	if !errors.Is(err, kaijutsu.ErrNotFound) || asked.Load() != 1 {
		t.Errorf("View = %v after asking %d times, want ErrNotFound after 1", err, asked.Load())
	}
	asker := newReplica(t)
	asker.join(h, newDocument(t))
	asker.until("the asker is told", func() bool { return asker.last.Unavailable })

	h = open(t, t.TempDir(), func(c *repo.Config, _ *store.Options) {
		c.Fetch = func(ctx context.Context, _ kaijutsu.DocumentID) bool {
			asked.Add(1)
			<-ctx.Done()
			return false
		}
	})
	asked.Store(0)
	done := make(chan error)
	go func() { done <- h.repo.View(t.Context(), newDocument(t), func(repo.View) error { return nil }) }()
	eventually(t, "it is asked for", func() bool { return asked.Load() == 1 })
	h.close(t) // ends what would last for long
	if err := <-done; !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("View while the repo closes = %v, want ErrNotFound", err)
	}
}

// TestAdmitHoldsBackWhatIsMadeHere lets nothing in but what other nodes bring.
func TestAdmitHoldsBackWhatIsMadeHere(t *testing.T) {
	var full atomic.Bool
	var free = make(chan struct{})
	h := open(t, t.TempDir(), func(c *repo.Config, _ *store.Options) {
		c.Admit = func(ctx context.Context) error {
			if !full.Load() {
				return nil
			}
			select {
			case <-free:
				return nil
			case <-ctx.Done():
				return kaijutsu.ErrUnavailable
			}
		}
	})
	from := open(t, t.TempDir(), nil)
	doc, other := newContext(t, h.repo, "Plan"), newContext(t, from.repo, "Other")
	peer := newReplica(t)
	peer.join(h, doc)
	peer.until("the peer has the document", func() bool { return peer.graph.Heads().Equal(headsOf(t, h.repo, doc)) })
	full.Store(true)
	soon, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := h.repo.Edit(soon, doc, repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error { return tx.SetTitle("New") })
	if !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("Edit = %v, want ErrUnavailable", err)
	}
	if _, err := h.repo.Fork(soon, amy, doc, nil, ""); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("Fork = %v, want ErrUnavailable", err)
	}
	wantContents(t, h.repo, doc, "Plan")
	absorbAll(t, h.repo, other, []repo.Delivery{whole(t, from.repo, other)})
	wantContents(t, h.repo, other, "Other")
	reader := newReplica(t)
	reader.join(h, doc) // it brings nothing
	reader.until("the reader has the document", func() bool { return reader.graph.Heads().Equal(headsOf(t, h.repo, doc)) })
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		peer.put(1)
		peer.push()
	}()
	close(free)
	<-sent
	eventually(t, "the peer's change is taken", func() bool { return headsOf(t, h.repo, doc).Equal(peer.graph.Heads()) })
}
