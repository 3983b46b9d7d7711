package kjtest_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"kaijutsu/internal/kjtest"
	"kaijutsu/internal/torture"
)

// TestTortureGit is a short version of kj torture git: a real server, a worktree,
// typing, sed -i, branches that are switched, and commits; a minute of it, and
// kills of the server, with KJ_FULL=1.
func TestTortureGit(t *testing.T) {
	t.Parallel()
	span := 10 * time.Second
	if os.Getenv("KJ_FULL") != "" {
		span = time.Minute
	}
	if testing.Short() {
		span = 4 * time.Second
	}
	var progress strings.Builder
	report, err := torture.Run(t.Context(), "git", torture.Options{Exe: kjtest.Binary(t), For: span, Seed: 1, Spare: os.Getenv("KJ_FULL") == "", Progress: &progress})
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
}
