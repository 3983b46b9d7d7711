package bench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"kaijutsu"
)

const (
	// treeFiles is how many files the repository has, treeDirs in how many
	// directories.
	treeFiles = 10_000
	treeDirs  = 100
	// commitFiles is how many of them a commit changes.
	commitFiles = 10
	// commitRuns is how many commits are made in a round.
	commitRuns = 40
)

// gitResult is what mounts and git did in all rounds.
type gitResult struct {
	mounted, added       []time.Duration // a worktree: ours, git's
	committed, committer []time.Duration // ten files: ours, git's
	toBlock, toDisk      []time.Duration
	lateSave, lateEdit   []time.Duration
	saves, edits         int
	others               []float64
}

// measureCommits measures a mount of a large repository, commits, and edits on
// their way between disk and blocks, beside the git command.
func measureCommits(ctx context.Context, opt *ClusterOptions) (*Table, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, fmt.Errorf("there is no git on this machine: %w", kaijutsu.ErrUnavailable)
	}
	r := &gitResult{}
	for round := range opt.Rounds {
		if err := commitsRound(ctx, opt, round, r); err != nil {
			return nil, err
		}
	}
	return r.table(ctx)
}

func commitsRound(ctx context.Context, opt *ClusterOptions, round int, r *gitResult) error {
	dir, err := os.MkdirTemp(opt.Dir, "kj-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	opt.say("round %d of %d: a repository of %d files (load %s)", round+1, opt.Rounds, treeFiles, loadAverage())
	source := repository{filepath.Join(dir, "source")}
	if err := source.fillTree(ctx); err != nil {
		return err
	}
	rival := repository{filepath.Join(dir, "rival")}
	began := time.Now()
	if _, err := source.git(ctx, nil, "worktree", "add", "-q", "-b", "rival", rival.dir); err != nil {
		return err
	}
	r.added = append(r.added, time.Since(began))
	ours, err := openMounted(ctx, opt, filepath.Join(dir, "data"), source.dir)
	if err != nil {
		return err
	}
	defer ours.close()
	r.mounted = append(r.mounted, ours.mounted)
	opt.say("  a worktree: ours %v, git's %v", ours.mounted.Round(time.Millisecond), r.added[round].Round(time.Millisecond))
	if err := alternate(ctx, ours, rival, r); err != nil {
		return err
	}
	opt.say("  commits of %d files, p50: ours %s ms, git's %s ms", commitFiles, number(quantile(r.committed, 0.5)), number(quantile(r.committer, 0.5)))
	g, err := startGauge(ours.p.PID())
	if err != nil {
		return err
	}
	if err := ours.saves(ctx, opt.For, r); err != nil {
		return err
	}
	if err := ours.edits(ctx, opt.For, r); err != nil {
		return err
	}
	used, err := g.stop()
	r.others = append(r.others, used.percent(used.others))
	opt.say("  disk → block p99 %s ms, block → disk p99 %s ms", number(quantile(r.toBlock, 0.99)), number(quantile(r.toDisk, 0.99)))
	return err
}

// alternate makes commits, ours and git's in turn, and has git say that both are
// what they are to be.
func alternate(ctx context.Context, ours *mounted, rival repository, r *gitResult) error {
	for i := range commitRuns {
		took, err := ours.commit(ctx, i)
		if err != nil {
			return fmt.Errorf("commit %d: %w", i, err)
		}
		r.committed = append(r.committed, took)
		if took, err = rival.commitTen(ctx, i); err != nil {
			return fmt.Errorf("git's commit %d: %w", i, err)
		}
		r.committer = append(r.committer, took)
	}
	for _, at := range []repository{{ours.dir}, rival} {
		out, err := at.git(ctx, nil, "log", "-1", "--format=%s", "--name-only")
		if err != nil {
			return err
		}
		if lines := strings.Fields(out); len(lines) != 2+commitFiles {
			return fmt.Errorf("the last commit in %s is %q, want %d files: %w", at.dir, out, commitFiles, kaijutsu.ErrConflict)
		}
		if out, err = at.git(ctx, nil, "status", "--porcelain"); err != nil || out != "" {
			return fmt.Errorf("status in %s is %.300q, want nothing (%w)", at.dir, out, err)
		}
	}
	return nil
}

// treeFile is the path of a file of the repository.
func treeFile(i int) string { return fmt.Sprintf("d%02d/f%05d.txt", i%treeDirs, i) }

// tenText is what a file holds for a commit: the same for us and for git.
func tenText(file, run int) string {
	return fmt.Sprintf("%s\nrun %d\n%s\n", prose(file), run, prose(file+run))
}

// fillTree makes the repository, with one commit.
func (r repository) fillTree(ctx context.Context) error {
	if out, err := exec.CommandContext(ctx, "git", "init", "-q", "-b", "main", r.dir).CombinedOutput(); err != nil {
		return fmt.Errorf("git init: %w: %.300s", err, out)
	}
	for _, kv := range [][2]string{{"user.name", "Bench"}, {"user.email", "bench@example.org"}, {"gc.auto", "0"}} {
		if _, err := r.git(ctx, nil, "config", kv[0], kv[1]); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "commit refs/heads/main\ncommitter Bench <bench@example.org> 1700000000 +0000\ndata 1\n.\n")
	for i := range treeFiles {
		text := tenText(i, -1)
		fmt.Fprintf(&b, "M 100644 inline %s\ndata %d\n%s\n", treeFile(i), len(text), text)
	}
	if _, err := r.git(ctx, &b, "fast-import", "--quiet"); err != nil {
		return err
	}
	_, err := r.git(ctx, nil, "reset", "-q", "--hard")
	return err
}

// commitTen changes ten files and commits them with git, and returns what git
// took.
func (r repository) commitTen(ctx context.Context, run int) (time.Duration, error) {
	args := []string{"commit", "-q", "-m", fmt.Sprintf("run %d", run), "--"}
	for i := range commitFiles {
		name := treeFile(i)
		if err := os.WriteFile(filepath.Join(r.dir, name), []byte(tenText(i, run)), 0o644); err != nil {
			return 0, err
		}
		args = append(args, name)
	}
	began := time.Now()
	_, err := r.git(ctx, nil, args...)
	return time.Since(began), err
}

// table holds ours and git's side by side.
func (r *gitResult) table(ctx context.Context) (*Table, error) {
	t := newTable(fmt.Sprintf("A repository of %d files: mounts, commits of %d files, and edits between disk and blocks", treeFiles, commitFiles), "kj bench git", "", "Kaijutsu", "git", "git / Kaijutsu")
	row := func(what string, ours, theirs []time.Duration, q float64) {
		a, b := quantile(ours, q), quantile(theirs, q)
		t.add(what, known(a), known(b), ratioOf(b, a))
	}
	row("a worktree: kj mount, and git worktree add, median, ms", r.mounted, r.added, 0.5)
	row(fmt.Sprintf("commit of %d changed files, p50, ms", commitFiles), r.committed, r.committer, 0.5)
	row("… p99, ms", r.committed, r.committer, 0.99)
	row(fmt.Sprintf("saved on the disk, %d a second → told to who follows the block, p50, ms", driftRate), r.toBlock, nil, 0.5)
	row("… p99, ms", r.toBlock, nil, 0.99)
	row("… the slowest, ms", r.toBlock, nil, 1)
	row(fmt.Sprintf("written to a block, %d a second → on the disk, p50, ms", driftRate), r.toDisk, nil, 0.5)
	row("… p99, ms", r.toDisk, nil, 0.99)
	row("… the slowest, ms", r.toDisk, nil, 1)
	version, err := exec.CommandContext(ctx, "git", "--version").Output()
	if err != nil {
		return nil, err
	}
	t.note("%s. Ours is one request over HTTP to a server with the files open as blocks: besides the commit it computes who wrote what, writes the note of every line, a block that tells of it, and is on the disk. git's is one process: git commit -- with the ten paths.", strings.TrimSpace(string(version)))
	t.note("%d commits of each, in turn; git says of both that the last one has %d files and that nothing is left over.", len(r.committed), commitFiles)
	t.note("Saves are of a temporary file that is renamed, as editors do it, over %d open files in turn; %d of %d were told of. Of edits %d of %d reached the disk, which is looked at every millisecond.", commitFiles, len(r.toBlock), r.saves, len(r.toDisk), r.edits)
	others, _ := spreadOf(r.others)
	t.note("Timers late by %s ms (saves) and %s ms (edits), p99. Everybody else on the machine: %s %% of one core. Load average at the end: %s.",
		number(quantile(r.lateSave, 0.99)), number(quantile(r.lateEdit, 0.99)), known(others.median), loadAverage())
	return t, nil
}
