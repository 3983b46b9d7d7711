package kjtest_test

import (
	"errors"
	"strings"
	"testing"

	"kaijutsu/internal/faultfs"
	"kaijutsu/internal/kjtest"
	"kaijutsu/internal/torture"
)

// TestTortureDisk is a short version of the faults of kj torture that break the
// disk of a real server.
func TestTortureDisk(t *testing.T) {
	for _, tt := range []struct {
		fault  string
		rounds int
	}{
		{"kill-point", 20},
		{"power", 12},
		{"disk-full", 4},
		{"disk-error", 6},
		{"bit-flip", 13},
		{"slow-disk", 1},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			var progress strings.Builder
			report, err := torture.Run(t.Context(), tt.fault, torture.Options{Exe: kjtest.Binary(t), Rounds: tt.rounds, Seed: 1, Progress: &progress})
			if errors.Is(err, faultfs.ErrUnsupported) {
				t.Skip(err)
			}
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
