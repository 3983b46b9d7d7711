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

// rivals returns the directory of the npm server, or skips the test where Node
// or its packages are missing and nobody insists on them.
func rivals(t *testing.T) string {
	t.Helper()
	dir := filepath.Join("..", "interop")
	_, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(filepath.Join(dir, "node_modules"))
	}
	if err != nil && os.Getenv("KJ_REQUIRE_NODE") == "" {
		t.Skipf("no npm server to measure: %v (npm ci in internal/interop)", err)
	}
	return dir
}

func TestRunMeasuresBothServers(t *testing.T) {
	var progress bytes.Buffer
	report, err := bench.Run(t.Context(), bench.Options{
		Exe: kjtest.Binary(t), Rivals: rivals(t), Only: "one-writer",
		Typing: time.Second, Dir: t.TempDir(), Progress: &progress,
	})
	if err != nil {
		t.Fatalf("Run: %v\n%s", err, progress.String())
	}
	var out bytes.Buffer
	if _, err := report.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(out.String()) {
		if !strings.HasPrefix(line, "| edit → ") {
			continue
		}
		rows++
		for i, cell := range strings.Split(strings.Trim(line, "|\n "), "|") {
			if cell = strings.TrimSpace(cell); cell == "–" || cell == "0" || cell == "" {
				t.Errorf("row %q: cell %d = %q, want a value of both servers", line, i, cell)
			}
		}
	}
	if rows != 4 {
		t.Errorf("%d rows of latency, want 4:\n%s", rows, out.String())
	}
	if !strings.Contains(out.String(), "| deliveries that did not happen | 0 | 0 |") {
		t.Errorf("deliveries are missing:\n%s", out.String())
	}
}

func TestRunOpensDocuments(t *testing.T) {
	report, err := bench.Run(t.Context(), bench.Options{Exe: kjtest.Binary(t), Only: "open", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := report.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "| bytes on the wire, kB | ") {
		t.Errorf("report without the bytes on the wire:\n%s", out.String())
	}
}

func TestRunRefusesAnUnknownScenario(t *testing.T) {
	_, err := bench.Run(t.Context(), bench.Options{Only: "flying"})
	if err == nil || !strings.Contains(err.Error(), "there are one-writer") {
		t.Errorf("Run(Only: flying) = %v, want the names of the scenarios", err)
	}
}
