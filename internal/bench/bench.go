package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"kaijutsu"
)

// Options say what is measured. The zero value measures our server and the relay,
// once.
type Options struct {
	// Exe is the kj binary; default this one.
	Exe string
	// Version is what Exe calls itself, for the report.
	Version string
	// Rivals is the directory with the npm servers, whose packages are
	// installed there if need be; empty means no rivals.
	Rivals string
	// Servers names the contestants to measure, separated by commas; empty means
	// all that there are.
	Servers string
	// Rounds is how often everything is repeated; default 1.
	Rounds int
	// Only names the workloads, separated by commas; empty means all.
	Only string
	// For is how long each recording takes; default 6 s, or 2 s if Quick.
	For time.Duration
	// Quick makes everything small, to see that it works.
	Quick bool
	// Dir is where data directories are made and removed; default the
	// system's temporary directory.
	Dir string
	// Progress receives a line for each value; default nothing.
	Progress io.Writer
}

func (opt *Options) fill() error {
	if opt.Exe == "" {
		exe, err := os.Executable()
		if err != nil {
			return err
		}
		opt.Exe = exe
	}
	if opt.Progress == nil {
		opt.Progress = io.Discard
	}
	if opt.For == 0 {
		opt.For = 6 * time.Second
		if opt.Quick {
			opt.For = 2 * time.Second
		}
	}
	if opt.Dir == "" {
		opt.Dir = os.TempDir()
	}
	opt.Rounds = max(1, opt.Rounds)
	return nil
}

// Workloads returns the names of all workloads, in the order of the report.
func Workloads() (names []string) {
	for _, w := range workloads() {
		names = append(names, w.name)
	}
	return names
}

// Run measures and returns the report; after an error also what was measured
// until then, or nil when that is nothing. In each round each workload is run by all
// contestants, one after the other; which is first changes from round to round.
func Run(ctx context.Context, opt Options) (*Report, error) {
	if err := opt.fill(); err != nil {
		return nil, err
	}
	list, err := choose(workloads(), opt.Only)
	if err != nil {
		return nil, err
	}
	contestants, err := opt.contestants(ctx)
	if err != nil {
		return nil, err
	}
	report := &Report{}
	machine := inspectMachine(ctx, opt.Dir, opt.Rivals != "")
	for round := range opt.Rounds {
		order := slices.Clone(contestants)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, w := range list {
			sec := report.section(w)
			sec.begin(machine.String(), opt)
			for _, c := range order {
				if !w.takesPart(c) {
					continue
				}
				sec.enlist(contestants, c)
				fmt.Fprintf(opt.Progress, "round %d of %d: %s, %s (load %s)\n", round+1, opt.Rounds, w.name, c.name, loadAverage())
				began := time.Now()
				if err := opt.measure(ctx, sec, w, c, func(format string, args ...any) { fmt.Fprintf(opt.Progress, format+"\n", args...) }); err != nil {
					return report, fmt.Errorf("measure %s of %s: %w", w.name, c.name, err)
				}
				fmt.Fprintf(opt.Progress, "    took %.1f s\n", time.Since(began).Seconds())
			}
			sec.rounds++
		}
	}
	return report, nil
}

// contestants are ours, the relay and, if asked for, the rivals.
func (opt Options) contestants(ctx context.Context) ([]contestant, error) {
	all := []contestant{ours(opt.Exe, opt.Version), relayOf(opt.Exe)}
	if opt.Rivals != "" {
		others, err := rivals(ctx, opt.Rivals)
		if err != nil {
			return nil, err
		}
		all = append(all, others...)
	}
	if opt.Servers == "" {
		return all, nil
	}
	var chosen []contestant
	for name := range strings.SplitSeq(opt.Servers, ",") {
		i := slices.IndexFunc(all, func(c contestant) bool { return c.name == strings.TrimSpace(name) })
		if i < 0 {
			var names []string
			for _, c := range all {
				names = append(names, c.name)
			}
			return nil, fmt.Errorf("server %q: %w; there are %s (rivals with --rivals only)", name, kaijutsu.ErrNotFound, strings.Join(names, ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}
