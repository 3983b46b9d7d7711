package bench_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kaijutsu/internal/bench"
	"kaijutsu/internal/kjtest"
)

// rivals returns the directory of the npm servers, or skips the test where Node
// or their packages are missing and nobody insists on them.
func rivals(t *testing.T) string {
	t.Helper()
	dir := "rivals"
	_, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(filepath.Join(dir, "node_modules"))
	}
	if err != nil && os.Getenv("KJ_REQUIRE_NODE") == "" {
		t.Skipf("no npm servers to measure: %v (npm ci in internal/bench/rivals)", err)
	}
	return dir
}

// report runs one workload, small, and returns what the report says.
func report(t *testing.T, opt bench.Options) string {
	t.Helper()
	var progress, out bytes.Buffer
	opt.Exe, opt.Quick, opt.For, opt.Dir, opt.Progress = kjtest.Binary(t), true, time.Second, t.TempDir(), &progress
	r, err := bench.Run(t.Context(), opt)
	if err != nil {
		t.Fatalf("Run: %v\n%s", err, progress.String())
	}
	if _, err := r.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// cells returns the cells of the first row whose name begins so.
func cells(t *testing.T, report, name string) []string {
	t.Helper()
	for line := range strings.Lines(report) {
		if strings.HasPrefix(line, "| "+name) {
			all := strings.Split(strings.Trim(line, "|\n "), "|")
			for i := range all {
				all[i] = strings.TrimSpace(all[i])
			}
			return all[1:]
		}
	}
	t.Fatalf("report without a row %q:\n%s", name, report)
	return nil
}

func TestRunMeasuresBothServers(t *testing.T) {
	out := report(t, bench.Options{Rivals: rivals(t), Servers: "kj,npm", Only: "writers"})
	for _, row := range []string{"edit → visible, p50", "edit → visible, p99", "edit → acknowledged, p50", "server CPU per"} {
		all := cells(t, out, row)
		for _, i := range []int{0, 2} { // target between them
			if all[i] == "–" || all[i] == "0" || all[i] == "" {
				t.Errorf("row %q: cell %d = %q, want a value of both servers", row, i, all[i])
			}
		}
	}
	if got := cells(t, out, "edits lost"); got[0] != "0" || got[2] != "0" {
		t.Errorf("edits lost: %q, want none", got)
	}
}

// TestEveryWorkloadMeasuresOurs runs each once, small: none may fail.
func TestEveryWorkloadMeasuresOurs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	for _, name := range bench.Workloads() {
		t.Run(name, func(t *testing.T) {
			out := report(t, bench.Options{Servers: "kj", Only: name})
			if name == "disk" && strings.Contains(out, "no fault-injecting file system here") {
				t.Skip("there is no FUSE here")
			}
			measured, _, _ := strings.Cut(out, "### The load generator")
			if strings.Contains(out, "\n- kj: ") || strings.Contains(measured, "| – |") {
				t.Errorf("%s: something was not measured:\n%s", name, out)
			}
		})
	}
}

// TestRelay has the relay show every edit to everybody.
func TestRelay(t *testing.T) {
	out := report(t, bench.Options{Servers: "relay", Only: "writers"})
	if got := cells(t, out, "edits lost"); got[0] != "0" {
		t.Errorf("edits lost: %q, want none", got)
	}
}

func TestRunRefusesWhatIsNotThere(t *testing.T) {
	tests := []struct {
		name string
		opt  bench.Options
		want string
	}{
		{"a workload", bench.Options{Only: "flying"}, "there are observers"},
		{"a server", bench.Options{Servers: "apache"}, "there are kj, relay"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := bench.Run(t.Context(), tt.opt); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Run = %v, want %q", err, tt.want)
			}
		})
	}
}
