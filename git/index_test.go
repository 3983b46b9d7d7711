package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaijutsu"
)

func (s *sandbox) indexBytes() []byte {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, ".git/index"))
	if err != nil {
		s.t.Fatal(err)
	}
	return data
}

// variedIndex has every kind of entry.
func variedIndex(t testing.TB, version string) *sandbox {
	s := motley(t)
	long := strings.Repeat("long/", 100) + strings.Repeat("name", 880)
	s.write("skip", "x\n")
	s.write("assume", "x\n")
	s.git("add", "skip", "assume")
	s.write("intent", "x\n")
	s.git("add", "-N", "intent")
	s.git("update-index", "--skip-worktree", "skip")
	s.git("update-index", "--assume-unchanged", "assume")
	blob := s.git("rev-parse", "main:run.sh")
	cmd := s.cmd("update-index", "--index-info")
	cmd.Stdin = strings.NewReader(fmt.Sprintf("100644 %s 1\tfight\n100755 %s 2\tfight\n120000 %s 3\tfight\n", blob, blob, blob))
	s.run(cmd)
	s.git("update-index", "--add", "--cacheinfo", "100644,"+blob+","+long)
	s.git("update-index", "--index-version", version)
	return s
}

func TestIndexIsReadAndWrittenAsItIs(t *testing.T) {
	for _, version := range []string{"2", "3", "4"} {
		s := variedIndex(t, version)
		data := s.indexBytes()
		x, err := decodeIndex(data)
		if err != nil {
			t.Fatalf("version %s: %v", version, err)
		}
		out, err := x.encode()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out, data) {
			t.Errorf("version %s: %d bytes became %d others", version, len(data), len(out))
		}
	}
}

func TestUpdateIndexKeepsTheRest(t *testing.T) {
	for _, version := range []string{"2", "4"} {
		s := variedIndex(t, version)
		w := s.worktree()
		before := s.git("ls-files", "--stage", "--debug", "-v", "-t")
		if err := w.UpdateIndex(context.Background(), func(*Index) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if got := s.git("ls-files", "--stage", "--debug", "-v", "-t"); got != before {
			t.Errorf("version %s: git ls-files:\n%s\nbefore:\n%s", version, got, before)
		}
		blob := s.rev("main:run.sh")
		err := w.UpdateIndex(context.Background(), func(x *Index) error {
			x.replacePath("deep/er/new", IndexEntry{Path: "deep/er/new", Mode: Regular, Hash: blob})
			x.replacePath("raw.txt", IndexEntry{})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		out := s.git("diff", "--cached", "--name-status", "--no-renames")
		for _, want := range []string{"A\tdeep/er/new", "D\traw.txt", "U\tfight"} {
			if !strings.Contains(out, want) {
				t.Errorf("version %s: git diff --cached lacks %q:\n%s", version, want, out)
			}
		}
		s.git("rm", "-q", "--cached", "fight", "intent")
		ours := s.git("write-tree") // trusts what the index knows of trees
		s.git("read-tree", "--empty")
		if err := os.Remove(filepath.Join(s.dir, ".git/index")); err != nil {
			t.Fatal(err)
		}
		s.git("read-tree", ours)
		if again := s.git("write-tree"); again != ours {
			t.Errorf("version %s: the tree is %s, entry by entry %s", version, ours, again)
		}
	}
}

func TestUpdateIndexFailsWithoutATrace(t *testing.T) {
	s := motley(t)
	w := s.worktree()
	before := s.indexBytes()
	stop := errors.New("stop")
	if err := w.UpdateIndex(context.Background(), func(x *Index) error { x.Entries = nil; return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v, want stop", err)
	}
	if !bytes.Equal(before, s.indexBytes()) || exists(filepath.Join(s.dir, ".git/index.lock")) {
		t.Error("something was written")
	}
	lock := filepath.Join(s.dir, ".git/index.lock")
	if err := os.WriteFile(lock, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := w.UpdateIndex(ctx, func(*Index) error { return nil }); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("with index.lock there: error %v, want ErrUnavailable", err)
	}
	if e, err := w.Epoch(); err != nil || !e.Locked {
		t.Errorf("Epoch() = %+v, %v", e, err)
	}
}

func TestUpdateIndexSmudgesRacyEntries(t *testing.T) {
	s := newSandbox(t)
	s.commit("one", map[string]string{"a": "1111\n", "b": "2\n"})
	w := s.worktree()
	for i := range 10 {
		s.write("a", fmt.Sprintf("%04d\n", i))
		s.git("add", "a")
		s.write("a", "late\n")
		if err := w.UpdateIndex(context.Background(), func(*Index) error { return nil }); err != nil {
			t.Fatal(err)
		}
		// What the index says now must hold for ever, also when it is older.
		if out := s.git("diff", "--name-only"); out != "a" {
			t.Fatalf("round %d: git diff says %q", i, out)
		}
	}
}

func TestIndexesThatAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want error
	}{
		"a split index":  {[]string{"update-index", "--split-index"}, kaijutsu.ErrUnavailable},
		"a sparse index": {[]string{"sparse-checkout", "set", "--cone", "--sparse-index", "deep"}, kaijutsu.ErrUnavailable},
	} {
		s := motley(t)
		s.commit("two", map[string]string{"other/dir/file": "x\n"})
		s.git(tc.args...)
		if _, err := s.worktree().ReadIndex(); !errors.Is(err, tc.want) {
			t.Errorf("%s: error %v, want %v", name, err, tc.want)
		}
	}
	s := motley(t)
	data := s.indexBytes()
	data[100] ^= 1
	if _, err := decodeIndex(data); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("a flipped bit: error %v, want ErrInvalid", err)
	}
}

func FuzzIndex(f *testing.F) {
	for _, version := range []int{2, 4} {
		x := Index{Version: version, trees: &cacheTree{count: -1, below: []*cacheTree{{name: "a", count: 2, hash: emptyBlob}}}}
		for _, path := range []string{"a/b", "a/c", "d"} {
			x.Entries = append(x.Entries, IndexEntry{Path: path, Mode: Regular, Hash: emptyBlob, SkipWorktree: path == "d"})
		}
		x.kept = []indexExtension{{"REUC", []byte("x")}}
		data, err := x.encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 20 {
			copy(data[len(data)-20:], make([]byte, 20)) // no checksum
		}
		x, err := decodeIndex(data)
		if err != nil {
			return
		}
		out, err := x.encode()
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		if _, err := decodeIndex(out); err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		x.forget(nil)
	})
}

func FuzzPackedRefs(f *testing.F) {
	f.Add([]byte("# pack-refs with: peeled\n1111111111111111111111111111111111111111 refs/heads/a\n^1111111111111111111111111111111111111111\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		refs, err := parsePackedRefs(data)
		if err != nil {
			return
		}
		for _, r := range refs {
			if !isHash(string(r.hash)) || badRefName(r.name) != "" {
				t.Errorf("ref %+v", r)
			}
		}
	})
}

func FuzzObjects(f *testing.F) {
	f.Add([]byte("100644 a\x0011111111111111111111"), []byte("tree 1111111111111111111111111111111111111111\nauthor A <a> 1 +0000\n\nx"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		parseTree(a)
		parseCommit(b)
		parseConfig(a)
		applyDelta(a, b, 1<<20)
		parseCacheTree(a, 100)
		ParseSource(string(a))
		badPath(string(a), Symlink)
	})
}
