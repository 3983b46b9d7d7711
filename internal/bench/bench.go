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

// Options say what is measured. The zero value measures our server alone,
// once.
type Options struct {
	// Exe is the kj binary; default this one.
	Exe string
	// Version is what Exe calls itself, for the report.
	Version string
	// Rivals is the directory with the npm server, whose packages are
	// installed there if need be; empty means no rivals.
	Rivals string
	// Rounds is how often everything is repeated; default 1.
	Rounds int
	// Only names the one scenario to run; empty means all.
	Only string
	// Typing is how long each typing scenario records; default 15 s.
	Typing time.Duration
	// Dir is where data directories are made and removed; default the
	// system's temporary directory.
	Dir string
	// Progress receives a line for each scenario; default nothing.
	Progress io.Writer
}

// Run measures and returns the report.
func Run(ctx context.Context, opt Options) (*Report, error) {
	if opt.Progress == nil {
		opt.Progress = io.Discard
	}
	if opt.Typing == 0 {
		opt.Typing = 15 * time.Second
	}
	if opt.Dir == "" {
		opt.Dir = os.TempDir()
	}
	list, err := choose(scenarios(opt.Typing), opt.Only)
	if err != nil {
		return nil, err
	}
	contestants, err := opt.contestants()
	if err != nil {
		return nil, err
	}
	report := &Report{
		began: time.Now(), machine: inspectMachine(ctx, opt.Dir, opt.Rivals != ""),
		contestants: contestants, rounds: max(1, opt.Rounds), load: loadAverage(),
	}
	for round := range report.rounds {
		order := slices.Clone(contestants)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, sc := range list {
			for _, c := range order {
				fmt.Fprintf(opt.Progress, "round %d of %d: %s, %s (load %s)\n", round+1, report.rounds, sc.name, c.name, loadAverage())
				if err := opt.measure(ctx, report, sc, c); err != nil {
					return nil, fmt.Errorf("measure %s of %s: %w", sc.name, c.name, err)
				}
			}
		}
	}
	report.took = time.Since(report.began)
	return report, nil
}

func (opt Options) contestants() ([]contestant, error) {
	if opt.Exe == "" {
		exe, err := os.Executable()
		if err != nil {
			return nil, err
		}
		opt.Exe = exe
	}
	all := []contestant{ours(opt.Exe, opt.Version)}
	if opt.Rivals != "" {
		rival, err := npm(opt.Rivals)
		if err != nil {
			return nil, err
		}
		all = append(all, rival)
	}
	return all, nil
}

// choose returns the scenario of a name, all for the empty one.
func choose(all []scenario, only string) ([]scenario, error) {
	if only == "" {
		return all, nil
	}
	var names []string
	for _, s := range all {
		if s.name == only {
			return []scenario{s}, nil
		}
		names = append(names, s.name)
	}
	return nil, fmt.Errorf("scenario %q: %w; there are %s", only, kaijutsu.ErrNotFound, strings.Join(names, ", "))
}

// measure runs one scenario on one contestant.
func (opt Options) measure(ctx context.Context, report *Report, sc scenario, c contestant) error {
	dir, err := os.MkdirTemp(opt.Dir, "kj-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	section := report.results.section(sc)
	return sc.run(ctx, &stage{
		contestant: c, dir: dir,
		note: func(metric string, value float64) {
			section.note(c.name, metric, value)
			fmt.Fprintf(opt.Progress, "    %-58s %s\n", metric, number(value))
		},
		costs: func(cost cost, late []time.Duration) {
			g := report.results.cost(sc.name, c.name, cost, late)
			fmt.Fprintf(opt.Progress, "    %s\n", g)
		},
		warn: func(format string, args ...any) {
			text := fmt.Sprintf(format, args...)
			report.results.warnings = append(report.results.warnings, fmt.Sprintf("%s, %s: %s", c.name, sc.name, text))
			fmt.Fprintf(opt.Progress, "    %s\n", text)
		},
	})
}
