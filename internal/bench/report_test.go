package bench

import (
	"bytes"
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

// sample is a report of two contestants and one workload.
func sample() *Report {
	r := &Report{}
	s := r.section(workload{name: "writers"})
	s.rounds, s.duration, s.machine = 3, time.Second, "a machine"
	all := []contestant{{name: "kj", about: "ours"}, {name: "npm", about: "theirs"}, {name: "y-websocket", about: "another"}}
	for _, i := range []int{2, 0, 1} {
		s.enlist(all, all[i])
	}
	for i := range 3 {
		s.note("kj", "edit → visible, p99, ms", float64(10*(i+1)))
		s.note("npm", "edit → visible, p99, ms", float64(100*(i+1)))
	}
	s.note("kj", "edits lost on their way", 1)
	s.note("kj", "not measured", math.NaN())
	s.distribution("kj", "edit → visible", []time.Duration{time.Millisecond, 2 * time.Millisecond})
	s.fail("y-websocket", "server died: it | said < nothing")
	s.cost("kj", "", cost{wall: time.Second, self: 10 * time.Millisecond}, nil)
	return r
}

func TestReport(t *testing.T) {
	var out strings.Builder
	if _, err := sample().WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"`--only writers`",
		"|  | kj | target | npm | y-websocket |\n|---|---:|---|---:|---:|\n",
		"| edit → visible, p99, ms | 20.0 (10.0–30.0) | ≤ 25.0: met | 200 (100–300)<br>10.0× | server died: it \\| said &lt; nothing |",
		"| edits lost on their way | 1.00 | none: **missed** | – |",
		"| writers | kj | 1.00 | – | 0 |",
		"- y-websocket: server died",
		"3 rounds of 1s, on a machine",
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

func TestVerdict(t *testing.T) {
	s := &section{servers: []server{{name: "kj"}, {name: "npm"}, {name: "hocuspocus"}}}
	s.note("kj", "p99", 8)
	s.note("npm", "p99", 40)
	tests := []struct {
		name string
		t    target
		want string
	}{
		{"met", target{row: "p99", atMost: 10}, "≤ 10.0: met"},
		{"missed", target{row: "p99", atMost: 4}, "≤ 4.00: **missed**, 2.00×"},
		{"another row", target{row: "p50", atMost: 4}, ""},
		{"a rival far behind", target{row: "p99", rival: "npm", times: 4}, "≥ 4.00× better than npm: met"},
		{"a rival not far enough behind", target{row: "p99", rival: "npm", times: 10}, "≥ 10.0× better than npm: **missed**, 5.00×"},
		{"a rival that nobody asked for", target{row: "p99", rival: "y-websocket", times: 1}, ""},
		{"a rival that failed", target{row: "p99", rival: "hocuspocus", times: 1}, "better than hocuspocus: it did not finish"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := s.verdict([]target{tt.t}, tt.t.row); got != tt.want {
				t.Errorf("verdict = %q, want %q", got, tt.want)
			}
		})
	}
}

// TestReportSurvivesItsFile writes a report, reads it and compares what both say.
func TestReportSurvivesItsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.json")
	if err := sample().WriteFile(path); err != nil {
		t.Fatal(err)
	}
	again, err := ReadReport(path)
	if err != nil {
		t.Fatal(err)
	}
	var want, got strings.Builder
	if _, err := sample().WriteTo(&want); err != nil {
		t.Fatal(err)
	}
	if _, err := again.WriteTo(&got); err != nil {
		t.Fatal(err)
	}
	if got.String() != want.String() {
		t.Errorf("read again it says\n%s\nwant\n%s", got.String(), want.String())
	}
	if d := again.sections[0].spreads; len(d) != 1 || len(d[0].millis) != len(distributed) || d[0].count != 2 {
		t.Errorf("distributions = %+v, want one of 2 samples", d)
	}
}

func TestReadReportRefuses(t *testing.T) {
	for name, text := range map[string]string{"no JSON": "| kj |", "another version": `{"version": 9}`} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "report.json")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadReport(path); !errors.Is(err, kaijutsu.ErrInvalid) {
				t.Errorf("ReadReport = %v, want ErrInvalid", err)
			}
		})
	}
}

// TestMerge has the later report's workloads replace the earlier one's.
func TestMerge(t *testing.T) {
	r := &Report{}
	r.Merge(sample())
	other := &Report{}
	s := other.section(workload{name: "writers"})
	s.note("kj", "edit → visible, p99, ms", 7)
	other.section(workload{name: "observers"})
	r.Merge(other)
	if len(r.sections) != 2 || r.sections[0].name != "observers" {
		t.Fatalf("%d sections, want observers and writers", len(r.sections))
	}
	if got, _ := r.sections[1].median("edit → visible, p99, ms", "kj"); got != 7 {
		t.Errorf("p99 = %v, want the later report's 7", got)
	}
}

func TestUpdatePage(t *testing.T) {
	tests := []struct {
		name, page string
		want       []string
		err        error
	}{
		{"between the marks", "above\n" + beginMark + "\nold\n" + endMark + "\nbelow\n", []string{"above\n" + beginMark + "\n", "![64 writers in one document: edit → visible](bench/writers.svg)", "\n" + endMark + "\nbelow\n"}, nil},
		{"no marks", "above\n", []string{"above\n"}, kaijutsu.ErrInvalid},
		{"marks the wrong way round", endMark + "\n" + beginMark + "\n", []string{endMark}, kaijutsu.ErrInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "performance.md")
			if err := os.WriteFile(path, []byte(tt.page), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := sample().UpdatePage(dir); !errors.Is(err, tt.err) {
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
			if plot, err := os.ReadFile(filepath.Join(dir, "bench", "writers.svg")); tt.err == nil && (err != nil || !bytes.Contains(plot, []byte("<svg"))) {
				t.Errorf("plot: %v: %.40q, want an SVG", err, plot)
			}
			if strings.Contains(string(got), "\nold\n") {
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
