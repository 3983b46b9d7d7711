package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/door/httpdoor"
	"kaijutsu/internal/link"
)

const (
	readyPath = "/readyz"
	// startWait is how long a request that comes during the start waits for
	// its end: editors that are refused come again after seconds only.
	startWait = 5 * time.Second
	// startWaiters is how many requests wait so at a time.
	startWaiters = 1000
)

var errStarting = fmt.Errorf("the server is starting: %w: try again in a moment; %s?verbose tells how far it is", kaijutsu.ErrUnavailable, readyPath)

// front is what the listener serves: from the first moment on who asks how the
// server fares, and everything else as soon as its parts are open.
type front struct {
	s       *Server
	waiting chan struct{} // a token for each request that waits
	routes  http.Handler  // set before progress.open is closed
}

func newFront(s *Server) *front { return &front{s: s, waiting: make(chan struct{}, startWaiters)} }

// ServeHTTP answers a request.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case link.WhoPath:
		f.s.serveAlive(w, r)
	case readyPath:
		f.s.serveReady(w, r)
	default:
		if !f.await(r.Context()) {
			w.Header().Set("Retry-After", "1")
			httpdoor.WriteError(w, errStarting)
			return
		}
		f.routes.ServeHTTP(w, r)
	}
}

// await reports whether there are routes, waiting for them a while.
func (f *front) await(ctx context.Context) bool {
	open := f.s.progress.open
	select {
	case <-open:
		return f.routes != nil
	default:
	}
	select {
	case f.waiting <- struct{}{}:
		defer func() { <-f.waiting }()
	default:
		return false
	}
	late := time.NewTimer(startWait)
	defer late.Stop()
	select {
	case <-open:
		return f.routes != nil
	case <-late.C:
	case <-ctx.Done():
	}
	return false
}

// serveAlive says that the process lives, and which kernel it serves.
func (s *Server) serveAlive(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set(link.KernelHeader, s.cfg.Kernel) // for those who have a link to this address
	fmt.Fprintln(w, "ok")
}

// readiness is whether the server takes edits now; why says why not, in words
// for strangers.
type readiness struct {
	phase  phase
	stages []stageState
	why    string
}

func (r readiness) ok() bool { return r.why == "" }

// readiness finds it out.
func (s *Server) readiness() (r readiness) {
	r.phase, r.stages = s.progress.now()
	switch {
	case r.phase == starting:
		r.why = "starting"
	case r.phase == draining:
		r.why = "draining"
	case s.store.Trouble() != nil:
		r.why = "read-only: the disk is full, failing or damaged; the log and kj status say more"
	}
	return r
}

// serveReady answers whether edits are taken: 200, or 503 and why not. With
// ?verbose it tells the stages of the start and how long each took, as JSON to
// who accepts that.
func (s *Server) serveReady(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	now := s.readiness()
	h, status := w.Header(), http.StatusOK
	h.Set("Cache-Control", "no-store")
	if !now.ok() {
		status = http.StatusServiceUnavailable
		h.Set("Retry-After", "1")
	}
	verbose := r.URL.Query().Has("verbose")
	body, kind := now.text(verbose), "text/plain; charset=utf-8"
	if verbose && strings.Contains(r.Header.Get("Accept"), "application/json") {
		body, kind = now.json(s.progress.readyAfter()), "application/json; charset=utf-8"
	}
	h.Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body)) // whoever asked has gone
}

// Alive returns nil when the parts that everything goes through answer. It may
// hang when they do; then it returns ctx's error when ctx ends. It is what a
// watchdog asks.
func (s *Server) Alive(ctx context.Context) error {
	answered := make(chan struct{})
	go func() { // ends with the process when what it asks is stuck for good
		defer close(answered)
		s.repo.Stats()
		s.peers.Stats()
		s.hub.Stats()
		_, _ = s.store.Record(kernelRecord) // that it answers matters, not what
	}()
	select {
	case <-answered:
		return nil
	case <-ctx.Done():
		return errors.Join(errStuck, ctx.Err())
	}
}

var errStuck = fmt.Errorf("the server does not answer itself: %w", kaijutsu.ErrUnavailable)
