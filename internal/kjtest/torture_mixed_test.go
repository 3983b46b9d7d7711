package kjtest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kaijutsu/internal/kjtest"
	"kaijutsu/internal/torture"
)

// TestTortureMixed is a short version of kj torture without a fault: one real
// server on a disk that breaks, where that can be had, and then three, under a
// schedule of everything; and the checker decides on the history again. A minute
// of each with KJ_FULL=1.
func TestTortureMixed(t *testing.T) {
	span := map[string]time.Duration{"mixed-1": 10 * time.Second, "mixed-3": 8 * time.Second}
	for _, fault := range []string{"mixed-1", "mixed-3"} {
		t.Run(fault, func(t *testing.T) {
			opt := torture.Options{
				Exe: kjtest.Binary(t), For: span[fault], Seed: 1, Calm: time.Second, History: filepath.Join(t.TempDir(), "history.jsonl"),
			}
			if os.Getenv("KJ_FULL") != "" {
				opt.For = time.Minute
			}
			if testing.Short() {
				opt.For = 3 * time.Second
			}
			var progress strings.Builder
			opt.Progress = &progress
			report, err := torture.Run(t.Context(), fault, opt)
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
			again, err := torture.Check(opt.History)
			if err != nil || !slices.Equal(again.Findings, report.Findings) {
				t.Errorf("decided again, the history shows %v, %v, before %v", again, err, report.Findings)
			}
		})
	}
}
