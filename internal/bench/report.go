package bench

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Report is what runs measured: a section for each workload.
type Report struct{ sections []*section }

// section returns that of a workload, new if there is none.
func (r *Report) section(w workload) *section {
	for _, s := range r.sections {
		if s.name == w.name {
			return s
		}
	}
	s := &section{name: w.name}
	r.sections = append(r.sections, s)
	return s
}

// Merge adds the sections of another report. Where both have a workload, the
// other's is kept: values of different runs are not mixed.
func (r *Report) Merge(other *Report) {
	for _, s := range other.sections {
		r.sections = slices.DeleteFunc(r.sections, func(o *section) bool { return o.name == s.name })
		r.sections = append(r.sections, s)
	}
	order := Workloads()
	slices.SortStableFunc(r.sections, func(a, b *section) int {
		return slices.Index(order, a.name) - slices.Index(order, b.name)
	})
}

// WriteTo writes the report as Markdown, without plots.
func (r *Report) WriteTo(w io.Writer) (int64, error) { return r.write(w, "") }

// write writes a table for each workload, then what it was measured on and by.
// Plots is the path of the directory of the plots from where the page is; empty:
// there are none.
func (r *Report) write(w io.Writer, plots string) (int64, error) {
	var b bytes.Buffer
	known := workloads()
	for _, s := range r.sections {
		i := slices.IndexFunc(known, func(w workload) bool { return w.name == s.name })
		if i < 0 {
			continue // of another version
		}
		s.write(&b, known[i], plots)
	}
	r.generator(&b)
	r.surroundings(&b)
	return b.WriteTo(w)
}

// write writes the section of a workload.
func (s *section) write(b *bytes.Buffer, w workload, plots string) {
	fmt.Fprintf(b, "\n### %s\n\n%s `--only %s`\n\n", w.title, w.about, w.name)
	s.table(b, w)
	if plots == "" {
		return
	}
	for _, c := range w.charts {
		if c.drawable(s) {
			fmt.Fprintf(b, "\n![%s](%s/%s.svg)\n", c.title, plots, c.file)
		}
	}
}

// table writes the rows. Below a rival's value stands how many times ours that
// is, of the medians: above one, the rival takes more.
func (s *section) table(b *bytes.Buffer, w workload) {
	head, line := "| ", "|---"
	for _, c := range s.servers {
		head, line = head+" | "+c.name, line+"|---:"
		if c.name == oursName {
			head, line = head+" | target", line+"|---"
		}
	}
	b.WriteString(head + " |\n" + line + "|\n")
	for _, r := range s.rows {
		fmt.Fprintf(b, "| %s", r.name)
		for _, c := range s.servers {
			fmt.Fprintf(b, " | %s", s.cellOf(r, c.name))
			if c.name == oursName {
				fmt.Fprintf(b, " | %s", s.verdict(w.targets, r.name))
			}
		}
		b.WriteString(" |\n")
	}
	for _, f := range s.failures {
		fmt.Fprintf(b, "\n- %s: %s", f.contestant, escape(f.why))
	}
	if len(s.failures) > 0 {
		b.WriteString("\n")
	}
	for _, warning := range s.warnings {
		fmt.Fprintf(b, "\n- %s", escape(warning))
	}
	if len(s.warnings) > 0 {
		b.WriteString("\n")
	}
}

// cellOf is what a row says of a contestant.
func (s *section) cellOf(r *row, name string) string {
	values := r.values[name]
	if len(values) == 0 {
		if why := s.failed(name); why != "" {
			return escape(shorten(why, 40))
		}
		return "–"
	}
	text := cell(values)
	ours, ok := spreadOf(r.values[oursName])
	if name == oursName || !ok || ours.median == 0 {
		return text
	}
	theirs, _ := spreadOf(values)
	return text + "<br>" + number(theirs.median/ours.median) + "×"
}

// escape keeps a text from ending a cell.
func escape(s string) string { return strings.NewReplacer("|", "\\|", "<", "&lt;").Replace(s) }

// shorten cuts a text to n characters.
func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
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

// number writes a value with three significant digits, without an exponent.
func number(v float64) string {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	decimals := max(0, 2-int(math.Floor(math.Log10(math.Abs(v)))))
	return strconv.FormatFloat(v, 'f', min(decimals, 3), 64)
}
