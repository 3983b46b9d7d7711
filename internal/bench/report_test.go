package bench

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"kaijutsu"
)

func TestQuantile(t *testing.T) {
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(100-i) * time.Millisecond
	}
	tests := []struct {
		name string
		in   []time.Duration
		q    float64
		want float64
	}{
		{"nothing", nil, 0.5, math.NaN()},
		{"one", []time.Duration{time.Millisecond}, 0.99, 1},
		{"median of a hundred", hundred, 0.5, 50},
		{"99th of a hundred", hundred, 0.99, 99},
		{"the least", hundred, 0, 1},
		{"the greatest", hundred, 1, 100},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := quantile(tt.in, tt.q); got != tt.want && !(math.IsNaN(got) && math.IsNaN(tt.want)) {
				t.Errorf("quantile(%v) = %v, want %v", tt.q, got, tt.want)
			}
		})
	}
}

func TestCells(t *testing.T) {
	tests := []struct {
		name   string
		values []float64
		want   string
	}{
		{"nothing", nil, "–"},
		{"one", []float64{1234.5}, "1234"},
		{"odd", []float64{3, 1, 2}, "2.00 (1.00–3.00)"},
		{"even", []float64{0.1, 0.3}, "0.200 (0.100–0.300)"},
		{"all equal", []float64{0, 0}, "0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := cell(tt.values); got != tt.want {
				t.Errorf("cell(%v) = %q, want %q", tt.values, got, tt.want)
			}
		})
	}
}

// sample is a report of two contestants and one scenario.
func sample() *Report {
	r := &Report{rounds: 3, contestants: []contestant{{name: "kj", about: "ours"}, {name: "npm", about: "theirs"}}}
	s := r.results.section(scenario{name: "one-writer", title: "One writer"})
	for i := range 3 {
		s.note("kj", "p99, ms", float64(i+1))
		s.note("npm", "p99, ms", float64(10*(i+1)))
	}
	s.note("kj", "edits per commit", 5)
	s.note("kj", "not measured", math.NaN())
	r.results.cost("one-writer", "kj", cost{wall: time.Second, self: 10 * time.Millisecond}, nil)
	return r
}

func TestReport(t *testing.T) {
	var out strings.Builder
	if _, err := sample().WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"**One writer** (`--only one-writer`)",
		"| | kj | npm | npm / kj |",
		"| p99, ms | 2.00 (1.00–3.00) | 20.0 (10.0–30.0) | 10.0× |",
		"| edits per commit | 5.00 | – | – |",
		"| one-writer | kj | 1.00 | – | 0 |",
		"3 alternating rounds: median (least–greatest)",
		"- **npm**: theirs",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("report without %q:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "not measured") {
		t.Errorf("report with a value that is no number:\n%s", out.String())
	}
}

func TestUpdatePage(t *testing.T) {
	tests := []struct {
		name, page string
		want       []string
		err        error
	}{
		{"between the marks", "above\n" + beginMark + "\nold\n" + endMark + "\nbelow\n", []string{"above\n" + beginMark + "\n", "| p99, ms |", "\n" + endMark + "\nbelow\n"}, nil},
		{"no marks", "above\n", []string{"above\n"}, kaijutsu.ErrInvalid},
		{"marks the wrong way round", endMark + "\n" + beginMark + "\n", []string{endMark}, kaijutsu.ErrInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "performance.md")
			if err := os.WriteFile(path, []byte(tt.page), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := sample().UpdatePage(path); !errors.Is(err, tt.err) {
				t.Errorf("UpdatePage = %v, want %v", err, tt.err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.want {
				if !strings.Contains(string(got), want) {
					t.Errorf("page without %q:\n%s", want, got)
				}
			}
			if strings.Contains(string(got), "old") {
				t.Errorf("page still with what was there before:\n%s", got)
			}
		})
	}
}

func TestJournal(t *testing.T) {
	at := time.Now()
	j := newJournal(2)
	j.edited("a", 1, at) // warms up
	j.record()
	j.edited("a", 2, at)
	j.edited("a", 3, at.Add(time.Second))
	j.close()
	if _, ok := j.arrived("a", 1, at); ok {
		t.Error("an edit of the warm-up counts")
	}
	if _, ok := j.arrived("b", 2, at); ok {
		t.Error("an edit of somebody else counts")
	}
	for range 2 {
		for seq := range uint64(2) {
			took, ok := j.arrived("a", seq+2, at.Add(3*time.Second))
			if want := time.Duration(3-seq) * time.Second; !ok || took != want {
				t.Errorf("arrived(%d) = %v, %v; want %v", seq+2, took, ok, want)
			}
		}
	}
	select {
	case <-j.complete:
	default:
		t.Error("not complete when everything has arrived")
	}
	if edits, missing := j.seal(at); edits != 2 || len(missing) != 0 {
		t.Errorf("seal() = %d, %v; want 2 edits, none missing", edits, missing)
	}
}

func TestJournalCountsWhatDoesNotArrive(t *testing.T) {
	at := time.Now()
	j := newJournal(2)
	j.record()
	j.edited("a", 1, at)
	j.edited("a", 2, at.Add(time.Second))
	j.close()
	for _, seq := range []uint64{1, 1, 2} {
		j.arrived("a", seq, at.Add(2*time.Second))
	}
	edits, missing := j.seal(at.Add(5 * time.Second))
	if edits != 2 || len(missing) != 1 || missing[0] != 4*time.Second {
		t.Errorf("seal() = %d, %v; want 2 edits, one missing for 4s", edits, missing)
	}
	if _, ok := j.arrived("a", 2, at.Add(6*time.Second)); ok {
		t.Error("an arrival counts after the journal was sealed")
	}
}

func TestProcessOfOurs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc")
	}
	before, err := cpuOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(10 * time.Second)
	for after := before; after == before; {
		if after, err = cpuOf(os.Getpid()); err != nil || time.Now().After(deadline) {
			t.Fatalf("cpuOf stays at %v, %v; want it to grow", after, err)
		}
	}
	m, err := memoryOf(os.Getpid())
	if err != nil || m.private <= 0 || m.resident < m.private || m.resident > 1<<34 {
		t.Errorf("memoryOf = %+v, %v; want both values of a small process", m, err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := diskUse(dir); err != nil || n < 1<<20 || n > 2<<20 {
		t.Errorf("diskUse = %d, %v; want about 1 MiB", n, err)
	}
}
