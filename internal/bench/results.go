package bench

import (
	"math"
	"slices"
	"time"
)

// results are the values of all rounds, in the order of their first note.
type results struct {
	sections []*section
	warnings []string
	costs    []generatorCost
}

// section is what one scenario measured.
type section struct {
	scenario scenario
	metrics  []*metric
}

// metric is one row: for each contestant a value a round.
type metric struct {
	name   string
	values map[string][]float64 // by contestant
}

// generatorCost is what the load generator itself took in one scenario.
type generatorCost struct {
	scenario, contestant string
	self, others         float64 // percent of one core
	late99               float64 // milliseconds that timers fired late; NaN without timers
}

func (r *results) section(s scenario) *section {
	for _, sec := range r.sections {
		if sec.scenario.name == s.name {
			return sec
		}
	}
	sec := &section{scenario: s}
	r.sections = append(r.sections, sec)
	return sec
}

func (s *section) note(contestant, name string, value float64) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return
	}
	i := slices.IndexFunc(s.metrics, func(m *metric) bool { return m.name == name })
	if i < 0 {
		i = len(s.metrics)
		s.metrics = append(s.metrics, &metric{name, make(map[string][]float64)})
	}
	m := s.metrics[i]
	m.values[contestant] = append(m.values[contestant], value)
}

func (r *results) cost(scenario, contestant string, c cost, late []time.Duration) generatorCost {
	g := generatorCost{
		scenario: scenario, contestant: contestant,
		self: c.percent(c.self), others: c.percent(c.others), late99: quantile(late, 0.99),
	}
	r.costs = append(r.costs, g)
	return g
}
