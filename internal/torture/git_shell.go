package torture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// switchTries is how often a branch is asked for while writing goes on: git
// refuses whenever something was written since the commit before it.
const switchTries = 12

// lockTimeout is how long git may find a lock taken while the server runs.
const lockTimeout = 10 * time.Second

// git runs the git command as the user of the repository does.
func (b *bench) git(ctx context.Context, dir string, args ...string) (string, error) {
	return b.command(ctx, dir, "git", append([]string{"-c", "init.defaultBranch=main", "-c", "gc.auto=0", "-c", "core.quotePath=false"}, args...)...)
}

// command runs a program and returns what it writes; the error holds what it
// says besides.
func (b *bench) command(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + b.s.dir, "LC_ALL=C", "TZ=UTC", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Olga", "GIT_AUTHOR_EMAIL=olga@example.org", "GIT_COMMITTER_NAME=Olga", "GIT_COMMITTER_EMAIL=olga@example.org",
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return out.String(), fmt.Errorf("%s %s: %w: %.500s", name, strings.Join(args, " "), err, strings.TrimSpace(errs.String()+out.String()))
	}
	return out.String(), nil
}

// sed writes a line into a file with sed -i, which makes another file and puts
// it in the place of the first.
func (b *bench) sed(ctx context.Context) error {
	b.seds++
	l := b.book.line(sedName, b.seds, pick(b.s.random, gitFiles...))
	b.book.onBranch(l, b.branch)
	if _, err := b.command(ctx, b.tree, "sed", "-i", fmt.Sprintf(`s/^%s$/&\n%s/`, heading(sedName), l.text), l.file); err != nil {
		return err
	}
	b.book.ack(l)
	b.g.BySed++
	return nil
}

// commitByGit commits everything with git commit -a. The lock of a server that
// was killed while it committed stands until it has started again.
func (b *bench) commitByGit(ctx context.Context) error {
	for end := time.Now().Add(lockTimeout); time.Now().Before(end); {
		out, err := b.git(ctx, b.tree, "commit", "-qam", "by hand")
		switch {
		case err == nil:
			b.g.ByGit++
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case strings.Contains(out, "nothing to commit"), strings.Contains(out, "nothing added to commit"):
			return nil
		case !strings.Contains(err.Error(), ".lock") && !strings.Contains(err.Error(), "cannot lock ref"):
			return err
		}
		if b.g.Busy++; b.down {
			return nil
		}
		if err := b.s.pause(ctx, gitPause/4); err != nil {
			return err
		}
	}
	b.problem("git commit finds a lock for %v", lockTimeout)
	return nil
}

// commitByServer has somebody commit everything, or a file.
func (b *bench) commitByServer(ctx context.Context) {
	in := map[string]any{"mount": mountPath, "message": fmt.Sprintf("commit %d", b.g.ByServer+1)}
	if b.s.random.IntN(2) == 0 {
		in["all"] = true
	} else {
		in["paths"] = []string{pick(b.s.random, gitFiles...)}
	}
	var out struct{ Committed bool }
	err := b.as(pick(b.s.random, gitWriters...).name).call(ctx, "git_commit", in, &out)
	var no *refused
	switch {
	case err == nil && out.Committed:
		b.g.ByServer++
	case err == nil:
		b.problem("git_commit committed nothing and says nothing of it")
	case errors.As(err, &no) && (no.status == http.StatusConflict || no.status == http.StatusServiceUnavailable):
		b.g.Refused++ // there was nothing, or git was at work
	case ctx.Err() == nil:
		b.problem("git_commit: %v", err)
	}
}

// switchByGit commits what there is and switches the worktree to a branch, while
// everybody goes on.
func (b *bench) switchByGit(ctx context.Context, to string) error {
	for range switchTries {
		if err := b.commitByGit(ctx); err != nil {
			return err
		}
		verb := pick(b.s.random, "switch", "checkout")
		_, err := b.git(ctx, b.tree, verb, "-q", to)
		switch {
		case err == nil:
			b.branch = to
			b.g.Switches++
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !strings.Contains(err.Error(), "local changes") && !strings.Contains(err.Error(), ".lock"):
			return err
		}
		b.g.Busy++
	}
	return nil
}

// switchByServer does the same by git_branch.
func (b *bench) switchByServer(ctx context.Context, to string) error {
	if err := b.commitByGit(ctx); err != nil {
		return err
	}
	err := b.as("").call(ctx, "git_branch", map[string]any{"mount": mountPath, "action": "switch", "name": to}, nil)
	var no *refused
	switch {
	case err == nil:
		b.branch = to
		b.g.Switches++
	case errors.As(err, &no) && (no.status == http.StatusConflict || no.status == http.StatusServiceUnavailable):
		b.g.Refused++
	case ctx.Err() == nil:
		b.problem("git_branch switch: %v", err)
	}
	return b.where(ctx)
}

