package bench

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// generator writes what the load generator took, and everybody else.
func (r *Report) generator(b *bytes.Buffer) {
	b.WriteString("\n### The load generator and the machine\n\n")
	b.WriteString("| workload | server | generator CPU, % of one core | its timers late, p99, ms | all other processes, % of one core |\n|---|---|---:|---:|---:|\n")
	for _, s := range r.sections {
		for _, c := range s.servers {
			var parts []string
			for _, g := range s.costs {
				if g.contestant == c.name && !slices.Contains(parts, g.part) {
					parts = append(parts, g.part)
				}
			}
			for _, part := range parts {
				self, late, others := s.generatorOf(c.name, part)
				fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", strings.TrimSuffix(s.name+": "+part, ": "), c.name, cell(self), cell(late), cell(others))
			}
		}
	}
}

// generatorOf returns what all rounds noted of a part.
func (s *section) generatorOf(contestant, part string) (self, late, others []float64) {
	for _, g := range s.costs {
		if g.contestant != contestant || g.part != part {
			continue
		}
		self, others = append(self, g.self), append(others, g.others)
		if !math.IsNaN(g.late99) {
			late = append(late, g.late99)
		}
	}
	return self, late, others
}

// String says what the generator took, in one line.
func (g generatorCost) String() string {
	s := fmt.Sprintf("load generator %s %% of one core, other processes %s %%", number(g.self), number(g.others))
	if !math.IsNaN(g.late99) {
		s += fmt.Sprintf(", timers late p99 %s ms", number(g.late99))
	}
	return s
}

// surroundings writes where, when and of whom it was measured.
func (r *Report) surroundings(b *bytes.Buffer) {
	var machines []string
	var servers []server
	for _, s := range r.sections {
		line := fmt.Sprintf("%s, on %s", s.when(), s.machine)
		if !slices.Contains(machines, line) {
			machines = append(machines, line)
		}
		for _, c := range s.servers {
			if !slices.Contains(servers, c) {
				servers = append(servers, c)
			}
		}
	}
	b.WriteString("\nMeasured, of each value the median (least–greatest) where there are several rounds:\n")
	for _, line := range machines {
		fmt.Fprintf(b, "\n- %s", line)
	}
	b.WriteString("\n\nThe servers:\n")
	for _, c := range servers {
		fmt.Fprintf(b, "\n- **%s**: %s", c.name, c.about)
	}
	b.WriteString("\n")
}

// when says when a workload was measured, and how often.
func (s *section) when() string {
	text := fmt.Sprintf("`%s` %s, load average before it %s, %d rounds of %v", s.name, s.began.UTC().Format("2006-01-02 15:04 UTC"), s.load, s.rounds, s.duration.Round(time.Second))
	if s.rounds == 1 {
		text = strings.Replace(text, "1 rounds", "one round", 1)
	}
	if s.quick {
		text += ", small, to see that it works"
	}
	return text
}
