package git

import (
	"context"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaijutsu"
)

// motley is a repository with one of each kind of file.
func motley(t testing.TB) *sandbox {
	s := newSandbox(t)
	s.write("run.sh", "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(s.dir, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("deep/er/file.txt", filepath.Join(s.dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(s.dir, "out")); err != nil {
		t.Fatal(err)
	}
	s.write(".gitattributes", "*.bat text eol=crlf\n*.txt text\nraw.txt -text\n*.id ident\nutf16.* working-tree-encoding=UTF-16LE-BOM\n")
	s.write("utf16.u", "\xff\xfeh\x00\xe9\x00\n\x00")
	s.write("a.bat", "one\r\ntwo\r\n")
	s.write("raw.txt", "one\r\ntwo\n")
	s.write("deep/er/file.txt", "hello\n")
	s.write("v.id", "// $Id$\n")
	s.write("empty", "")
	s.write("bin", "\x00\x01\x02")
	s.write("名前 \"q\".txt", "x\n")
	s.git("add", "-A")
	s.git("update-index", "--add", "--cacheinfo", "160000,1111111111111111111111111111111111111111,sub")
	s.git("commit", "-q", "-m", "one")
	return s
}

func (s *sandbox) at(dir string) *sandbox {
	other := *s
	other.dir = dir
	return &other
}

func (s *sandbox) add(r *Repo, name, branch string) *sandbox {
	s.t.Helper()
	w, err := r.AddWorktree(context.Background(), WorktreeSpec{Dir: filepath.Join(s.t.TempDir(), name), Branch: branch, By: carl})
	if err != nil {
		s.t.Fatal(err)
	}
	return s.at(w.Dir())
}

func TestAddWorktreeLeavesWhatGitLeaves(t *testing.T) {
	for _, packed := range []bool{false, true} {
		s := motley(t)
		if packed {
			s.git("gc", "-q")
		}
		ours := s.add(s.repo(), "ours", "feature/x")
		theirs := s.at(filepath.Join(t.TempDir(), "theirs"))
		s.git("worktree", "add", "-q", "-b", "feature/y", theirs.dir, "main")
		for _, args := range [][]string{
			{"status", "--porcelain=v2", "--ignored"}, {"ls-files", "--stage"}, {"ls-files", "--eol"}, {"diff", "--stat"},
			{"rev-parse", "ORIG_HEAD"}, {"reflog", "--format=%gs"}, {"write-tree"}, {"config", "--list", "--local"},
		} {
			if got, want := ours.git(args...), theirs.git(args...); got != want {
				t.Errorf("git %v in ours:\n%s\nin git's:\n%s", args, got, want)
			}
		}
		if out := ours.git("status", "--porcelain", "--untracked-files=all"); out != "" {
			t.Errorf("git status: %s", out)
		}
		for _, dir := range []string{"", "deep/er"} {
			compareDirs(t, filepath.Join(ours.dir, dir), filepath.Join(theirs.dir, dir))
		}
		if !strings.Contains(s.git("worktree", "list"), ours.dir) {
			t.Errorf("git worktree list lacks %s:\n%s", ours.dir, s.git("worktree", "list"))
		}
		s.git("worktree", "prune", "-v")
		if out := s.git("fsck", "--full"); strings.Contains(strings.ReplaceAll(out, "dangling", ""), "error") {
			t.Errorf("git fsck: %s", out)
		}
		if got, want := adminFiles(t, s, "ours"), adminFiles(t, s, "theirs"); got != want {
			t.Errorf("worktrees/ours has %s, git's has %s", got, want)
		}
	}
}

func adminFiles(t *testing.T, s *sandbox, name string) string {
	var names []string
	top := filepath.Join(s.dir, ".git/worktrees", name)
	err := filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
		rel, _ := filepath.Rel(top, path)
		names = append(names, rel)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, " ")
}

