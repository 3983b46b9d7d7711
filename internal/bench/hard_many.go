package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"kaijutsu"
	"kaijutsu/internal/kjproc"
)

const (
	// manyStarts is how often the server with many contexts is started.
	manyStarts = 5
	// makers is how many make contexts at a time.
	makers = 32
)

// measureMany measures how a server with many contexts starts and rests, and how
// it is restored from a backup.
func measureMany(ctx context.Context, opt *ClusterOptions, dir string, t *Table) ([]hardRow, error) {
	if err := makeContexts(ctx, opt, dir); err != nil {
		return nil, err
	}
	var ready, resident []float64
	for range manyStarts {
		p, err := kjproc.Start(ctx, opt.Exe, dir, "--log-level", "warn")
		if err != nil {
			return nil, err
		}
		ready = append(ready, millis(p.Ready))
		err = pause(ctx, rest)
		m, memErr := memoryOf(p.PID())
		resident = append(resident, megabytes(m.resident))
		if err == nil {
			err = memErr
		}
		if err != nil {
			p.Kill()
			return nil, err
		}
		if err := p.Stop(); err != nil {
			return nil, err
		}
	}
	starts, _ := spreadOf(ready)
	memory, _ := spreadOf(resident)
	with := fmt.Sprintf(" with %d contexts", opt.Contexts)
	rows := []hardRow{
		{"start of the process → ready" + with + fmt.Sprintf(", median of %d", manyStarts), starts.median, "ms", 1000},
		{"… the slowest", starts.greatest, "ms", 0},
		{"memory at rest (RSS)" + with, memory.median, "MB", 100},
	}
	took, err := restore(ctx, opt, dir, t)
	if err != nil {
		return rows, err
	}
	return append(rows, hardRow{"backup" + with, took[0].Seconds(), "s", 0}, hardRow{"restore" + with + ", verified", took[1].Seconds(), "s", 60}), nil
}

// makeContexts has a server make contexts with a block each.
func makeContexts(ctx context.Context, opt *ClusterOptions, dir string) error {
	p, err := kjproc.Start(ctx, opt.Exe, dir, "--log-level", "warn", "--limit", "operations-per-second=none")
	if err != nil {
		return err
	}
	defer p.Kill()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: makers}}
	var next atomic.Int64
	var running sync.WaitGroup
	for range makers {
		running.Go(func() {
			for i := next.Add(1); i <= int64(opt.Contexts) && ctx.Err() == nil; i = next.Add(1) {
				if err := makeContext(ctx, client, p, int(i)); err != nil {
					cancel(err)
				}
			}
		})
	}
	running.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return p.Stop()
}

func makeContext(ctx context.Context, client *http.Client, p *kjproc.Process, n int) error {
	var made struct {
		ID string `json:"id"`
	}
	if err := callBy(ctx, client, p, "context_create", map[string]any{"title": fmt.Sprintf("Context %d", n)}, &made); err != nil {
		return err
	}
	return callBy(ctx, client, p, "block_create", map[string]any{"context": made.ID, "content": prose(n)}, nil)
}

// restore backs the data directory up and restores it, and returns how long both
// took.
func restore(ctx context.Context, opt *ClusterOptions, dir string, t *Table) (took [2]time.Duration, err error) {
	saved := dir + "-backup"
	for i, line := range [][]string{
		{"backup", saved, "--data", dir},
		{"restore", saved, "--data", dir + "-restored", "--verify", "--json"},
	} {
		began := time.Now()
		cmd := exec.CommandContext(ctx, opt.Exe, line...)
		out, err := cmd.Output()
		took[i] = time.Since(began)
		if err != nil {
			var failed *exec.ExitError
			text := ""
			if errors.As(err, &failed) {
				text = strings.TrimSpace(string(failed.Stderr))
			}
			return took, fmt.Errorf("kj %s: %w: %w: %.500s", line[0], kaijutsu.ErrUnavailable, err, text)
		}
		if i == 1 && json.Valid(out) {
			t.note("kj restore --verify said: %.400s", strings.Join(strings.Fields(string(out)), " "))
		}
	}
	return took, nil
}
