package kjtest_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kaijutsu/internal/kjtest"
	"kaijutsu/internal/torture"
)

// TestTorture is a short version of the first faults of kj torture, three real
// nodes over a real nats-server, broken under load, and of those of drifts; and
// the checker.
func TestTorture(t *testing.T) {
	for _, tt := range []struct {
		fault  string
		rounds int
	}{
		{"kill-node", 3},
		{"kill-nats", 1},
		{"stop-nats", 1},
		{"wipe-nats", 1},
		{"drift", 20},
		{"drift-nodes", 3},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			if strings.HasPrefix(tt.fault, "drift") {
				t.Parallel() // they mostly wait: for starts, and for leases to run out
			}
			var progress strings.Builder
			report, err := torture.Run(t.Context(), tt.fault, torture.Options{
				Exe: kjtest.Binary(t), Rounds: tt.rounds, Seed: 1, Calm: time.Second, Brief: true, Progress: &progress,
			})
			if err != nil {
				t.Fatalf("%v\n%s", err, &progress)
			}
			var text strings.Builder
			if err := report.Print(&text); err != nil {
				t.Fatal(err)
			}
			t.Log(text.String())
			if !report.OK() {
				t.Errorf("the checker found something wrong\n%s", &progress)
			}
		})
	}
}

// interrupter cancels a run when something breaks.
type interrupter struct{ cancel func() }

func (i interrupter) Write(b []byte) (int, error) {
	if strings.Contains(string(b), "✗") {
		i.cancel()
	}
	return len(b), nil
}

// TestTortureInterrupted ends a run in the middle of a fault, as Ctrl-C does:
// it returns and leaves no files.
func TestTortureInterrupted(t *testing.T) {
	exe := kjtest.Binary(t) // before the directory for temporary files changes
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := torture.Run(ctx, "kill-nats", torture.Options{Exe: exe, Seed: 1, Calm: time.Second, Progress: interrupter{cancel}, Keep: true})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted run returned %v, want context.Canceled", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "kj-torture-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("an interrupted run left %v, %v", left, err)
	}
}
