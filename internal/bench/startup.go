package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"kaijutsu/internal/kjproc"
)

// startRounds is how often each way is started.
const startRounds = 10

// starter is one way to start a server.
type starter struct {
	name  string
	exe   string
	args  []string
	ready []float64 // ms
	rss   []float64 // MB
	anon  []float64
}

// measureStart starts a server with its embedded bus, the same binary without
// (told of a nats-server that is not there, for which it does not wait), and
// another binary if there is one, in alternating order, each on an empty
// directory.
func measureStart(ctx context.Context, opt *ClusterOptions) (*Table, error) {
	ports, err := kjproc.FreePorts(1)
	if err != nil {
		return nil, err
	}
	ways := []*starter{
		{name: "embedded bus", exe: opt.Exe},
		{name: "no bus: an absent nats-server", exe: opt.Exe, args: []string{"--nats", fmt.Sprintf("nats://127.0.0.1:%d", ports[0])}},
	}
	if opt.Beside != "" {
		ways = append(ways, &starter{name: filepath.Base(opt.Beside), exe: opt.Beside})
	}
	t := newTable(fmt.Sprintf("Start of an empty server, %d times each in turn: median (least–greatest)", startRounds*opt.Rounds),
		"kj bench start", "")
	for round := range startRounds * opt.Rounds {
		opt.say("round %d of %d", round+1, startRounds*opt.Rounds)
		order := slices.Clone(ways)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, w := range order {
			if err := w.measure(ctx, opt.Dir); err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
		}
	}
	rows := []struct {
		name string
		of   func(*starter) []float64
	}{
		{"start of the process → listening, ms", func(w *starter) []float64 { return w.ready }},
		{"memory at rest (RSS), MB", func(w *starter) []float64 { return w.rss }},
		{"… of it private (RssAnon), MB", func(w *starter) []float64 { return w.anon }},
	}
	for _, w := range ways {
		t.columns = append(t.columns, w.name)
	}
	for _, w := range ways[1:] {
		t.columns = append(t.columns, "embedded − "+w.name)
	}
	for _, row := range rows {
		var cells []string
		first, _ := spreadOf(row.of(ways[0]))
		for _, w := range ways {
			cells = append(cells, cell(row.of(w)))
		}
		for _, w := range ways[1:] {
			s, _ := spreadOf(row.of(w))
			cells = append(cells, number(first.median-s.median))
		}
		t.add(row.name, cells...)
	}
	return t, nil
}

// measure starts it once.
func (w *starter) measure(ctx context.Context, in string) error {
	dir, err := os.MkdirTemp(in, "kj-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, err := kjproc.Start(ctx, w.exe, filepath.Join(dir, "data"), append([]string{"--log-level", "error"}, w.args...)...)
	if err != nil {
		return err
	}
	defer p.Kill()
	if err := pause(ctx, rest/2); err != nil {
		return err
	}
	m, err := memoryOf(p.PID())
	if err != nil {
		return err
	}
	w.ready = append(w.ready, millis(p.Ready.Round(10*time.Microsecond)))
	w.rss, w.anon = append(w.rss, megabytes(m.resident)), append(w.anon, megabytes(m.private))
	return p.Stop()
}
