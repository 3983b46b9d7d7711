package bench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kaijutsu"
)

// The lines of a page between which the report goes.
const (
	beginMark = "<!-- bench:begin -->"
	endMark   = "<!-- bench:end -->"
)

// plotsDir is the directory of the plots, in that of the page.
const plotsDir = "bench"

// UpdatePage replaces what is between the marks of performance.md in a directory
// by the report, and writes the plots that it shows beside it. The page must have
// each mark once, on a line of its own.
func (r *Report) UpdatePage(dir string) error {
	path := filepath.Join(dir, "performance.md")
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
	if _, err := r.write(&report, plotsDir); err != nil {
		return err
	}
	if err := r.writePlots(filepath.Join(dir, plotsDir)); err != nil {
		return fmt.Errorf("update page: %w", err)
	}
	text := strings.Join(lines[:begin+1], "\n") + "\n" + report.String() + "\n" + strings.Join(lines[end:], "\n")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return fmt.Errorf("update page: %w", err)
	}
	return nil
}

// writePlots writes the plots of all sections.
func (r *Report) writePlots(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	known := workloads()
	for _, s := range r.sections {
		i := slices.IndexFunc(known, func(w workload) bool { return w.name == s.name })
		if i < 0 {
			continue
		}
		for _, c := range known[i].charts {
			if !c.drawable(s) {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, c.file+".svg"), c.draw(s), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
