package server

import (
	"log/slog"
	"net/http"
	"time"

	"kaijutsu/internal/repo"
	"kaijutsu/internal/telemetry"
)

// openTraces starts sending traces, when they are asked for.
func (s *Server) openTraces() (err error) {
	w := s.cfg.Watching
	if w.Traces == "" {
		return nil
	}
	node := s.cfg.NodeName
	if node == "" {
		node = s.ln.Addr().String()
	}
	s.traces, err = telemetry.OpenTraces(telemetry.TraceConfig{
		URL: w.Traces, Sample: w.Share, Version: s.cfg.Version, Kernel: s.cfg.Kernel, Node: node, Log: s.log,
	})
	return err
}

// took returns what measures the batches of documents, nil when nobody asked.
func (s *Server) took() func(repo.Batch) {
	if s.metrics.all == nil && s.traces == nil {
		return nil
	}
	return s.batch
}

// traced has what a request does belong to the trace of who sent it.
func (s *Server) traced(h http.Handler) http.Handler {
	if s.traces == nil {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(s.traces.Caller(r)))
	})
}

// wrote returns what makes a span of each transaction that is on disk, nil when
// nobody asked.
func (s *Server) wrote() func(began time.Time, took time.Duration, writes, bytes int) {
	if s.traces == nil {
		return nil
	}
	return func(began time.Time, took time.Duration, writes, bytes int) {
		s.traces.Past("commit", began, took, "", slog.Int("kaijutsu.writes", writes), slog.Int("kaijutsu.bytes", bytes))
	}
}
