package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kaijutsu"
)

// hardRow is one number that is promised.
type hardRow struct {
	name     string
	measured float64
	unit     string
	wanted   float64 // at most; 0: nothing is promised
}

type hardPart struct {
	name string
	run  func(ctx context.Context, opt *ClusterOptions, dir string, t *Table) ([]hardRow, error)
}

// picks reports whether a part is to be measured.
func (opt *ClusterOptions) picks(p hardPart) bool { return opt.Only == "" || opt.Only == p.name }

// HardParts lists what kj bench hard measures.
func HardParts() []string {
	var names []string
	for _, p := range hardParts {
		names = append(names, p.name)
	}
	return names
}

// hardParts measure what a server that is hard to kill has to hold, each with a
// server of its own in dir.
var hardParts = []hardPart{
	{"a flood from one address", func(ctx context.Context, opt *ClusterOptions, dir string, t *Table) ([]hardRow, error) {
		return measureFlood(ctx, opt, dir, t, 1)
	}},
	{"a flood from 500 addresses", func(ctx context.Context, opt *ClusterOptions, dir string, t *Table) ([]hardRow, error) {
		return measureFlood(ctx, opt, dir, t, 500)
	}},
	{"revocation", measureRevocation},
	{"revocation at another node", measureFarRevocation},
	{"many contexts", measureMany},
}

// measureHard measures all of it. A part that fails is a line of the report, and
// the others go on.
func measureHard(ctx context.Context, opt *ClusterOptions) (*Table, error) {
	t := newTable("Hard to kill", "kj bench hard", "", "measured", "wanted", "")
	if opt.Only != "" && !slices.ContainsFunc(hardParts, opt.picks) {
		return nil, fmt.Errorf("part %q: %w: there are %s", opt.Only, kaijutsu.ErrNotFound, strings.Join(HardParts(), ", "))
	}
	for _, part := range hardParts {
		if !opt.picks(part) {
			continue
		}
		opt.say("%s (load %s)", part.name, loadAverage())
		dir, err := os.MkdirTemp(opt.Dir, "kj-bench-")
		if err != nil {
			return nil, err
		}
		rows, err := part.run(ctx, opt, filepath.Join(dir, "data"), t)
		_ = os.RemoveAll(dir) // in the temporary directory, if not
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for _, r := range rows {
			r.write(t, opt)
		}
		if err != nil {
			opt.say("  %v", err)
			t.add(part.name, "–", "", "not measured: "+err.Error())
		}
	}
	return t, nil
}

// write adds the row to the table.
func (r hardRow) write(t *Table, opt *ClusterOptions) {
	wanted, verdict := "", ""
	if r.wanted > 0 {
		wanted, verdict = "≤ "+number(r.wanted), "holds"
		if !(r.measured <= r.wanted) {
			verdict = "does not hold"
		}
	}
	measured := number(r.measured)
	if r.unit == "×" {
		measured, wanted = measured+"×", wanted+"×"
	} else if r.unit != "" {
		r.name = fmt.Sprintf("%s, %s", r.name, r.unit)
	}
	if r.wanted == 0 {
		wanted = ""
	}
	opt.say("  %-70s %8s %8s %s", r.name, measured, wanted, verdict)
	t.add(r.name, measured, wanted, verdict)
}
