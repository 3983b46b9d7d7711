package torture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/planted"
)

// ErrNoPlant says that there is no planted bug of a name.
var ErrNoPlant = fmt.Errorf("no such bug: %w", kaijutsu.ErrNotFound)

// PlantedOptions say how planted bugs are looked for.
type PlantedOptions struct {
	Names    []string      // which; empty: all, and a run without any
	Exe      string        // a kj with the tag planted; empty: it is built
	NATS     string        // the nats-server binary
	For      time.Duration // of each run
	Tries    int           // runs for each bug
	Seed     uint64        // of the first
	Progress io.Writer
}

// PlantedReport says which bugs were found, and how.
type PlantedReport struct {
	Plants []PlantFound `json:"plants"`
}

// PlantFound is how one bug was found.
type PlantFound struct {
	Name    string        `json:"name"` // empty: of no bug
	Found   bool          `json:"found"`
	By      []string      `json:"by,omitempty"` // the checks
	Example string        `json:"example,omitempty"`
	Fault   string        `json:"fault"` // in which it was found last
	Seed    uint64        `json:"seed"`
	Runs    int           `json:"runs"`
	Took    time.Duration `json:"took_ns"`
}

// Plants are the names of the planted bugs and what they are, in order.
func Plants() (names, about []string) {
	for _, p := range planted.All {
		names, about = append(names, p.Name), append(about, p.About)
	}
	return names, about
}

// OK reports whether every bug was found, and none where there is none.
func (r *PlantedReport) OK() bool {
	return !slices.ContainsFunc(r.Plants, func(p PlantFound) bool { return p.Found != (p.Name != "") })
}

// Print writes the report for people.
func (r *PlantedReport) Print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-20s %-6s %-24s %-8s %4s %5s %6s\n", "bug", "found", "by", "in", "seed", "runs", "took")
	for _, p := range r.Plants {
		word := "yes"
		if !p.Found {
			word = "NO"
		}
		if p.Name == "" {
			word = map[bool]string{true: "FALSE", false: "clean"}[p.Found]
		}
		fmt.Fprintf(&b, "%-20s %-6s %-24s %-8s %4d %5d %5.0fs\n", cmp.Or(p.Name, "none"), word, strings.Join(p.By, ", "), p.Fault, p.Seed, p.Runs, p.Took.Seconds())
		if p.Example != "" {
			fmt.Fprintf(&b, "    %.220s\n", p.Example)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Planted puts one bug after the other into servers and looks for it.
func Planted(ctx context.Context, opt PlantedOptions) (*PlantedReport, error) {
	names, _ := Plants()
	for _, name := range opt.Names {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("%q: %w: there are %s", name, ErrNoPlant, strings.Join(names, ", "))
		}
	}
	if len(opt.Names) == 0 {
		opt.Names = append([]string{""}, names...)
	}
	if opt.Exe == "" {
		dir, err := os.MkdirTemp("", "kj-planted-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		opt.Exe = filepath.Join(dir, "kj")
		fmt.Fprintln(opt.Progress, "building kj with the tag planted")
		if out, err := exec.CommandContext(ctx, "go", "build", "-tags", "planted", "-o", opt.Exe, "kaijutsu/cmd/kj").CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build kj with the tag planted: %w: %s", err, out)
		}
	}
	report := &PlantedReport{}
	for _, name := range opt.Names {
		p, err := lookFor(ctx, name, opt)
		if err != nil {
			return nil, err
		}
		report.Plants = append(report.Plants, p)
	}
	return report, nil
}

// hunts say how a bug is looked for that shows only in some strikes: elsewhere
// it would take long.
var hunts = map[string]struct {
	fault string
	only  []string
}{
	"ack-before-fsync":   {"mixed-1", []string{"power"}},
	"saved-light-early":  {"mixed-1", []string{"kill"}},
	"lost-half":          {"mixed-1", []string{"kill"}},
	"lost-tail":          {"mixed-1", []string{"kill"}},
	"journal-cut":        {"mixed-1", []string{"kill"}},
	"rollback-forgotten": {"mixed-1", []string{"disk-error", "disk-full"}},
	"stale-right":        {"mixed-1", []string{"revoke"}},
	"dropped-orphan":     {"mixed-1", []string{"revoke"}},
	"bomb":               {"mixed-1", []string{"bombs"}},
}

// lookFor runs a server with one bug until a check finds it.
func lookFor(ctx context.Context, name string, opt PlantedOptions) (PlantFound, error) {
	hunt, special := hunts[name]
	if !special {
		hunt.fault = "mixed-1"
	}
	p := PlantFound{Name: name, Fault: hunt.fault}
	began := time.Now()
	for try := range max(opt.Tries, 1) {
		p.Seed, p.Runs = opt.Seed+uint64(try), try+1
		report, err := Run(ctx, hunt.fault, Options{
			Exe: opt.Exe, NATS: opt.NATS, Seed: p.Seed, For: opt.For, Only: hunt.only, Calm: time.Second, Plant: name, Progress: opt.Progress,
			History: filepath.Join(os.TempDir(), "kj-planted-history.jsonl"),
		})
		if ctx.Err() != nil {
			return p, context.Cause(ctx)
		}
		if err != nil { // it could not even begin
			report = &Report{Findings: []Finding{{checkWhole, err.Error()}}}
		}
		for _, f := range report.Findings {
			if !slices.Contains(p.By, f.Check) {
				p.By = append(p.By, f.Check)
			}
			p.Example = cmp.Or(p.Example, f.String())
		}
		if p.Found = len(p.By) > 0; p.Found || name == "" && try == 0 {
			break
		}
	}
	p.Took = time.Since(began)
	if errors.Is(ctx.Err(), context.Canceled) {
		return p, ctx.Err()
	}
	fmt.Fprintf(opt.Progress, "%s: found %v by %v\n", cmp.Or(name, "no bug"), p.Found, p.By)
	return p, nil
}