func compareDirs(t *testing.T, a, b string) {
	t.Helper()
	x, err := os.ReadDir(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.ReadDir(b)
	if err != nil {
		t.Fatal(err)
	}
	if len(x) != len(y) {
		t.Fatalf("%s has %d files, %s has %d", a, len(x), b, len(y))
	}
	for i := range x {
		if x[i].Name() != y[i].Name() || x[i].Type() != y[i].Type() {
			t.Errorf("%v in ours, %v in git's", x[i], y[i])
		}
		fa, _ := x[i].Info()
		fb, _ := y[i].Info()
		if fa.Mode() != fb.Mode() {
			t.Errorf("%s: mode %v, git's %v", x[i].Name(), fa.Mode(), fb.Mode())
		}
		if !x[i].Type().IsRegular() || x[i].Name() == ".git" {
			continue
		}
		da, _ := os.ReadFile(filepath.Join(a, x[i].Name()))
		db, _ := os.ReadFile(filepath.Join(b, x[i].Name()))
		if string(da) != string(db) {
			t.Errorf("%s: content %q, git's %q", x[i].Name(), da, db)
		}
	}
}

func TestAddWorktreeTwiceAdopts(t *testing.T) {
	s := motley(t)
	r := s.repo()
	spec := WorktreeSpec{Dir: filepath.Join(t.TempDir(), "w"), Branch: "topic"}
	if _, err := r.AddWorktree(context.Background(), spec); err != nil {
		t.Fatal(err)
	}
	w, err := r.AddWorktree(context.Background(), spec)
	if err != nil {
		t.Fatalf("adopting: %v", err)
	}
	if e, err := w.Epoch(); err != nil || e.Branch != "topic" || e.Head != s.rev("main") {
		t.Errorf("Epoch() = %+v, %v", e, err)
	}
	// Its files are gone: it is made again, under the same name.
	if err := os.RemoveAll(spec.Dir); err != nil {
		t.Fatal(err)
	}
	if w, err = r.AddWorktree(context.Background(), spec); err != nil {
		t.Fatalf("after its files were removed: %v", err)
	}
	if got := filepath.Base(w.GitDir()); got != "w" {
		t.Errorf("its name is %q, want w", got)
	}
	if out := s.at(spec.Dir).git("status", "--porcelain"); out != "" {
		t.Errorf("git status: %s", out)
	}
}

func TestAddWorktreeRefuses(t *testing.T) {
	s := motley(t)
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "x"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	fresh := func() string { return filepath.Join(t.TempDir(), "w") }
	for name, tc := range map[string]struct {
		spec WorktreeSpec
		want error
	}{
		"a branch that is checked out":  {WorktreeSpec{Dir: fresh(), Branch: "main"}, kaijutsu.ErrConflict},
		"a directory that is not empty": {WorktreeSpec{Dir: full, Branch: "b1"}, kaijutsu.ErrConflict},
		"a relative directory":          {WorktreeSpec{Dir: "w", Branch: "b2"}, kaijutsu.ErrInvalid},
		"a bad branch name":             {WorktreeSpec{Dir: fresh(), Branch: "a..b"}, kaijutsu.ErrInvalid},
		"an unknown start":              {WorktreeSpec{Dir: fresh(), Branch: "b3", Start: "nowhere"}, kaijutsu.ErrNotFound},
	} {
		if _, err := s.repo().AddWorktree(context.Background(), tc.spec); !errors.Is(err, tc.want) {
			t.Errorf("%s: error %v, want %v", name, err, tc.want)
		}
	}
	if got := s.git("branch", "--list", "--format=%(refname:short)"); got != "main" {
		t.Errorf("branches that are left: %q", got)
	}
	if out := s.git("worktree", "list"); strings.Count(out, "\n") != 0 {
		t.Errorf("worktrees that are left: %s", out)
	}
}

// rawTree writes a tree object as it is.
func (s *sandbox) rawTree(entries ...treeEntry) Hash {
	s.t.Helper()
	cmd := s.cmd("hash-object", "-t", "tree", "-w", "--literally", "--stdin")
	cmd.Stdin = strings.NewReader(string(encodeTree(entries)))
	return Hash(s.run(cmd))
}

func TestHostileTreesAreNotCheckedOut(t *testing.T) {
	s := motley(t)
	blob := Hash(s.git("rev-parse", "main:run.sh"))
	inner := s.rawTree(treeEntry{"x", Regular, blob})
	names := []string{"..", ".", ".git", ".GIT", ".Git", "git~1", "GIT~1", ".git ", ".git.", ".git . .", ".git::$INDEX_ALLOCATION", ".g\u200cit",
		"\ufeff.git", `.git\hooks`, `x\.git\y`, `a\git~1`, ".gi\u206ft"}
	for _, name := range names {
		for _, tree := range []Hash{
			s.rawTree(treeEntry{name, Tree, inner}), s.rawTree(treeEntry{name, Regular, blob}),
			s.rawTree(treeEntry{"sub", Tree, s.rawTree(treeEntry{name, Symlink, blob})}),
		} {
			s.refuses(name, tree)
		}
	}
	s.refuses("a link .gitmodules", s.rawTree(treeEntry{".gitmodules", Symlink, blob}))
	// A link, and a directory of the same name: the second would be written
	// through the first.
	data := append(encodeTree([]treeEntry{{"a", Symlink, blob}}), encodeTree([]treeEntry{{"a", Tree, inner}})...)
	cmd := s.cmd("hash-object", "-t", "tree", "-w", "--literally", "--stdin")
	cmd.Stdin = strings.NewReader(string(data))
	tree := Hash(s.run(cmd))
	raw, _ := hex.DecodeString(string(tree))
	if len(raw) != 20 {
		t.Fatalf("tree %q", tree)
	}
	twice := s.rawTree(treeEntry{"top", Tree, tree})
	dir := filepath.Join(t.TempDir(), "w")
	_, err := s.repo().AddWorktree(context.Background(), WorktreeSpec{Dir: dir, Branch: "twice", Start: s.git("commit-tree", "-m", "x", string(twice))})
	if err == nil {
		if fi, statErr := os.Lstat(filepath.Join(dir, "top", "a")); statErr != nil || fi.Mode()&os.ModeSymlink != 0 && exists(filepath.Join(dir, "top/a/x")) {
			t.Errorf("written through a link: %v %v", fi, statErr)
		}
	}
}

func (s *sandbox) refuses(name string, tree Hash) {
	s.t.Helper()
	dir := filepath.Join(s.t.TempDir(), "w")
	commit := s.git("commit-tree", "-m", "x", string(tree))
	_, err := s.repo().AddWorktree(context.Background(), WorktreeSpec{Dir: dir, Branch: "hostile", Start: commit})
	if !errors.Is(err, kaijutsu.ErrInvalid) {
		s.t.Errorf("%q: error %v, want ErrInvalid", name, err)
	}
	if exists(dir) || exists(filepath.Join(s.dir, ".git/worktrees")) || s.git("branch", "--list", "hostile") != "" {
		s.t.Errorf("%q: something is left", name)
	}
}

func TestRemoveWorktree(t *testing.T) {
	s := motley(t)
	r := s.repo()
	ours := s.add(r, "ours", "topic")
	w, err := r.OpenWorktree(ours.dir)
	if err != nil {
		t.Fatal(err)
	}
	ours.write("new.txt", "precious\n")
	if err := w.Remove(context.Background(), false); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("with an untracked file: error %v, want ErrConflict", err)
	}
	if err := w.Remove(context.Background(), true); err != nil {
		t.Fatal(err)
	}
	if exists(ours.dir) || strings.Count(s.git("worktree", "list"), "\n") != 0 {
		t.Error("the worktree is still there")
	}
	main, err := r.OpenWorktree(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := main.Remove(context.Background(), true); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("the main worktree: error %v, want ErrInvalid", err)
	}
}