// where asks git which branch the worktree is on.
func (b *bench) where(ctx context.Context) error {
	out, err := b.git(ctx, b.tree, "symbolic-ref", "--short", "HEAD")
	if err == nil {
		b.branch = strings.TrimSpace(out)
	}
	return err
}

// newBranch makes a branch with git checkout -b, which takes everything along
// that is there: so nobody may write meanwhile, or it would not be known on which
// of the two it is.
func (b *bench) newBranch(ctx context.Context) error {
	if len(b.branches) >= maxBranches {
		return nil
	}
	b.typing.Lock()
	defer b.typing.Unlock()
	if err := b.settle(ctx); err != nil {
		return err
	}
	if err := b.commitByGit(ctx); err != nil {
		return err
	}
	name := fmt.Sprintf("topic-%d", len(b.branches)-1)
	if _, err := b.git(ctx, b.tree, "checkout", "-qb", name); err != nil {
		return err
	}
	b.book.fork(b.branch, name)
	b.branches = append(b.branches, name)
	b.branch = name
	b.g.Branches++
	args := append([]string{"-i", "s/^" + baseMark + ".*/" + baseMark + name + "/"}, gitFiles...)
	if _, err := b.command(ctx, b.tree, "sed", args...); err != nil {
		return err
	}
	if err := b.commitByGit(ctx); err != nil {
		return err
	}
	return b.settle(ctx)
}

// settle waits until the mount is on the branch that the worktree is on, and its
// blocks hold what the disk holds.
func (b *bench) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, mountTimeout)
	defer cancel()
	calm, conflicts := 0, 0
	return b.s.await(ctx, "blocks and disk agree on "+b.branch, func() error {
		m, err := b.inStep(ctx)
		if err != nil {
			if calm = 0; m.Conflicts > 0 {
				if conflicts++; conflicts == maxConflicts {
					cancel()
				}
			}
			return err
		}
		if calm++; calm < 3 {
			return fmt.Errorf("they did only now: %w", errStands)
		}
		return nil
	})
}

// maxConflicts is how often a conflict is seen before nobody waits for its end.
const maxConflicts = 20

// inStep says in what blocks and disk do not agree.
func (b *bench) inStep(ctx context.Context) (mountState, error) {
	m, err := b.mounted(ctx)
	switch {
	case err != nil:
		return m, err
	case m.State != "ready" || m.Branch != b.branch || m.Dirty > 0:
		return m, fmt.Errorf("the mount is %s %s, on %s, %d files dirty, %d in conflict: %w", m.State, m.Reason, m.Branch, m.Dirty, m.Conflicts, errStands)
	}
	b.book.isOf(m.Context, m.Branch)
	for _, name := range gitFiles {
		f, err := b.file(ctx, name)
		if err != nil {
			return m, err
		}
		onDisk, err := os.ReadFile(b.tree + "/" + name)
		if err != nil {
			return m, err
		}
		if f.Content != string(onDisk) || f.Context != m.Context {
			return m, fmt.Errorf("%s: block of %d bytes, file of %d: %w: %s", name, len(f.Content), len(onDisk), errStands, firstDifference(f.Content, string(onDisk)))
		}
	}
	return m, nil
}

// firstDifference names the first lines in which two texts differ.
func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d is %q and %q", i+1, x[i], y[i])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(x), len(y))
}

// mountState is the mount, as mount_list has it.
type mountState struct {
	Path, Branch, Context, State, Reason string
	Dirty, Conflicts                     int
}

func (b *bench) mounted(ctx context.Context) (mountState, error) {
	var out struct{ Mounts []mountState }
	if err := b.as("").call(ctx, "mount_list", map[string]any{}, &out); err != nil {
		return mountState{}, err
	}
	for _, m := range out.Mounts {
		if m.Path == mountPath {
			return m, nil
		}
	}
	return mountState{}, fmt.Errorf("mount %s is not listed: %w", mountPath, errStands)
}

// openFile is a file as fs_read has it.
type openFile struct {
	Context string `json:"context"`
	Block   string `json:"block_id"`
	Content string `json:"content"`
}

func (b *bench) file(ctx context.Context, name string) (openFile, error) {
	var f openFile
	err := b.as("").call(ctx, "fs_read", map[string]any{"path": mountPath + "/" + name}, &f)
	return f, err
}

// problem notes something wrong.
func (b *bench) problem(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.r.Problems) < maxWrong {
		b.r.problem(format, args...)
	}
}
