package git

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// porcelain writes our status as git status --porcelain=v2 does, with file
// modes and without object names.
func porcelain(all []FileStatus) string {
	var tracked, rest []string
	for _, f := range all {
		switch {
		case f.Staged == Untracked || f.Staged == Ignored:
			rest = append(rest, fmt.Sprintf("%c %s", f.Staged, f.Path))
		case f.Conflict != "":
			tracked = append(tracked, fmt.Sprintf("u %s %s", f.Conflict, f.Path))
		default:
			disk := f.Disk
			if f.Unstaged == Deleted {
				disk = 0
			}
			tracked = append(tracked, fmt.Sprintf("1 %c%c %v %v %v %s", f.Staged, f.Unstaged, f.Head, f.Index, disk, f.Path))
		}
	}
	return strings.Join(append(sorted(tracked), sorted(rest)...), "\n")
}

// gitStatus brings git's output to the same form.
func (s *sandbox) gitStatus(args ...string) string {
	s.t.Helper()
	out := s.git(append([]string{"-c", "core.quotePath=false", "status", "--porcelain=v2", "-z", "--no-renames"}, args...)...)
	var tracked, rest []string
	for _, line := range strings.Split(strings.TrimSuffix(out, "\x00"), "\x00") {
		if line == "" {
			continue
		}
		switch line[0] {
		case '1':
			f := strings.SplitN(line, " ", 9)
			tracked = append(tracked, fmt.Sprintf("1 %s %s %s %s %s", f[1], f[3], f[4], f[5], f[8]))
		case 'u':
			f := strings.SplitN(line, " ", 11)
			tracked = append(tracked, fmt.Sprintf("u %s %s", f[1], f[10]))
		default:
			rest = append(rest, line)
		}
	}
	return strings.Join(append(sorted(tracked), sorted(rest)...), "\n")
}

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }

func (s *sandbox) sameStatus(w *Worktree, what string) {
	s.t.Helper()
	for _, mode := range []struct {
		args []string
		o    StatusOptions
	}{
		{[]string{"--untracked-files=no"}, StatusOptions{}},
		{[]string{"--untracked-files=normal"}, StatusOptions{Untracked: true}},
		{[]string{"--untracked-files=all"}, StatusOptions{Untracked: true, Every: true}},
		{[]string{"--untracked-files=normal", "--ignored=traditional"}, StatusOptions{Untracked: true, Ignored: true}},
		{[]string{"--untracked-files=all", "--", "d1"}, StatusOptions{Untracked: true, Every: true, Paths: []string{"d1"}}},
	} {
		got, err := w.Status(context.Background(), mode.o)
		if err != nil {
			s.t.Fatalf("%s: %v", what, err)
		}
		if got, want := porcelain(got), s.gitStatus(mode.args...); got != want {
			s.t.Fatalf("%s: status %v:\n%s\ngit says:\n%s", what, mode.args, got, want)
		}
	}
}

// mess does one random thing to a worktree.
func (s *sandbox) mess(rnd *rand.Rand) string {
	dirs := []string{"", "d1/", "d1/e/", "d2/", "build/", "d3/f/g/"}
	path := dirs[rnd.IntN(len(dirs))] + []string{"a", "b.txt", "c.o", "x.bat", "k.log"}[rnd.IntN(5)]
	full := filepath.Join(s.dir, path)
	what := rnd.IntN(13)
	fi, err := os.Lstat(full)
	there := err == nil && !fi.IsDir()
	switch {
	case what < 4:
		if err == nil && fi.IsDir() || !parentsAreDirs(s.dir, path) {
			return "nothing"
		}
		os.Remove(full)
		s.write(path, strings.Repeat(fmt.Sprintf("line %d\n", rnd.IntN(3)), rnd.IntN(3)))
	case what == 4:
		os.Remove(full)
	case what == 5 && there && fi.Mode().IsRegular():
		if err := os.Chmod(full, fi.Mode()^0o111); err != nil {
			s.t.Fatal(err)
		}
	case what == 6 && there:
		os.Remove(full)
		if err := os.Symlink("b.txt", full); err != nil {
			s.t.Fatal(err)
		}
	case what == 7 && there:
		s.git("add", "-f", path)
	case what == 8:
		s.git("add", "-A")
	case what == 9 && there:
		s.git("add", "-f", path)
		s.git("rm", "-q", "--cached", "-f", path)
	case what == 10 && there:
		s.cmd("add", "-N", path).Run()
	case what == 11 && rnd.IntN(3) == 0:
		s.git("add", "-A")
		s.git("commit", "-q", "--allow-empty", "-m", "x")
	case what == 12:
		s.write(".gitignore", []string{"*.o\n", "build/\n*.log\n", "/d2\n!d2/a\n", ""}[rnd.IntN(4)])
	}
	return fmt.Sprintf("%d %s", what, path)
}

func parentsAreDirs(top, path string) bool {
	for dir := parentName(path); dir != ""; dir = parentName(dir) {
		if fi, err := os.Lstat(filepath.Join(top, dir)); err == nil && !fi.IsDir() {
			return false
		}
	}
	return true
}

