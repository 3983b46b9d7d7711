package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/telemetry"
)

// Watching says how others see the server fare. The zero value: by /healthz
// and /readyz alone.
type Watching struct {
	// Metrics serves /metrics beside everything else, to the owner.
	Metrics bool
	// MetricsListen is a host:port that serves /metrics alone, to anybody; ""
	// for none.
	MetricsListen string
	// Traces is the URL of a collector of OpenTelemetry traces, "" for none;
	// Share is the share of traces that are kept, 0 for all.
	Traces string
	Share  float64
	// Stage is told of each stage of the start as it begins, and must return at
	// once; nil: nobody is told.
	Stage func(name string)
}

const metricsPath = "/metrics"

// operationSeconds are the bounds of how long operations take: there are many
// operations, and each has its own.
var operationSeconds = []float64{0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30}

// measures are the numbers that are made in this package; all may be nil, when
// nobody asked for them.
type measures struct {
	all       *telemetry.Metrics
	own       *http.Server // of MetricsListen
	listening string       // its address

	operations telemetry.Counter
	took       telemetry.Histogram
	acks       telemetry.Histogram
	changes    telemetry.Counter
	bytes      telemetry.Counter
}

func newMeasures(w Watching) (m measures) {
	if !w.Metrics && w.MetricsListen == "" {
		return m
	}
	m.all = telemetry.NewMetrics()
	m.operations = m.all.Counter("kaijutsu_operations_total", "Calls of operations, by what came of them.", "operation", "door", "outcome")
	m.took = m.all.Histogram("kaijutsu_operation_duration_seconds", "How long calls of operations took.", operationSeconds, "operation")
	m.acks = m.all.Histogram("kaijutsu_edit_durable_seconds", "From the arrival of an editor's changes to their being on disk, when they may be acknowledged; of the oldest in each batch.", telemetry.Seconds)
	m.changes = m.all.Counter("kaijutsu_changes_total", "Changes made durable, by where they came from.", "origin")
	m.bytes = m.all.Counter("kaijutsu_change_bytes_total", "Bytes of changes made durable, by where they came from.", "origin")
	return m
}

// measure has the numbers of the other parts collected at every scrape, and
// serves them where they have an address of their own.
func (s *Server) measure() error {
	if s.metrics.all == nil {
		return nil
	}
	s.metrics.all.OnScrape(s.scrape)
	at := s.cfg.Watching.MetricsListen
	if at == "" {
		return nil
	}
	ln, err := net.Listen("tcp", at)
	if err != nil {
		return fmt.Errorf("listen on %s for metrics: %w", at, err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET "+metricsPath, s.metrics.all.Handler(s.log))
	s.metrics.own = &http.Server{
		Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		ReadTimeout: readWithin, WriteTimeout: readWithin,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	s.log.Info("metrics served", "url", "http://"+reachable(ln.Addr().String())+metricsPath)
	s.metrics.listening = ln.Addr().String()
	go func() { // ends with its listener, in drain
		if err := s.metrics.own.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("metrics not served any more", "err", err)
		}
	}()
	return nil
}

// observe measures one call of an operation, and makes a span of it.
func (s *Server) observe(ctx context.Context, c op.Call, name string) (context.Context, func(op.Record)) {
	known := s.counted(name)
	ctx, span := s.traces.Begin(ctx, "operation "+known, slog.String("kaijutsu.operation", known), slog.String("kaijutsu.door", c.Door))
	return ctx, func(r op.Record) {
		outcome := "ok"
		if r.Problem != nil {
			outcome = r.Problem.Kind
			span.End(outcome)
		} else {
			span.End("")
		}
		s.metrics.operations.Add(1, known, c.Door, outcome)
		s.metrics.took.Observe(r.Took.Seconds(), known)
	}
}

// counted returns the name of an operation that there is, so that strangers make
// no names of metrics.
func (s *Server) counted(name string) string {
	for _, o := range s.set.All() {
		if o.Name == name {
			return name
		}
	}
	return "unknown"
}

// batch measures what was made durable of a document. Its owner calls it.
func (s *Server) batch(b repo.Batch) {
	origin := "local"
	if b.Remote {
		origin = "node"
	}
	s.metrics.changes.Add(float64(b.Changes), origin)
	s.metrics.bytes.Add(float64(b.Bytes), origin)
	if b.Began.IsZero() {
		return
	}
	s.metrics.acks.Observe(b.Took.Seconds())
	s.traces.Past("sync batch", b.Began, b.Took, "",
		slog.Int("kaijutsu.changes", b.Changes), slog.Int("kaijutsu.bytes", b.Bytes), slog.String("kaijutsu.origin", origin))
}

// ownerOnly serves who owns this server, by its token or from this machine.
func (s *Server) ownerOnly(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := s.gate.identify(r)
		if err == nil && (c.By != ownerPrincipal && c.By != localPrincipal || c.Right < kaijutsu.RightOwn || c.Bounds != nil) {
			err = fmt.Errorf("%s: %w: it takes the owner's token, which is in owner.token in the data directory", r.URL.Path, kaijutsu.ErrDenied)
		}
		if err != nil {
			refuseOwn(w, err)
			return
		}
		h.ServeHTTP(w, r)
	})
}
