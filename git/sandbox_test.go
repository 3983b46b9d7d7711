package git

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sandbox is a repository that the real git command looks after.
type sandbox struct {
	t   testing.TB
	dir string
	now time.Time // of the next commit by the git command
}

func newSandbox(t testing.TB) *sandbox {
	t.Helper()
	s := &sandbox{t: t, dir: t.TempDir(), now: time.Unix(1700000000, 0)}
	s.git("init", "-q")
	return s
}

func (s *sandbox) cmd(args ...string) *exec.Cmd {
	cmd := exec.Command("git", append([]string{"-c", "init.defaultBranch=main", "-c", "advice.detachedHead=false"}, args...)...)
	cmd.Dir = s.dir
	when := s.now.UTC().Format(time.RFC3339)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "LC_ALL=C", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com", "GIT_AUTHOR_DATE=" + when,
		"GIT_COMMITTER_NAME=Carl", "GIT_COMMITTER_EMAIL=carl@example.com", "GIT_COMMITTER_DATE=" + when, "GIT_EDITOR=true",
	}
	return cmd
}

// git runs the git command and returns what it prints, without the last line
// feed. Each call is a minute later than the one before.
func (s *sandbox) git(args ...string) string {
	s.t.Helper()
	return s.run(s.cmd(args...))
}

func (s *sandbox) run(cmd *exec.Cmd) string {
	s.t.Helper()
	s.now = s.now.Add(time.Minute)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("%v: %v\n%s%s", cmd.Args, err, out, stderr.Bytes())
	}
	return strings.TrimSuffix(string(out), "\n")
}

func (s *sandbox) write(path, text string) {
	s.t.Helper()
	full := filepath.Join(s.dir, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o666); err != nil {
		s.t.Fatal(err)
	}
}

// commit writes files and commits everything with the git command.
func (s *sandbox) commit(message string, files map[string]string) Hash {
	s.t.Helper()
	for path, text := range files {
		s.write(path, text)
	}
	s.git("add", "-A")
	s.git("commit", "-q", "--allow-empty", "-m", message)
	return s.rev("HEAD")
}

func (s *sandbox) rev(rev string) Hash {
	s.t.Helper()
	return Hash(s.git("rev-parse", "--verify", rev))
}

func (s *sandbox) repo() *Repo {
	s.t.Helper()
	r, err := Open(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func (s *sandbox) worktree() *Worktree {
	s.t.Helper()
	w, err := s.repo().OpenWorktree(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	return w
}

// agrees fails the test unless git finds nothing wrong with the repository.
func (s *sandbox) agrees() {
	s.t.Helper()
	if out := s.git("fsck", "--full", "--strict", "--no-dangling"); out != "" {
		s.t.Fatalf("git fsck: %s", out)
	}
}

var (
	ann  = Signature{"Ann", "ann@example.com", time.Date(2026, 3, 1, 12, 0, 0, 0, time.FixedZone("", 3600))}
	carl = Signature{"Carl", "carl@example.com", time.Date(2026, 3, 1, 11, 30, 0, 0, time.UTC)}
)

// makeCommit commits with MakeCommit on whatever HEAD is.
func (s *sandbox) makeCommit(w *Worktree, message string, files ...FileChange) CommitInfo {
	s.t.Helper()
	e, err := w.Epoch()
	if err != nil {
		s.t.Fatal(err)
	}
	c, err := w.MakeCommit(context.Background(), CommitSpec{Branch: e.Branch, Parent: e.Head, Files: files, Message: message, Author: ann, Committer: carl})
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}
