package bench

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"time"

	"kaijutsu"
)

// reportVersion is the version of the file of a report. Later ones add fields.
const reportVersion = 1

// The file of a report.
type (
	reportFile struct {
		Version  int           `json:"version"`
		Sections []sectionFile `json:"workloads"`
	}
	sectionFile struct {
		Name          string             `json:"name"`
		Began         time.Time          `json:"began"`
		Rounds        int                `json:"rounds"`
		Seconds       float64            `json:"recording_seconds"`
		Quick         bool               `json:"quick,omitempty"`
		Machine       string             `json:"machine"`
		Load          string             `json:"load_average"`
		Servers       []serverFile       `json:"servers"`
		Rows          []rowFile          `json:"rows"`
		Quantiles     []float64          `json:"quantiles"`
		Distributions []distributionFile `json:"distributions,omitempty"`
		Failures      []failureFile      `json:"failures,omitempty"`
		Generator     []generatorFile    `json:"generator,omitempty"`
		Warnings      []string           `json:"warnings,omitempty"`
	}
	serverFile struct {
		Name  string `json:"name"`
		About string `json:"about"`
	}
	rowFile struct {
		Name   string               `json:"name"`
		Values map[string][]float64 `json:"values"` // by server, one for each round
	}
	distributionFile struct {
		Server string    `json:"server"`
		Row    string    `json:"row"`
		Count  int       `json:"count"`
		Millis []float64 `json:"ms"`
	}
	failureFile struct {
		Server string `json:"server"`
		Why    string `json:"why"`
	}
	generatorFile struct {
		Server string   `json:"server"`
		Part   string   `json:"part,omitempty"`
		Self   float64  `json:"generator_cpu_percent"`
		Others float64  `json:"others_cpu_percent"`
		Late   *float64 `json:"timers_late_p99_ms,omitempty"`
	}
)

// WriteFile writes the report to a file, from which ReadReport reads it.
func (r *Report) WriteFile(path string) error {
	f := reportFile{Version: reportVersion}
	for _, s := range r.sections {
		f.Sections = append(f.Sections, s.file())
	}
	b, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if err := os.WriteFile(path, append(b, '\n'), 0o644); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

func (s *section) file() sectionFile {
	f := sectionFile{
		Name: s.name, Began: s.began.UTC(), Rounds: s.rounds, Seconds: s.duration.Seconds(), Quick: s.quick,
		Machine: s.machine, Load: s.load, Rows: []rowFile{}, Quantiles: distributed, Warnings: s.warnings,
	}
	for _, c := range s.servers {
		f.Servers = append(f.Servers, serverFile{c.name, c.about})
	}
	for _, r := range s.rows {
		f.Rows = append(f.Rows, rowFile{r.name, maps.Clone(r.values)})
	}
	for _, d := range s.spreads {
		f.Distributions = append(f.Distributions, distributionFile{d.contestant, d.row, d.count, d.millis})
	}
	for _, x := range s.failures {
		f.Failures = append(f.Failures, failureFile{x.contestant, x.why})
	}
	for _, g := range s.costs {
		file := generatorFile{Server: g.contestant, Part: g.part, Self: g.self, Others: g.others}
		if !math.IsNaN(g.late99) {
			file.Late = &g.late99
		}
		f.Generator = append(f.Generator, file)
	}
	return f
}

// ReadReport reads what WriteFile has written. Errors wrap
// kaijutsu.ErrInvalid when it is something else.
func ReadReport(path string) (*Report, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	var f reportFile
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, fmt.Errorf("read report %s: %w: %w", path, kaijutsu.ErrInvalid, err)
	}
	if f.Version != reportVersion {
		return nil, fmt.Errorf("read report %s: version %d, want %d: %w", path, f.Version, reportVersion, kaijutsu.ErrInvalid)
	}
	r := &Report{}
	for _, s := range f.Sections {
		r.sections = append(r.sections, s.section())
	}
	return r, nil
}

func (f sectionFile) section() *section {
	s := &section{
		name: f.Name, began: f.Began, rounds: f.Rounds, duration: time.Duration(f.Seconds * float64(time.Second)), quick: f.Quick,
		machine: f.Machine, load: f.Load, warnings: f.Warnings,
	}
	for _, c := range f.Servers {
		s.servers = append(s.servers, server{c.Name, c.About})
	}
	for _, r := range f.Rows {
		s.rows = append(s.rows, &row{r.Name, r.Values})
	}
	for _, d := range f.Distributions {
		s.spreads = append(s.spreads, distribution{d.Server, d.Row, d.Count, d.Millis})
	}
	for _, x := range f.Failures {
		s.failures = append(s.failures, failure{x.Server, x.Why})
	}
	for _, g := range f.Generator {
		c := generatorCost{contestant: g.Server, part: g.Part, self: g.Self, others: g.Others, late99: math.NaN()}
		if g.Late != nil {
			c.late99 = *g.Late
		}
		s.costs = append(s.costs, c)
	}
	return s
}
