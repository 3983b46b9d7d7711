package git

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kaijutsu"
)

func TestSwitchAsGitDoes(t *testing.T) {
	for seed := range uint64(6) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		s := newSandbox(t)
		s.commit("one", map[string]string{"a": "1\n", "d1/b.txt": "2\n", "d1/e/a": "3\n", "d2/x.bat": "4\n", ".gitattributes": "*.bat text eol=crlf\n"})
		s.git("checkout", "-q", "-b", "other")
		for range 12 {
			s.mess(rnd)
		}
		s.git("add", "-A")
		s.git("commit", "-q", "--allow-empty", "-m", "other")
		s.git("checkout", "-q", "main")
		s.git("clean", "-q", "-dffx")
		for round := range 6 {
			for range rnd.IntN(3) {
				s.mess(rnd)
			}
			target := "other"
			if s.git("branch", "--show-current") == "other" {
				target = "main"
			}
			// The same in a copy, by git.
			twin := s.at(filepath.Join(t.TempDir(), "twin"))
			s.run(osexec.Command("cp", "-a", s.dir, twin.dir))
			gitErr := twin.cmd("switch", "-q", target).Run()
			err := s.worktree().Switch(context.Background(), target, carl)
			what := fmt.Sprintf("seed %d round %d to %s", seed, round, target)
			if (err == nil) != (gitErr == nil) {
				t.Fatalf("%s: error %v, git's %v\n%s", what, err, gitErr, s.gitStatus())
			}
			if err != nil && !errors.Is(err, kaijutsu.ErrConflict) {
				t.Fatalf("%s: %v", what, err)
			}
			for _, args := range [][]string{{"status", "--porcelain=v2", "--branch", "-uall"}, {"ls-files", "-s"}} {
				if got, want := s.git(args...), twin.git(args...); got != want {
					t.Fatalf("%s: git %v:\n%s\nwhere git did it:\n%s", what, args, got, want)
				}
			}
			if err != nil {
				s.git("reset", "-q", "--hard")
				s.git("clean", "-q", "-dffx")
				continue
			}
			if got := s.git("reflog", "-1", "--format=%gs"); !strings.HasPrefix(got, "checkout: moving from ") || !strings.HasSuffix(got, " to "+target) {
				t.Errorf("%s: the reflog says %q", what, got)
			}
		}
		s.agrees()
	}
}

func TestSwitchRefuses(t *testing.T) {
	s := newSandbox(t)
	s.commit("one", map[string]string{"a": "1\n"})
	s.git("branch", "taken")
	s.git("worktree", "add", "-q", filepath.Join(t.TempDir(), "w"), "taken")
	w := s.worktree()
	if err := w.Switch(context.Background(), "taken", carl); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("a branch that is checked out elsewhere: error %v, want ErrConflict", err)
	}
	if err := w.Switch(context.Background(), "nowhere", carl); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("an unknown branch: error %v, want ErrNotFound", err)
	}
	if err := w.Switch(context.Background(), "a..b", carl); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("a bad name: error %v, want ErrInvalid", err)
	}
}