func TestAddWorktreeToABareRepository(t *testing.T) {
	s := motley(t)
	bare := s.at(filepath.Join(t.TempDir(), "bare.git"))
	s.git("clone", "-q", "--bare", s.dir, bare.dir)
	r, err := Open(bare.dir)
	if err != nil {
		t.Fatal(err)
	}
	ours := s.add(r, "ours", "main")
	if out := ours.git("status", "--porcelain"); out != "" {
		t.Errorf("git status: %s", out)
	}
	list, err := r.Worktrees()
	if err != nil || len(list) != 2 || !list[0].Bare || list[1].Branch != "main" || list[1].Dir != ours.dir {
		t.Errorf("Worktrees() = %+v, %v", list, err)
	}
}

func TestAddWorktreeWithoutCommits(t *testing.T) {
	s := newSandbox(t)
	s.git("symbolic-ref", "HEAD", "refs/heads/other")
	ours := s.add(s.repo(), "ours", "main")
	if out := ours.git("status", "--porcelain=v2", "--branch"); !strings.Contains(out, "branch.head main") {
		t.Errorf("git status: %s", out)
	}
	w, err := s.repo().OpenWorktree(ours.dir)
	if err != nil {
		t.Fatal(err)
	}
	if log, err := w.Log(context.Background(), "", 10, ""); err != nil || len(log) != 0 {
		t.Errorf("Log() = %v, %v", log, err)
	}
}

func TestHeadBranch(t *testing.T) {
	s := newSandbox(t)
	if got := HeadBranch(s.dir); got != "main" {
		t.Errorf("without a commit: %q, want main", got)
	}
	s.commit("one", map[string]string{"a": "a\n"})
	side, bare := t.TempDir()+"/side", t.TempDir()+"/bare.git"
	s.git("worktree", "add", "-q", "-b", "topic/x", side)
	s.git("clone", "-q", "--bare", s.dir, bare)
	s.git("checkout", "-q", "--detach")
	for dir, want := range map[string]string{side: "topic/x", bare: "main", s.dir: "", t.TempDir(): ""} {
		if got := HeadBranch(dir); got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
}
