package kjtest_test

import (
	"strings"
	"testing"
	"time"

	"kaijutsu/internal/kjtest"
	"kaijutsu/internal/torture"
)

// TestTorture is a short version of the first faults of kj torture: three real
// nodes over a real nats-server, broken under load, and the checker.
func TestTorture(t *testing.T) {
	for _, tt := range []struct {
		fault  string
		rounds int
	}{
		{"kill-node", 3},
		{"kill-nats", 1},
		{"stop-nats", 1},
		{"wipe-nats", 1},
	} {
		t.Run(tt.fault, func(t *testing.T) {
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