func TestStatusOfRandomWork(t *testing.T) {
	for seed := range uint64(4) {
		rnd := rand.New(rand.NewPCG(seed, 6))
		s := newSandbox(t)
		s.commit("one", map[string]string{"a": "1\n", "d1/b.txt": "2\n", "d1/e/a": "3\n", "d2/x.bat": "4\n", ".gitattributes": "*.txt text=auto\n*.bat text eol=crlf\n"})
		w := s.worktree()
		var did []string
		for range 30 {
			did = append(did, s.mess(rnd))
			s.sameStatus(w, fmt.Sprintf("seed %d after %v", seed, did))
		}
	}
}

func TestStatusOfConflicts(t *testing.T) {
	s := newSandbox(t)
	s.commit("base", map[string]string{"both": "1\n", "ours": "1\n", "theirs": "1\n", "mode": "1\n"})
	s.git("checkout", "-q", "-b", "side")
	s.git("rm", "-q", "ours")
	s.commit("side", map[string]string{"both": "2\n", "added": "s\n", "theirs": "2\n"})
	s.git("checkout", "-q", "main")
	s.git("rm", "-q", "theirs")
	s.commit("main", map[string]string{"both": "3\n", "added": "m\n", "ours": "2\n"})
	if err := s.cmd("merge", "side").Run(); err == nil {
		t.Fatal("the merge has no conflict")
	}
	w := s.worktree()
	s.sameStatus(w, "merge")
	if e, err := w.Epoch(); err != nil || e.State != "merge" {
		t.Errorf("Epoch() = %+v, %v", e, err)
	}
	if err := w.Switch(context.Background(), "side", carl); err == nil {
		t.Error("switching in a conflict")
	}
	s.git("merge", "--abort")
	s.sameStatus(w, "after the merge")
}

func TestStatusFindsRenames(t *testing.T) {
	s := newSandbox(t)
	s.commit("one", map[string]string{"a": "text\n", "b": "other\n"})
	s.git("mv", "a", "c")
	got, err := s.worktree().Status(context.Background(), StatusOptions{Renames: true})
	if err != nil || len(got) != 1 || got[0].Staged != Renamed || got[0].OldPath != "a" || got[0].Path != "c" {
		t.Errorf("Status() = %+v, %v", got, err)
	}
}

func TestStatusOfTexts(t *testing.T) {
	s := newSandbox(t)
	s.commit("one", map[string]string{"a": "text\n", "b": "other\n"})
	s.write("b", "changed on disk\n")
	texts := map[string]string{"a": "changed in a block\n", "b": "other\n"}
	got, err := s.worktree().Status(context.Background(), StatusOptions{Text: func(p string) ([]byte, bool) {
		text, ok := texts[p]
		return []byte(text), ok
	}})
	if err != nil || len(got) != 1 || got[0].Path != "a" || got[0].Unstaged != Modified {
		t.Errorf("Status() = %+v, %v", got, err)
	}
}

func TestStatusSeesAFileThatChangedWithoutItsStat(t *testing.T) {
	s := newSandbox(t)
	s.commit("one", map[string]string{"a": "text\n"})
	w := s.worktree()
	for i := range 20 {
		s.write("a", fmt.Sprintf("%04d\n", i))
		s.git("add", "a")
		s.write("a", "late\n") // perhaps within the same tick of the clock
		got, err := w.Status(context.Background(), StatusOptions{})
		if err != nil || len(got) != 1 || got[0].Unstaged != Modified {
			t.Fatalf("round %d: Status() = %+v, %v", i, got, err)
		}
	}
}

func TestStatusOfLinkedDirectories(t *testing.T) {
	s := newSandbox(t)
	s.commit("one", map[string]string{"d/a": "text\n", "d/b": "text\n"})
	if err := os.Rename(filepath.Join(s.dir, "d"), filepath.Join(s.dir, "moved")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("moved", filepath.Join(s.dir, "d")); err != nil {
		t.Fatal(err)
	}
	s.sameStatus(s.worktree(), "a link instead of a directory")
}

func BenchmarkStatus(b *testing.B) {
	s := largeRepo(b)
	w := s.worktree()
	b.Run("clean", func(b *testing.B) {
		for b.Loop() {
			if got, err := w.Status(context.Background(), StatusOptions{}); err != nil || len(got) != 0 {
				b.Fatal(got, err)
			}
		}
	})
	b.Run("untracked", func(b *testing.B) {
		for b.Loop() {
			if _, err := w.Status(context.Background(), StatusOptions{Untracked: true}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			fresh := s.worktree()
			if got, err := fresh.Status(context.Background(), StatusOptions{}); err != nil || len(got) != 0 {
				b.Fatal(got, err)
			}
		}
	})
	b.Run("git", func(b *testing.B) {
		for b.Loop() {
			s.git("status", "--porcelain", "-uno")
		}
	})
}

func BenchmarkEpoch(b *testing.B) {
	s := largeRepo(b)
	s.git("pack-refs", "--all")
	w := s.worktree()
	for b.Loop() {
		if _, err := w.Epoch(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	s := largeRepo(b)
	for b.Loop() {
		if _, err := s.worktree().Epoch(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAddWorktree(b *testing.B) {
	s := largeRepo(b)
	b.Run("ours", func(b *testing.B) {
		for i := range b.N {
			s.add(s.repo(), "w", fmt.Sprintf("ours%d-%d", b.N, i))
		}
	})
	b.Run("git", func(b *testing.B) {
		for i := range b.N {
			s.git("worktree", "add", "-q", "-b", fmt.Sprintf("git%d-%d", b.N, i), filepath.Join(b.TempDir(), "w"))
		}
	})
}