func TestBranches(t *testing.T) {
	s := newSandbox(t)
	s.commit("one", map[string]string{"a": "1\n"})
	r := s.repo()
	if err := r.CreateBranch("feature/x", "", carl); err != nil {
		t.Fatal(err)
	}
	s.git("pack-refs", "--all")
	for name, tc := range map[string]struct {
		err  error
		want error
	}{
		"twice":                  {r.CreateBranch("feature/x", "main", carl), kaijutsu.ErrConflict},
		"below another":          {r.CreateBranch("feature/x/y", "main", carl), kaijutsu.ErrConflict},
		"above another":          {r.CreateBranch("feature", "main", carl), kaijutsu.ErrConflict},
		"an unknown start":       {r.CreateBranch("z", "nowhere", carl), kaijutsu.ErrNotFound},
		"delete the current one": {r.DeleteBranch("main", true), kaijutsu.ErrConflict},
		"delete an unknown one":  {r.DeleteBranch("z", true), kaijutsu.ErrNotFound},
	} {
		if !errors.Is(tc.err, tc.want) {
			t.Errorf("%s: error %v, want %v", name, tc.err, tc.want)
		}
	}
	if got := s.git("reflog", "feature/x", "--format=%gs"); got != "branch: Created from HEAD" {
		t.Errorf("reflog %q", got)
	}
	s.git("checkout", "-q", "feature/x")
	s.commit("two", map[string]string{"a": "2\n"})
	s.git("checkout", "-q", "main")
	if err := r.DeleteBranch("feature/x", false); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("a branch with commits of its own: error %v, want ErrConflict", err)
	}
	all, err := r.Branches()
	if err != nil || len(all) != 2 || all[0].Name != "feature/x" || all[1].Worktree != s.dir {
		t.Errorf("Branches() = %+v, %v", all, err)
	}
	if err := r.DeleteBranch("feature/x", true); err != nil {
		t.Fatal(err)
	}
	if got := s.git("for-each-ref", "--format=%(refname)"); got != "refs/heads/main" {
		t.Errorf("refs %q", got)
	}
}

func TestEpoch(t *testing.T) {
	s := newSandbox(t)
	w := s.worktree()
	is := func(what, branch, state string) {
		t.Helper()
		head := Hash("")
		if out, err := s.cmd("rev-parse", "--verify", "-q", "HEAD").Output(); err == nil {
			head = Hash(strings.TrimSpace(string(out)))
		}
		e, err := w.Epoch()
		if err != nil || e.Branch != branch || e.State != state || e.Head != head {
			t.Errorf("%s: Epoch() = %+v, %v, want branch %q, state %q, head %s", what, e, err, branch, state, head)
		}
	}
	is("unborn", "main", "")
	s.commit("one", map[string]string{"a": "1\n"})
	is("one commit", "main", "")
	s.git("checkout", "-q", "-b", "feature/x")
	s.commit("two", map[string]string{"a": "2\n"})
	is("on a branch", "feature/x", "")
	s.git("pack-refs", "--all")
	is("packed", "feature/x", "")
	s.git("checkout", "-q", "main")
	s.commit("three", map[string]string{"a": "3\n"})
	s.cmd("cherry-pick", "feature/x").Run()
	is("cherry-pick", "main", "cherry-pick")
	s.git("cherry-pick", "--abort")
	s.cmd("rebase", "feature/x").Run()
	is("rebase", "", "rebase")
	s.git("rebase", "--abort")
	s.cmd("rebase", "--apply", "feature/x").Run()
	is("rebase --apply", "", "rebase")
	s.git("rebase", "--abort")
	s.cmd("revert", "--no-edit", "feature/x").Run()
	is("revert", "main", "revert")
	s.cmd("revert", "--abort").Run()
	patch := s.raw("format-patch", "-1", "--stdout", "feature/x")
	cmd := s.cmd("am")
	cmd.Stdin = strings.NewReader(patch)
	cmd.Run()
	is("am", "main", "am")
	s.git("am", "--abort")
	s.git("bisect", "start", "HEAD", "HEAD~1")
	e, err := w.Epoch()
	if err != nil || e.State != "bisect" {
		t.Errorf("bisect: Epoch() = %+v, %v", e, err)
	}
	s.git("bisect", "reset")
	is("at the end", "main", "")
	before, _ := w.Epoch()
	s.write("a", "4\n")
	s.git("add", "a")
	if after, _ := w.Epoch(); after == before {
		t.Error("git add does not change the epoch")
	}
}

