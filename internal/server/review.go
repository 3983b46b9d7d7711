package server

import (
	"log/slog"
	"maps"
	"slices"
	"sync"

	"kaijutsu"
	"kaijutsu/internal/guard"
)

// reviewer has editors and followers that are connected asked anew what they
// may do, when somebody's right is another now. It has a goroutine of its own:
// whoever changes a right, here or on another node, does not wait for the
// documents' owners. Rights themselves count at once.
type reviewer struct {
	ask   func(kaijutsu.DocumentID) // the zero document stands for all
	woken chan struct{}             // holds a token when there is something to do
	quit  chan struct{}
	ended sync.WaitGroup

	mu   sync.Mutex
	docs map[kaijutsu.DocumentID]struct{} // guarded by mu
}

func startReviewer(log *slog.Logger, ask func(kaijutsu.DocumentID)) *reviewer {
	r := &reviewer{ask: ask, woken: make(chan struct{}, 1), quit: make(chan struct{}), docs: make(map[kaijutsu.DocumentID]struct{})}
	r.ended.Go(guard.Keep(log, "reviewer of rights", r.quit, r.work))
	return r
}

// close ends the reviewer and waits for it.
func (r *reviewer) close() {
	close(r.quit)
	r.ended.Wait()
}

// review has those who are at a document asked, or at any; it returns at once.
func (r *reviewer) review(doc kaijutsu.DocumentID) {
	r.mu.Lock()
	r.docs[doc] = struct{}{}
	r.mu.Unlock()
	select {
	case r.woken <- struct{}{}:
	default:
	}
}

func (r *reviewer) work() {
	for {
		select {
		case <-r.woken:
		case <-r.quit:
			return
		}
		r.mu.Lock()
		docs := slices.Collect(maps.Keys(r.docs))
		clear(r.docs)
		r.mu.Unlock()
		if slices.ContainsFunc(docs, kaijutsu.DocumentID.IsZero) {
			docs = []kaijutsu.DocumentID{{}}
		}
		for _, doc := range docs {
			r.ask(doc)
		}
	}
}

// ask has those who are connected asked anew what they may do with a document,
// or with any: one that may not read it any more is told at once.
func (s *Server) ask(doc kaijutsu.DocumentID) {
	if h := s.later.hub.Load(); h != nil {
		h.Review(doc)
	}
	if doc.IsZero() {
		s.repo.ReviewAll()
		return
	}
	s.repo.Review(doc)
}
