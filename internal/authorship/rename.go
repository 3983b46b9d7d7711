package authorship

import (
	"context"

	"kaijutsu/git"
)

// maxCandidates is how many files that went away are compared with one that
// has come.
const maxCandidates = 50

// renamedFrom returns the file of Head that a file which is not in it was: of
// those that the worktree does not have any more the one with the most lines in
// common, at least half of the larger, as git finds renames; "" when none is.
func renamedFrom(ctx context.Context, t Target, text string) (string, error) {
	changed, err := t.Git.Status(ctx, git.StatusOptions{})
	if err != nil {
		return "", err
	}
	best, score, compared := "", 0.5, 0
	for _, f := range changed {
		if f.Staged != git.Deleted && f.Unstaged != git.Deleted || compared == maxCandidates {
			continue
		}
		blob, err := t.Git.Repo().FileAt(t.Head, f.Path)
		if err != nil || !blob.Mode.IsFile() || len(blob.Data) > maxBlob {
			continue
		}
		compared++
		if s := alike(valid(string(blob.Data)), text); s >= score && (best == "" || s > score) {
			best, score = f.Path, s
		}
	}
	return best, nil
}

// alike returns which part of the larger of two texts the lines are that both
// have in order.
func alike(a, b string) float64 {
	same := 0
	for _, k := range lineMap(a, b) {
		if k >= 0 {
			same++
		}
	}
	if n := max(countLines(a), countLines(b)); n > 0 {
		return float64(same) / float64(n)
	}
	return 0
}
