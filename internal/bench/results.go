package bench

import (
	"math"
	"slices"
	"time"
)

// section is what one workload measured, of all contestants and rounds.
type section struct {
	name     string
	began    time.Time
	rounds   int
	duration time.Duration // of its recordings
	quick    bool
	machine  string
	load     string // the machine's load average before it
	servers  []server
	rows     []*row
	spreads  []distribution
	failures []failure
	costs    []generatorCost
	warnings []string
}

// server is a contestant, as a report knows it.
type server struct{ name, about string }

// row is one row of a table: for each contestant a value a round.
type row struct {
	name   string
	values map[string][]float64 // by contestant
}

// distribution is how what was measured in one round was spread.
type distribution struct {
	contestant, row string
	count           int
	millis          []float64 // at the quantiles of distributed
}

// distributed are the quantiles that are kept of everything that is measured.
var distributed = []float64{0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1}

// failure is why a contestant did not do a workload, or not all of it.
type failure struct{ contestant, why string }

// generatorCost is what the load generator itself took in a part of a workload.
type generatorCost struct {
	contestant, part string
	self, others     float64 // percent of one core
	late99           float64 // milliseconds that timers fired late; NaN without timers
}

// begin notes what a round begins with.
func (s *section) begin(machine string, opt Options) {
	if s.began.IsZero() {
		s.began, s.machine, s.load, s.duration, s.quick = time.Now(), machine, loadAverage(), opt.For, opt.Quick
	}
}

// enlist adds a contestant, in the order of all.
func (s *section) enlist(all []contestant, c contestant) {
	if slices.ContainsFunc(s.servers, func(other server) bool { return other.name == c.name }) {
		return
	}
	place := func(name string) int { return slices.IndexFunc(all, func(o contestant) bool { return o.name == name }) }
	i := 0
	for i < len(s.servers) && place(s.servers[i].name) < place(c.name) {
		i++
	}
	s.servers = slices.Insert(s.servers, i, server{c.name, c.about})
}

func (s *section) row(name string) *row {
	for _, r := range s.rows {
		if r.name == name {
			return r
		}
	}
	return nil
}

func (s *section) note(contestant, name string, value float64) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return
	}
	r := s.row(name)
	if r == nil {
		r = &row{name, make(map[string][]float64)}
		s.rows = append(s.rows, r)
	}
	r.values[contestant] = append(r.values[contestant], value)
}

// distribution keeps the quantiles of what was measured. It sorts took.
func (s *section) distribution(contestant, row string, took []time.Duration) {
	if len(took) == 0 {
		return
	}
	d := distribution{contestant: contestant, row: row, count: len(took)}
	for _, q := range distributed {
		d.millis = append(d.millis, quantile(took, q))
	}
	s.spreads = append(s.spreads, d)
}

func (s *section) fail(contestant, why string) {
	s.failures = append(s.failures, failure{contestant, why})
}

// failed returns why a contestant failed last; empty if it did not.
func (s *section) failed(contestant string) string {
	for _, f := range slices.Backward(s.failures) {
		if f.contestant == contestant {
			return f.why
		}
	}
	return ""
}

func (s *section) cost(contestant, part string, c cost, late []time.Duration) generatorCost {
	g := generatorCost{
		contestant: contestant, part: part,
		self: c.percent(c.self), others: c.percent(c.others), late99: quantile(late, 0.99),
	}
	s.costs = append(s.costs, g)
	return g
}

// median returns the median of a row's values of a contestant.
func (s *section) median(name, contestant string) (float64, bool) {
	r := s.row(name)
	if r == nil {
		return 0, false
	}
	all, ok := spreadOf(r.values[contestant])
	return all.median, ok
}
