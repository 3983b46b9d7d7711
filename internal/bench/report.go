package bench

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"kaijutsu"
)

// Report is what a run measured.
type Report struct {
	began       time.Time
	took        time.Duration
	rounds      int
	load        string // before the first round
	machine     machine
	contestants []contestant
	results     results
}

// WriteTo writes the report as Markdown: a table for each scenario, then what
// it was measured on and by.
func (r *Report) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	for _, s := range r.results.sections {
		r.table(&b, s)
	}
	r.generator(&b)
	fmt.Fprintf(&b, "\nMeasured on %s: %s. %s, %s in all.\n", r.began.UTC().Format("2006-01-02 15:04 UTC"), r.machine, rounds(r.rounds), r.took.Round(time.Second))
	for _, c := range r.contestants {
		fmt.Fprintf(&b, "\n- **%s**: %s", c.name, c.about)
	}
	b.WriteString("\n")
	for _, warning := range r.results.warnings {
		fmt.Fprintf(&b, "- %s\n", warning)
	}
	return b.WriteTo(w)
}

func rounds(n int) string {
	if n == 1 {
		return "One round"
	}
	return fmt.Sprintf("%d alternating rounds: median (least–greatest)", n)
}

// table writes the rows of one scenario. The ratio is that of the medians:
// above one, the rival takes more.
func (r *Report) table(b *bytes.Buffer, s *section) {
	fmt.Fprintf(b, "\n**%s** (`--only %s`)\n\n|", s.scenario.title, s.scenario.name)
	for _, c := range r.contestants {
		fmt.Fprintf(b, " | %s", c.name)
	}
	rivals := r.contestants[1:]
	for _, c := range rivals {
		fmt.Fprintf(b, " | %s / %s", c.name, r.contestants[0].name)
	}
	b.WriteString(" |\n|---" + strings.Repeat("|---:", len(r.contestants)+len(rivals)) + "|\n")
	for _, m := range s.metrics {
		fmt.Fprintf(b, "| %s", m.name)
		ours, ok := spreadOf(m.values[r.contestants[0].name])
		for _, c := range r.contestants {
			fmt.Fprintf(b, " | %s", cell(m.values[c.name]))
		}
		for _, c := range rivals {
			theirs, both := spreadOf(m.values[c.name])
			fmt.Fprintf(b, " | %s", ratio(theirs, ours, ok && both))
		}
		b.WriteString(" |\n")
	}
}

func cell(values []float64) string {
	s, ok := spreadOf(values)
	switch {
	case !ok:
		return "–"
	case len(values) == 1 || s.least == s.greatest:
		return number(s.median)
	}
	return fmt.Sprintf("%s (%s–%s)", number(s.median), number(s.least), number(s.greatest))
}

func ratio(theirs, ours spread, both bool) string {
	if !both || ours.median == 0 {
		return "–"
	}
	return number(theirs.median/ours.median) + "×"
}

// number writes a value with three significant digits, without an exponent.
func number(v float64) string {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	decimals := max(0, 2-int(math.Floor(math.Log10(math.Abs(v)))))
	return strconv.FormatFloat(v, 'f', min(decimals, 3), 64)
}

// generator writes what the load generator took, and everybody else.
func (r *Report) generator(b *bytes.Buffer) {
	b.WriteString("\n**The load generator and the machine**\n\n")
	b.WriteString("| scenario | server | generator CPU, % of one core | its timers late, p99, ms | all other processes, % of one core |\n|---|---|---:|---:|---:|\n")
	for _, s := range r.results.sections {
		for _, c := range r.contestants {
			var self, others, late []float64
			for _, g := range r.results.costs {
				if g.scenario != s.scenario.name || g.contestant != c.name {
					continue
				}
				self, others = append(self, g.self), append(others, g.others)
				if !math.IsNaN(g.late99) {
					late = append(late, g.late99)
				}
			}
			if len(self) > 0 {
				fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", s.scenario.name, c.name, cell(self), cell(late), cell(others))
			}
		}
	}
	fmt.Fprintf(b, "\nLoad average before the run: %s.\n", r.load)
}

// String says what the generator took, in one line.
func (g generatorCost) String() string {
	s := fmt.Sprintf("load generator %s %% of one core, other processes %s %%", number(g.self), number(g.others))
	if !math.IsNaN(g.late99) {
		s += fmt.Sprintf(", timers late p99 %s ms", number(g.late99))
	}
	return s
}

// The lines of a page between which the report goes.
const (
	beginMark = "<!-- bench:begin -->"
	endMark   = "<!-- bench:end -->"
)

// UpdatePage replaces what is between the marks of a page by the report. The
// page must have each mark once, on a line of its own.
func (r *Report) UpdatePage(path string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("update page: %w", err)
	}
	lines := strings.Split(string(page), "\n")
	begin, end := slices.Index(lines, beginMark), slices.Index(lines, endMark)
	if begin < 0 || end < begin {
		return fmt.Errorf("update page %s: no lines %s and %s: %w", path, beginMark, endMark, kaijutsu.ErrInvalid)
	}
	var report bytes.Buffer
	if _, err := r.WriteTo(&report); err != nil {
		return err
	}
	text := strings.Join(lines[:begin+1], "\n") + "\n" + report.String() + "\n" + strings.Join(lines[end:], "\n")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return fmt.Errorf("update page: %w", err)
	}
	return nil
}
