package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"kaijutsu"
)

// gitBlame is what the git command says: commit, file and line of each line.
func (s *sandbox) gitBlame(rev, path string) []string {
	s.t.Helper()
	var out []string
	files := make(map[string]string)
	var at string
	var line string
	for l := range strings.SplitSeq(s.git("blame", "--line-porcelain", rev, "--", path), "\n") {
		fields := strings.Fields(l)
		switch {
		case strings.HasPrefix(l, "\t"):
			out = append(out, fmt.Sprintf("%s %s:%s", at, files[at], line))
		case len(fields) >= 3 && len(fields[0]) == 40 && isHash(fields[0]):
			at, line = fields[0], fields[1]
		case strings.HasPrefix(l, "filename "):
			files[at] = strings.TrimPrefix(l, "filename ")
		}
	}
	return out
}

func ourBlame(t testing.TB, r *Repo, commit Hash, path string) []string {
	t.Helper()
	lines, err := r.Blame(context.Background(), commit, path)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, l := range lines {
		out = append(out, fmt.Sprintf("%s %s:%d", l.Commit, l.Path, l.Line))
	}
	return out
}

// historian makes random histories of files whose lines are all different.
type historian struct {
	*sandbox
	rnd   *rand.Rand
	lines int
}

func (h *historian) line() string {
	h.lines++
	return fmt.Sprintf("line %d of some text %x\n", h.lines, h.rnd.Uint64())
}

func (h *historian) edit(text string) string {
	lines := slices.Collect(strings.Lines(text))
	for range 1 + h.rnd.IntN(3) {
		at := h.rnd.IntN(len(lines) + 1)
		switch h.rnd.IntN(3) {
		case 0:
			for range 1 + h.rnd.IntN(4) {
				lines = slices.Insert(lines, at, h.line())
			}
		case 1:
			if n := min(len(lines)-at, h.rnd.IntN(3)); len(lines)-n > 12 {
				lines = slices.Delete(lines, at, at+n)
			}
		case 2:
			if at < len(lines) {
				lines[at] = h.line()
			}
		}
	}
	return strings.Join(lines, "")
}

func (h *historian) files() []string {
	return strings.Split(h.git("ls-files"), "\n")
}

func (h *historian) step(i int) {
	files := h.files()
	f := files[h.rnd.IntN(len(files))]
	text, err := os.ReadFile(filepath.Join(h.dir, f))
	if err != nil {
		h.t.Fatal(err)
	}
	switch h.rnd.IntN(12) {
	case 0:
		to := fmt.Sprintf("moved%d/%s", i, filepath.Base(f))
		os.MkdirAll(filepath.Join(h.dir, filepath.Dir(to)), 0o777)
		h.git("mv", f, to)
		if h.rnd.IntN(2) == 0 {
			h.write(to, h.edit(string(text)))
		}
		h.commit(fmt.Sprint("move ", i), nil)
	case 1:
		h.merge(i)
	case 2:
		h.commit(fmt.Sprint("new ", i), map[string]string{fmt.Sprintf("new%d", i): strings.Repeat(h.line(), 1) + h.line() + h.line()})
	default:
		h.commit(fmt.Sprint("edit ", i), map[string]string{f: h.edit(string(text))})
	}
}

// merge makes a side branch with a few commits, and merges it.
func (h *historian) merge(i int) {
	side := fmt.Sprint("side", i)
	h.git("checkout", "-q", "-b", side)
	h.editAny(i)
	h.editAny(i)
	h.git("checkout", "-q", "main")
	h.editAny(i)
	cmd := h.cmd("merge", "-q", "--no-ff", "-m", "merge", "-X", []string{"ours", "theirs"}[h.rnd.IntN(2)], side)
	if err := cmd.Run(); err != nil {
		h.git("merge", "--abort")
	}
}

func (h *historian) editAny(i int) {
	files := h.files()
	f := files[h.rnd.IntN(len(files))]
	text, err := os.ReadFile(filepath.Join(h.dir, f))
	if err != nil {
		h.t.Fatal(err)
	}
	h.commit(fmt.Sprint("edit ", i), map[string]string{f: h.edit(string(text))})
}

func TestBlameIsThatOfGit(t *testing.T) {
	lines, seeds := 0, uint64(2)
	if os.Getenv("KJ_FULL") != "" {
		seeds = 8
	}
	for seed := range seeds {
		h := &historian{sandbox: newSandbox(t), rnd: rand.New(rand.NewPCG(seed, 9))}
		start := map[string]string{}
		for _, f := range []string{"a.txt", "dir/b.txt", "dir/sub/c.txt"} {
			for range 30 {
				start[f] += h.line()
			}
		}
		h.commit("start", start)
		for i := range 40 {
			h.step(i)
		}
		r := h.repo()
		for _, f := range h.files() {
			want := h.gitBlame("HEAD", f)
			got := ourBlame(t, r, h.rev("HEAD"), f)
			if len(got) != len(want) {
				t.Fatalf("seed %d, %s: %d lines, git has %d", seed, f, len(got), len(want))
			}
			for i := range got {
				if lines++; got[i] != want[i] {
					t.Errorf("seed %d, %s:%d is %s, git says %s\n%s", seed, f, i+1, got[i], want[i], h.git("log", "--oneline", "--graph", "--name-status", "--no-abbrev-commit"))
					return
				}
			}
		}
	}
	t.Logf("%d lines agree", lines)
}

