package repo

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"kaijutsu"
)

// errNotHere says that a document is unknown; other nodes may have it.
var errNotHere = fmt.Errorf("there is no such document: %w", kaijutsu.ErrNotFound)

func (d *document) notHere() error { return fmt.Errorf("document %s: %w", d.id, errNotHere) }

// fetches are the documents that are being got from elsewhere.
type fetches struct {
	mu  sync.Mutex
	now map[kaijutsu.DocumentID]*fetching // guarded by mu
}

type fetching struct {
	done chan struct{} // closed when it is over
	here bool          // what came of it
}

// orFetch calls f, and once more if that fails because the document is not
// here and it is got from elsewhere.
func (r *Repo) orFetch(ctx context.Context, id kaijutsu.DocumentID, f func() error) error {
	err := f()
	if !errors.Is(err, errNotHere) || !r.fetch(ctx, id) {
		return err
	}
	return f()
}

// fetch gets a document from elsewhere and reports whether it is here now. Who
// asks while another waits, waits with it. It must not be called by an owner.
func (r *Repo) fetch(ctx context.Context, id kaijutsu.DocumentID) bool {
	if r.cfg.Fetch == nil || id.IsZero() {
		return false
	}
	r.fetches.mu.Lock()
	f := r.fetches.now[id]
	if f == nil {
		f = &fetching{done: make(chan struct{})}
		if r.fetches.now == nil {
			r.fetches.now = make(map[kaijutsu.DocumentID]*fetching)
		}
		if !r.run(func() { r.runFetch(id, f) }) {
			r.fetches.mu.Unlock()
			return false
		}
		r.fetches.now[id] = f
	}
	r.fetches.mu.Unlock()
	select {
	case <-f.done:
		return f.here
	case <-ctx.Done():
		return false
	}
}

func (r *Repo) runFetch(id kaijutsu.DocumentID, f *fetching) {
	ctx, cancel := context.WithTimeout(r.life, r.cfg.FetchTimeout)
	defer cancel()
	f.here = r.cfg.Fetch(ctx, id)
	r.fetches.mu.Lock()
	delete(r.fetches.now, id)
	r.fetches.mu.Unlock()
	close(f.done)
}

// fetchForPeer gets a document that a peer asks for, if it is not here.
func (r *Repo) fetchForPeer(d *document) {
	if r.cfg.Fetch == nil {
		return
	}
	unknown := false
	err := d.call(r.life, func(d *document) error {
		unknown = d.graph.Len() == 0
		return nil
	})
	if err == nil && unknown {
		r.fetch(r.life, d.id)
	}
}