func TestDiffsApply(t *testing.T) {
	for seed := range uint64(5) {
		rnd := rand.New(rand.NewPCG(seed, 4))
		s := newSandbox(t)
		s.commit("one", map[string]string{"a": "1\n", "d1/b.txt": "2\nx\n", "d1/e/a": "3\n", "d2/x.bat": "4\n", "d2/a b": "no end", "r": "to be renamed\n", ".gitattributes": "*.bat text eol=crlf\n"})
		s.git("mv", "r", "q")
		for range 12 {
			s.mess(rnd)
		}
		s.git("add", "-A")
		if s.git("status", "--porcelain") == "" {
			continue
		}
		w := s.worktree()
		diffs, err := w.Diff(context.Background(), DiffOptions{To: SideIndex})
		if err != nil {
			t.Fatal(err)
		}
		disk, err := w.Diff(context.Background(), DiffOptions{})
		if err != nil || len(disk) != len(diffs) {
			t.Errorf("the worktree has %d changed files (%v), the index %d", len(disk), err, len(diffs))
		}
		var patch strings.Builder
		for i, d := range diffs {
			patch.WriteString(d.Unified)
			if d.Unified != disk[i].Unified {
				t.Errorf("of %s, index:\n%s\nworktree:\n%s", d.Path, d.Unified, disk[i].Unified)
			}
		}
		want := s.git("write-tree")
		s.git("reset", "-q", "--hard")
		cmd := s.cmd("apply", "--cached", "-")
		cmd.Stdin = strings.NewReader(patch.String())
		var out strings.Builder
		cmd.Stderr = &out
		if err := cmd.Run(); err != nil {
			t.Fatalf("seed %d: git apply: %s\n%s", seed, out.String(), patch.String())
		}
		if got := s.git("write-tree"); got != want {
			t.Errorf("seed %d: git apply makes %s, want %s\n%s", seed, got, want, patch.String())
		}
	}
}

func TestLogAsGitPrintsIt(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 5))
	s := newSandbox(t)
	s.commit("base", map[string]string{"a": "1\n", "d/b": "1\n", "d/c": "1\n"})
	for i := range 25 {
		branch := fmt.Sprintf("b%d", rnd.IntN(4))
		if s.cmd("checkout", "-q", branch).Run() != nil {
			s.git("checkout", "-q", "-b", branch)
		}
		if rnd.IntN(4) == 0 {
			s.cmd("merge", "-q", "-X", "ours", "-m", "merge", fmt.Sprintf("b%d", rnd.IntN(4))).Run()
			continue
		}
		s.commit(fmt.Sprint("c", i), map[string]string{[]string{"a", "d/b", "d/c"}[rnd.IntN(3)]: fmt.Sprintln(rnd.IntN(3))})
	}
	w := s.worktree()
	for _, path := range []string{"", "a", "d", "d/b", "nothing"} {
		for _, rev := range []string{"HEAD", "main", "b1", "HEAD~2", "HEAD^"} {
			if s.cmd("rev-parse", "-q", "--verify", rev).Run() != nil {
				continue
			}
			got, err := w.Log(context.Background(), rev, 0, path)
			if err != nil {
				t.Fatal(err)
			}
			args := []string{"log", "--format=%H", rev, "--"}
			if path != "" {
				args = append(args, path)
			}
			var hashes []string
			for _, c := range got {
				hashes = append(hashes, string(c.Hash))
			}
			if got, want := strings.Join(hashes, "\n"), s.git(args...); got != want {
				t.Errorf("Log(%q, %q):\n%s\ngit log:\n%s", rev, path, got, want)
			}
		}
	}
	short := string(s.rev("HEAD"))[:8]
	if h, err := w.Resolve(short); err != nil || h != s.rev("HEAD") {
		t.Errorf("Resolve(%q) = %s, %v", short, h, err)
	}
	s.git("gc", "-q")
	if h, err := w.Resolve(short); err != nil || h != s.rev("HEAD") {
		t.Errorf("packed: Resolve(%q) = %s, %v", short, h, err)
	}
	if b, err := w.Repo().FileAt(s.rev("HEAD"), "d/b"); err != nil || string(b.Data) != s.raw("cat-file", "blob", "HEAD:d/b") {
		t.Errorf("FileAt = %+v, %v", b, err)
	}
}

// raw runs the git command and returns all that it prints.
func (s *sandbox) raw(args ...string) string {
	s.t.Helper()
	out, err := s.cmd(args...).Output()
	if err != nil {
		s.t.Fatalf("%v: %v", args, err)
	}
	return string(out)
}