func TestBlameCases(t *testing.T) {
	s := newSandbox(t)
	first := s.commit("one", map[string]string{"a": "1\n2\n3\n4\nlast"})
	s.commit("two", map[string]string{"a": "1\n2\n3\n4\nlast\nmore\n", "empty": ""})
	s.git("mv", "a", "z")
	head := s.commit("three", map[string]string{"z": "0\n1\n2\n3\n4\nlast\nmore\n"})
	r := s.repo()
	if got, want := ourBlame(t, r, head, "z"), s.gitBlame("HEAD", "z"); !slices.Equal(got, want) {
		t.Errorf("blame = %v, want %v", got, want)
	}
	if got := ourBlame(t, r, head, "empty"); len(got) != 0 {
		t.Errorf("an empty file has lines: %v", got)
	}
	for name, c := range map[string]struct {
		commit Hash
		path   string
		want   error
	}{
		"not there":   {head, "a", kaijutsu.ErrNotFound},
		"not yet":     {first, "z", kaijutsu.ErrNotFound},
		"no commit":   {hashObject(blobKind, nil), "z", nil},
		"no path":     {head, "../z", kaijutsu.ErrInvalid},
		"no object":   {Hash(strings.Repeat("1", 40)), "z", kaijutsu.ErrNotFound},
		"no hash":     {"HEAD", "z", nil},
		"empty paths": {head, "", kaijutsu.ErrInvalid},
	} {
		if _, err := r.Blame(context.Background(), c.commit, c.path); err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: err = %v, want %v", name, err, c.want)
		}
	}
}

func TestBlameInAShallowClone(t *testing.T) {
	s := newSandbox(t)
	text := ""
	for i := range 6 {
		text += fmt.Sprintln("line", i)
		s.commit(fmt.Sprint(i), map[string]string{"a": text})
	}
	clone := &sandbox{t: t, dir: filepath.Join(t.TempDir(), "clone"), now: s.now}
	s.git("clone", "-q", "--depth", "3", "file://"+s.dir, clone.dir)
	if got, want := ourBlame(t, clone.repo(), s.rev("HEAD"), "a"), clone.gitBlame("HEAD", "a"); !slices.Equal(got, want) {
		t.Errorf("blame = %v, want %v", got, want)
	}
}

// history of one file of 5,000 lines and 500 commits that each change three
// places of it.
func longHistory(b testing.TB) (*sandbox, Hash) {
	s := newSandbox(b)
	rnd := rand.New(rand.NewPCG(5, 6))
	var lines []string
	for i := range 5000 {
		lines = append(lines, "line "+strconv.Itoa(i)+" of a file that is long enough\n")
	}
	var feed bytes.Buffer
	for i := range 500 {
		for range 3 {
			lines[rnd.IntN(len(lines))] = fmt.Sprintf("changed by %d %x\n", i, rnd.Uint64())
			lines = slices.Insert(lines, rnd.IntN(len(lines)), fmt.Sprintf("added by %d %x\n", i, rnd.Uint64()))
			at := rnd.IntN(len(lines))
			lines = slices.Delete(lines, at, at+1)
		}
		text := strings.Join(lines, "")
		fmt.Fprintf(&feed, "commit refs/heads/main\ncommitter A <a@b> %d +0000\ndata 1\nx\nM 100644 inline src/deep/file.txt\ndata %d\n%s\n", 1700000000+i, len(text), text)
	}
	cmd := s.cmd("fast-import", "--quiet")
	cmd.Stdin = &feed
	s.run(cmd)
	return s, s.rev("main")
}

func TestBlameOfALongHistoryIsThatOfGit(t *testing.T) {
	s, head := longHistory(t)
	if got, want := ourBlame(t, s.repo(), head, "src/deep/file.txt"), s.gitBlame("main", "src/deep/file.txt"); !slices.Equal(got, want) {
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("line %d is %s, git says %s", i+1, got[i], want[i])
			}
		}
	}
}

func BenchmarkBlame(b *testing.B) {
	s, head := longHistory(b)
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			ourBlame(b, s.repo(), head, "src/deep/file.txt")
		}
	})
	b.Run("git", func(b *testing.B) {
		for b.Loop() {
			s.git("blame", "--porcelain", "main", "--", "src/deep/file.txt")
		}
	})
}
