package telemetry

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// scrapeWithin bounds one scrape; scrapesAtOnce how many run at a time.
const (
	scrapeWithin  = 10 * time.Second
	scrapesAtOnce = 2
)

// Metrics are a server's numbers. Its methods are safe for concurrent use, but
// a name may be registered once only: a second time panics, as a programmer's
// mistake.
type Metrics struct {
	registry *prometheus.Registry
}

// NewMetrics returns the numbers of this process, with those of the Go runtime
// and of the process already among them.
func NewMetrics() *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Counter counts up. The zero value counts nothing.
type Counter struct{ vec *prometheus.CounterVec }

// Counter registers a counter whose name ends in _total, with these labels.
func (m *Metrics) Counter(name, help string, labels ...string) Counter {
	if m == nil {
		return Counter{}
	}
	vec := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	m.registry.MustRegister(vec)
	return Counter{vec}
}

// Add adds n, which is not negative, under a value for each label.
func (c Counter) Add(n float64, values ...string) {
	if c.vec != nil {
		c.vec.WithLabelValues(values...).Add(n)
	}
}

// Histogram counts observations by size. The zero value counts nothing.
type Histogram struct{ vec *prometheus.HistogramVec }

// Histogram registers a histogram with these upper bounds, in ascending order,
// in the unit that its name ends with.
func (m *Metrics) Histogram(name, help string, bounds []float64, labels ...string) Histogram {
	if m == nil {
		return Histogram{}
	}
	vec := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: bounds}, labels)
	m.registry.MustRegister(vec)
	return Histogram{vec}
}

// Observe counts one observation under a value for each label.
func (h Histogram) Observe(v float64, values ...string) {
	if h.vec != nil {
		h.vec.WithLabelValues(values...).Observe(v)
	}
}

// Seconds are the bounds of latencies, from a tenth of a millisecond to a
// minute. The caller must not change them.
var Seconds = []float64{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}

// OnScrape has read called at every scrape, for numbers that are kept
// elsewhere. Several scrapes may call it at a time.
func (m *Metrics) OnScrape(read func(*Scrape)) {
	if m != nil {
		m.registry.MustRegister(scraped{read})
	}
}

// Handler serves the numbers as Prometheus and OpenMetrics read them. What
// cannot be collected is logged, and the rest served.
func (m *Metrics) Handler(log *slog.Logger) http.Handler {
	if m == nil {
		return http.NotFoundHandler()
	}
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog:            slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ErrorHandling:       promhttp.ContinueOnError,
		MaxRequestsInFlight: scrapesAtOnce,
		Timeout:             scrapeWithin,
		EnableOpenMetrics:   true,
	})
}
