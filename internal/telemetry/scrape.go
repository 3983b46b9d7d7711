package telemetry

import "github.com/prometheus/client_golang/prometheus"

// Scrape takes the numbers of one scrape. Labels are pairs of name and value;
// a metric has the same names, and the same help, each time. It is not safe for
// concurrent use.
type Scrape struct {
	out chan<- prometheus.Metric
}

// Gauge tells a number that goes up and down.
func (s *Scrape) Gauge(name, help string, v float64, labels ...string) {
	s.tell(prometheus.GaugeValue, name, help, v, labels)
}

// Counter tells a number that goes up, from the start of the process on.
func (s *Scrape) Counter(name, help string, v float64, labels ...string) {
	s.tell(prometheus.CounterValue, name, help, v, labels)
}

// Histogram tells observations: counts[i] of them were at most bounds[i] and
// more than bounds[i-1]; what counts holds beyond bounds were larger. sum is
// what they were together.
func (s *Scrape) Histogram(name, help string, bounds []float64, counts []uint64, sum float64, labels ...string) {
	names, values := split(labels)
	upTo, total := make(map[float64]uint64, len(bounds)), uint64(0)
	for i, n := range counts {
		if total += n; i < len(bounds) {
			upTo[bounds[i]] = total
		}
	}
	m, err := prometheus.NewConstHistogram(prometheus.NewDesc(name, help, names, nil), total, sum, upTo, values...)
	s.put(name, m, err)
}

func (s *Scrape) tell(kind prometheus.ValueType, name, help string, v float64, labels []string) {
	names, values := split(labels)
	m, err := prometheus.NewConstMetric(prometheus.NewDesc(name, help, names, nil), kind, v, values...)
	s.put(name, m, err)
}

func (s *Scrape) put(name string, m prometheus.Metric, err error) {
	if err != nil {
		m = prometheus.NewInvalidMetric(prometheus.NewDesc(name, "invalid", nil, nil), err)
	}
	s.out <- m
}

// split separates names from values; a name without a value is left out.
func split(pairs []string) (names, values []string) {
	for i := 0; i+1 < len(pairs); i += 2 {
		names, values = append(names, pairs[i]), append(values, pairs[i+1])
	}
	return names, values
}

// scraped is a collector of numbers that are kept elsewhere. It describes
// nothing beforehand, which the library allows: what it tells is checked at
// each scrape.
type scraped struct{ read func(*Scrape) }

// Describe describes nothing.
func (scraped) Describe(chan<- *prometheus.Desc) {}

// Collect tells the numbers of now.
func (c scraped) Collect(out chan<- prometheus.Metric) { c.read(&Scrape{out}) }
