package bench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"kaijutsu"
)

// repository is a git repository with a commit for each state of one file.
type repository struct{ dir string }

// measureGit reads the citations from a repository in which the text was
// committed every commitEvery changes. Without a git it notes that.
func measureGit(ctx context.Context, dir string, cited []citation, commits []string, row func(string, []time.Duration), t *Table) error {
	if _, err := exec.LookPath("git"); err != nil {
		t.note("There is no git on this machine.")
		return nil
	}
	r := repository{filepath.Join(dir, "git")}
	if err := r.fill(ctx, commits); err != nil {
		return err
	}
	for _, m := range []struct {
		what string
		last int // the last commit that it is asked for
		read func(context.Context, citation) (string, error)
	}{
		{"git show, a process each: the whole text at a commit", len(commits), r.show},
		{"git blame -L, a process each: the lines at a commit, and where each is from", len(commits), r.blame},
		{"git blame --reverse -L, a process each: until which commit each line stood", len(commits) - 2, r.reverse},
	} {
		var took []time.Duration
		for _, c := range cited {
			if c.commit < 0 || c.commit > m.last {
				continue
			}
			began := time.Now()
			out, err := m.read(ctx, c)
			if err != nil {
				return err
			}
			took = append(took, time.Since(began))
			if first, _, _ := strings.Cut(c.want, "\n"); !strings.Contains(out, first) {
				return fmt.Errorf("%s does not show %q: %w", m.what, first, kaijutsu.ErrConflict)
			}
		}
		row(m.what, took)
	}
	took, err := r.batch(ctx, cited)
	if err != nil {
		return err
	}
	row("git cat-file --batch, one process: the whole text at a commit", took)
	out, err := exec.CommandContext(ctx, "git", "--version").Output()
	if err != nil {
		return err
	}
	t.note("%s has %d commits of the same text, one for %d changes, packed. It knows the text at commits, not at each keystroke, and by lines, not by characters; none of its commands says both what lines said and whether they still stand. It is given the commits that the citations are of.",
		strings.TrimSpace(string(out)), len(commits), commitEvery)
	return nil
}

// git runs a command in the repository and returns what it prints.
func (r repository) git(ctx context.Context, in io.Reader, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", r.dir, "-c", "core.pager=cat"}, args...)...)
	var problem bytes.Buffer
	cmd.Stdin, cmd.Stderr = in, &problem
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %.300s", args[0], err, problem.String())
	}
	return string(out), nil
}

// fill makes the repository, commit i with the tag i.
func (r repository) fill(ctx context.Context, commits []string) error {
	if out, err := exec.CommandContext(ctx, "git", "init", "-q", "-b", "main", r.dir).CombinedOutput(); err != nil {
		return fmt.Errorf("git init: %w: %.300s", err, out)
	}
	var b bytes.Buffer
	for i, text := range commits {
		fmt.Fprintf(&b, "commit refs/heads/main\ncommitter bench <bench@example.org> %d +0000\ndata 1\n.\nM 100644 inline text\ndata %d\n%s\n", 1_700_000_000+i, len(text), text)
		fmt.Fprintf(&b, "reset refs/tags/%d\nfrom refs/heads/main\n\n", i)
	}
	if _, err := r.git(ctx, &b, "fast-import", "--quiet"); err != nil {
		return err
	}
	_, err := r.git(ctx, nil, "gc", "--quiet")
	return err
}

func (r repository) show(ctx context.Context, c citation) (string, error) {
	return r.git(ctx, nil, "show", fmt.Sprintf("%d:text", c.commit))
}

func (r repository) blame(ctx context.Context, c citation) (string, error) {
	return r.git(ctx, nil, "blame", fmt.Sprintf("-L%d,%d", c.first, c.last), fmt.Sprint(c.commit), "--", "text")
}

func (r repository) reverse(ctx context.Context, c citation) (string, error) {
	return r.git(ctx, nil, "blame", "--reverse", fmt.Sprintf("-L%d,%d", c.first, c.last), fmt.Sprintf("%d..main", c.commit), "--", "text")
}

// batch reads the text of the citations' commits through one process.
func (r repository) batch(ctx context.Context, cited []citation) (took []time.Duration, err error) {
	cmd := exec.CommandContext(ctx, "git", "-C", r.dir, "cat-file", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	out := bufio.NewReaderSize(stdout, 256<<10)
	for _, c := range cited {
		if c.commit < 0 {
			continue
		}
		began := time.Now()
		if _, err := fmt.Fprintf(in, "%d:text\n", c.commit); err != nil {
			return nil, err
		}
		var hash, kind string
		var size int
		if _, err := fmt.Fscanf(out, "%s %s %d\n", &hash, &kind, &size); err != nil {
			return nil, fmt.Errorf("git cat-file: %w", err)
		}
		text := make([]byte, size+1)
		if _, err := io.ReadFull(out, text); err != nil {
			return nil, fmt.Errorf("git cat-file: %w", err)
		}
		took = append(took, time.Since(began))
		if !bytes.Contains(text, []byte(c.want)) {
			return nil, fmt.Errorf("git cat-file does not show %q: %w", c.want, kaijutsu.ErrConflict)
		}
	}
	if err := in.Close(); err != nil {
		return nil, err
	}
	return took, cmd.Wait()
}
