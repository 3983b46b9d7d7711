package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaijutsu"
)

func TestMakeCommitTakesNothingAway(t *testing.T) {
	s := newSandbox(t)
	s.commit("base", map[string]string{"a": "a\n", "d/e": "e\n"})
	if err := os.Symlink("d", filepath.Join(s.dir, "link")); err != nil {
		t.Fatal(err)
	}
	s.git("add", "link")
	s.git("update-index", "--add", "--cacheinfo", "160000,1111111111111111111111111111111111111111,sub")
	if err := os.Mkdir(filepath.Join(s.dir, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	s.git("commit", "-q", "-m", "a link and a submodule")
	w := s.worktree()
	before := s.git("ls-tree", "-r", "HEAD")
	for name, f := range map[string]FileChange{
		"in a submodule":             {Path: "sub/new", Data: []byte("x")},
		"deep in a submodule":        {Path: "sub/x/y/new", Data: []byte("x")},
		"in place of a submodule":    {Path: "sub", Data: []byte("x")},
		"a submodule away":           {Path: "sub", Delete: true},
		"behind a link":              {Path: "link/new", Data: []byte("x")},
		"a file behind a link":       {Path: "link/e", Data: []byte("x")},
		"below a file":               {Path: "a/b", Data: []byte("x")},
		"in place of a directory":    {Path: "d", Data: []byte("x")},
		"below a file and deeper":    {Path: "d/e/f/g", Data: []byte("x")},
		"a link in a submodule":      {Path: "sub/l", Data: []byte("x"), Mode: Symlink},
		"behind a link, a directory": {Path: "link/n/m", Data: []byte("x")},
	} {
		spec := CommitSpec{Branch: "main", Parent: s.rev("HEAD"), Files: []FileChange{f}, Message: "x", Author: ann}
		_, err := w.MakeCommit(context.Background(), spec)
		if !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), `"`+f.Path+`"`) {
			t.Errorf("%s: error %v, want ErrConflict that names the path", name, err)
		}
	}
	if got := s.git("ls-tree", "-r", "HEAD"); got != before {
		t.Errorf("HEAD has\n%s\nwant\n%s", got, before)
	}
	// What the user made of them on the disk may be committed.
	for _, name := range []string{"link", "sub", "a"} {
		if err := os.Remove(filepath.Join(s.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	s.write("link/new", "new\n")
	s.write("a/b", "b\n")
	s.git("rm", "-q", "--cached", "sub")
	s.write("sub/own", "own\n")
	s.makeCommit(w, "directories", FileChange{Path: "link/new", Data: []byte("new\n")}, FileChange{Path: "a/b", Data: []byte("b\n")}, FileChange{Path: "sub/own", Data: []byte("own\n")})
	if got, want := s.git("ls-tree", "-r", "--name-only", "HEAD"), "a/b\nd/e\nlink/new\nsub/own"; got != want {
		t.Errorf("HEAD has %q, want %q", got, want)
	}
	if got := s.git("status", "--porcelain"); got != "" {
		t.Errorf("git status: %s", got)
	}
	s.agrees()
}

// TestMakeCommitMissesItsBranch takes the branch away under a worktree.
func TestMakeCommitMissesItsBranch(t *testing.T) {
	s := newSandbox(t)
	one := s.commit("one", map[string]string{"a": "a\n"})
	w := s.worktree()
	if _, err := w.Epoch(); err != nil {
		t.Fatal(err)
	}
	s.git("update-ref", "-d", "refs/heads/main")
	spec := CommitSpec{Branch: "main", Files: []FileChange{{Path: "a", Data: []byte("b\n")}}, Message: "m", Author: ann}
	if _, err := w.MakeCommit(context.Background(), spec); !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), string(one)) {
		t.Errorf("error %v, want ErrConflict that says where the branch was", err)
	}
	// A branch that never had a commit is another matter.
	s.git("symbolic-ref", "HEAD", "refs/heads/new")
	spec.Branch = "new"
	if _, err := w.MakeCommit(context.Background(), spec); err != nil {
		t.Errorf("the first commit of a new branch: %v", err)
	}
	// So is one that is brought back.
	s.git("branch", "main", string(one))
	s.git("symbolic-ref", "HEAD", "refs/heads/main")
	s.makeCommit(w, "two", FileChange{Path: "a", Data: []byte("c\n")})
	s.agrees()
}
