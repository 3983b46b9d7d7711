package git

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"kaijutsu"
)

func TestMakeCommit(t *testing.T) {
	s := newSandbox(t)
	w := s.worktree()
	put := func(path, text string, mode Mode) FileChange {
		full := filepath.Join(s.dir, path)
		os.RemoveAll(full)
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			os.Remove(filepath.Dir(full))
			os.MkdirAll(filepath.Dir(full), 0o777)
		}
		var err error
		switch mode {
		case Symlink:
			err = os.Symlink(text, full)
		case Executable:
			err = os.WriteFile(full, []byte(text), 0o755)
		default:
			err = os.WriteFile(full, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		return FileChange{Path: path, Data: []byte(text), Mode: mode}
	}
	gone := func(path string) FileChange {
		os.RemoveAll(filepath.Join(s.dir, path))
		return FileChange{Path: path, Delete: true}
	}
	for _, step := range []struct {
		name  string
		files func() []FileChange
		tree  string // what git ls-tree -r prints of modes and paths
	}{
		{"first commit", func() []FileChange { return []FileChange{put("a", "one\n", 0), put("b", "two\n", 0)} }, "100644 a,100644 b"},
		{"new directories", func() []FileChange { return []FileChange{put("x/y/z", "deep\n", 0), put("x/w", "w\n", 0)} }, "100644 a,100644 b,100644 x/w,100644 x/y/z"},
		{"executable", func() []FileChange { return []FileChange{put("a", "one\n", Executable)} }, "100755 a,100644 b,100644 x/w,100644 x/y/z"},
		{"mode is kept", func() []FileChange { return []FileChange{{Path: "a", Data: []byte("uno\n")}} }, "100755 a,100644 b,100644 x/w,100644 x/y/z"},
		{"symbolic link", func() []FileChange { return []FileChange{put("l", "a", Symlink)} }, "100755 a,100644 b,120000 l,100644 x/w,100644 x/y/z"},
		{"delete", func() []FileChange { return []FileChange{gone("b"), gone("x/y/z")} }, "100755 a,120000 l,100644 x/w"},
		{"a file becomes a directory", func() []FileChange { return []FileChange{gone("a"), put("a/b", "in\n", 0)} }, "100644 a/b,120000 l,100644 x/w"},
		{"a directory becomes a file", func() []FileChange { return []FileChange{gone("a/b"), put("a", "out\n", 0)} }, "100644 a,120000 l,100644 x/w"},
		{"names in git's order", func() []FileChange {
			return []FileChange{put("a.b", "1\n", 0), put("a-", "2\n", 0), put("a0/x", "3\n", 0)}
		}, "100644 a,100644 a-,100644 a.b,100644 a0/x,120000 l,100644 x/w"},
		{"empty file and odd names", func() []FileChange { return []FileChange{put("é \"q\"", "", 0)} }, "100644 a,100644 a-,100644 a.b,100644 a0/x,120000 l,100644 x/w,100644 é \"q\""},
		{"all of it goes", func() []FileChange {
			return []FileChange{gone("a"), gone("a-"), gone("a.b"), gone("a0/x"), gone("l"), gone("x/w"), gone("é \"q\"")}
		}, ""},
	} {
		if step.name == "mode is kept" {
			if err := os.WriteFile(filepath.Join(s.dir, "a"), []byte("uno\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		c := s.makeCommit(w, step.name, step.files()...)
		var tree []string
		for line := range strings.SplitSeq(s.git("ls-tree", "-r", "-z", "HEAD"), "\x00") {
			if meta, path, ok := strings.Cut(line, "\t"); ok {
				tree = append(tree, meta[:6]+" "+path)
			}
		}
		if got := strings.Join(tree, ","); got != step.tree {
			t.Fatalf("%s: tree %s, want %s", step.name, got, step.tree)
		}
		if got := s.git("status", "--porcelain", "--untracked-files=no"); got != "" {
			t.Fatalf("%s: git status: %s", step.name, got)
		}
		if got, want := s.git("log", "-1", "--format=%H %an <%ae> %aI %cn <%ce> %cI %s"), fmt.Sprintf("%s Ann <ann@example.com> 2026-03-01T12:00:00+01:00 Carl <carl@example.com> 2026-03-01T11:30:00+00:00 %s", c.Hash, step.name); got != want {
			t.Fatalf("%s: git log: %s, want %s", step.name, got, want)
		}
		s.agrees()
	}
	if got := s.git("reflog", "show", "HEAD", "--format=%gs"); !strings.HasPrefix(got, "commit: all of it goes\n") || !strings.HasSuffix(got, "\ncommit (initial): first commit") {
		t.Errorf("reflog of HEAD: %s", got)
	}
	if a, b := s.git("reflog", "show", "HEAD", "--format=%H %gs"), s.git("reflog", "show", "main", "--format=%H %gs"); a != b {
		t.Errorf("reflogs of HEAD and main differ:\n%s\n%s", a, b)
	}
}

func TestMakeCommitLeavesTheRestOfTheIndex(t *testing.T) {
	s := newSandbox(t)
	s.commit("base", map[string]string{"a": "a\n", "b": "b\n", "c": "c\n", "d/e": "e\n"})
	s.write("a", "a staged\n")
	s.git("add", "a")
	s.write("a", "a on disk\n")
	s.write("new", "new\n")
	s.git("add", "-N", "new")
	s.git("rm", "-q", "--cached", "c")
	s.write("b", "b mine\n")
	s.git("update-index", "--chmod=+x", "d/e")
	before := s.git("ls-files", "--stage")
	s.makeCommit(s.worktree(), "b only", FileChange{Path: "b", Data: []byte("b mine\n")})
	blob := s.git("hash-object", "b")
	after := s.git("ls-files", "--stage")
	want := strings.Replace(before, s.git("rev-parse", "HEAD^:b"), blob, 1)
	if after != want {
		t.Errorf("index =\n%s\nwant\n%s", after, want)
	}
	if got := s.git("show", "--stat", "--format=", "HEAD"); !strings.Contains(got, " b ") || !strings.Contains(got, "1 file changed") {
		t.Errorf("the commit has %s", got)
	}
	s.agrees()
}

func TestMakeCommitOfTextThatIsNotOnDisk(t *testing.T) {
	s := newSandbox(t)
	s.commit("base", map[string]string{"a": "aaaa\n"})
	s.write("a", "bbbb\n") // as long as what is committed
	s.makeCommit(s.worktree(), "other", FileChange{Path: "a", Data: []byte("cccc\n")})
	if got, want := s.git("status", "--porcelain"), " M a"; got != want {
		t.Errorf("git status = %q, want %q", got, want)
	}
	if got := s.git("diff"); !strings.Contains(got, "-cccc\n+bbbb") {
		t.Errorf("git diff = %s", got)
	}
}

func TestMakeCommitRefuses(t *testing.T) {
	s := newSandbox(t)
	first := s.commit("base", map[string]string{"a": "a\n", "d/x": "x\n"})
	second := s.commit("more", map[string]string{"a": "b\n"})
	w := s.worktree()
	file := FileChange{Path: "a", Data: []byte("c\n")}
	ok := CommitSpec{Branch: "main", Parent: second, Files: []FileChange{file}, Message: "m", Author: ann}
	with := func(change func(*CommitSpec)) CommitSpec {
		spec := ok
		change(&spec)
		return spec
	}
	path := func(p string) CommitSpec {
		return with(func(c *CommitSpec) { c.Files = []FileChange{{Path: p, Data: []byte("x")}} })
	}
	before := s.git("for-each-ref") + s.git("ls-files", "--stage", "--debug")
	for name, c := range map[string]struct {
		spec CommitSpec
		want error
	}{
		"an older parent":      {with(func(c *CommitSpec) { c.Parent = first }), kaijutsu.ErrConflict},
		"no parent":            {with(func(c *CommitSpec) { c.Parent = "" }), kaijutsu.ErrConflict},
		"another branch":       {with(func(c *CommitSpec) { c.Branch = "other" }), kaijutsu.ErrConflict},
		"detached":             {with(func(c *CommitSpec) { c.Branch = "" }), kaijutsu.ErrConflict},
		"nothing changed":      {with(func(c *CommitSpec) { c.Files = []FileChange{{Path: "a", Data: []byte("b\n")}} }), ErrNothing},
		"deletes what is not":  {with(func(c *CommitSpec) { c.Files = []FileChange{{Path: "q/r", Delete: true}, {Path: "d", Delete: true}} }), ErrNothing},
		"no message":           {with(func(c *CommitSpec) { c.Message = " \n\t\n" }), kaijutsu.ErrInvalid},
		"NUL in the message":   {with(func(c *CommitSpec) { c.Message = "a\x00b" }), kaijutsu.ErrInvalid},
		"message in no UTF-8":  {with(func(c *CommitSpec) { c.Message = "a\xffb" }), kaijutsu.ErrInvalid},
		"no author":            {with(func(c *CommitSpec) { c.Author.Name = "<>" }), kaijutsu.ErrInvalid},
		"twice":                {with(func(c *CommitSpec) { c.Files = []FileChange{file, file} }), kaijutsu.ErrInvalid},
		"file and directory":   {with(func(c *CommitSpec) { c.Files = []FileChange{{Path: "n"}, {Path: "n/b"}} }), kaijutsu.ErrInvalid},
		"a submodule's mode":   {with(func(c *CommitSpec) { c.Files = []FileChange{{Path: "a", Mode: Submodule}} }), kaijutsu.ErrInvalid},
		"a link to nowhere":    {with(func(c *CommitSpec) { c.Files = []FileChange{{Path: "a", Mode: Symlink}} }), kaijutsu.ErrInvalid},
		"path: empty":          {path(""), kaijutsu.ErrInvalid},
		"path: above":          {path("../a"), kaijutsu.ErrInvalid},
		"path: absolute":       {path("/a"), kaijutsu.ErrInvalid},
		"path: dots inside":    {path("a/../b"), kaijutsu.ErrInvalid},
		"path: slash at end":   {path("a/"), kaijutsu.ErrInvalid},
		"path: .git":           {path(".git/config"), kaijutsu.ErrInvalid},
		"path: .GIT below":     {path("x/.GIT/hooks/a"), kaijutsu.ErrInvalid},
		"path: .git of NTFS":   {path("git~1/config"), kaijutsu.ErrInvalid},
		"path: .git of HFS":    {path(".g\u200cit/config"), kaijutsu.ErrInvalid},
		"path: stream of NTFS": {path(".git::$INDEX_ALLOCATION/config"), kaijutsu.ErrInvalid},
		"path: NUL":            {path("a\x00b"), kaijutsu.ErrInvalid},
	} {
		if _, err := w.MakeCommit(context.Background(), c.spec); !errors.Is(err, c.want) {
			t.Errorf("%s: err = %v, want %v", name, err, c.want)
		}
	}
	if after := s.git("for-each-ref") + s.git("ls-files", "--stage", "--debug"); after != before {
		t.Errorf("refused commits changed\n%s\ninto\n%s", before, after)
	}
	if locks, _ := filepath.Glob(filepath.Join(s.dir, ".git", "*.lock")); locks != nil {
		t.Errorf("locks stay: %v", locks)
	}
}

func TestMakeCommitWithForeignLocks(t *testing.T) {
	s := newSandbox(t)
	head := s.commit("base", map[string]string{"a": "a\n"})
	w := s.worktree()
	for _, name := range []string{"HEAD.lock", "refs/heads/main.lock", "index.lock"} {
		lock := filepath.Join(s.dir, ".git", name)
		if err := os.WriteFile(lock, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := w.MakeCommit(context.Background(), CommitSpec{Branch: "main", Parent: head, Files: []FileChange{{Path: "a", Data: []byte("b\n")}}, Message: "m", Author: ann})
		if !errors.Is(err, kaijutsu.ErrUnavailable) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: err = %v, want ErrUnavailable that names the file", name, err)
		}
		if _, err := os.Stat(lock); err != nil {
			t.Errorf("%s was taken away: %v", name, err)
		}
		os.Remove(lock)
		if got := s.git("status", "--porcelain"); got != "" || s.rev("HEAD") != head {
			t.Errorf("%s: something changed: %s", name, got)
		}
	}
}

func TestMakeCommitRefusesDuringAMerge(t *testing.T) {
	s := newSandbox(t)
	s.commit("base", map[string]string{"a": "a\n"})
	s.git("checkout", "-q", "-b", "side")
	s.commit("side", map[string]string{"b": "b\n"})
	s.git("checkout", "-q", "main")
	head := s.commit("main", map[string]string{"c": "c\n"})
	s.git("merge", "-q", "--no-commit", "side")
	_, err := s.worktree().MakeCommit(context.Background(), CommitSpec{Branch: "main", Parent: head, Files: []FileChange{{Path: "a", Data: []byte("b\n")}}, Message: "m", Author: ann})
	if !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), "merge") {
		t.Errorf("err = %v, want ErrConflict that names the merge", err)
	}
}

func TestMakeCommitInALinkedWorktreeAndDetached(t *testing.T) {
	s := newSandbox(t)
	s.commit("base", map[string]string{"a": "a\n"})
	s.git("pack-refs", "--all")
	s.git("gc", "-q")
	dir := filepath.Join(t.TempDir(), "linked")
	s.git("worktree", "add", "-q", "-b", "feature/x", dir)
	w, err := s.repo().OpenWorktree(dir)
	if err != nil {
		t.Fatal(err)
	}
	main := s.rev("HEAD")
	c := s.makeCommit(w, "in linked", FileChange{Path: "l", Data: []byte("l\n")})
	if got := s.rev("feature/x"); got != c.Hash || s.rev("main") != main {
		t.Errorf("feature/x is at %s, want %s; main at %s", got, c.Hash, s.rev("main"))
	}
	if got := s.git("-C", dir, "reflog", "-1", "--format=%H %gs"); got != string(c.Hash)+" commit: in linked" {
		t.Errorf("the worktree's reflog: %s", got)
	}
	if got := s.git("reflog", "-1", "--format=%gs"); strings.Contains(got, "linked") {
		t.Errorf("the main worktree's reflog has %s", got)
	}
	if got := s.git("worktree", "list", "--porcelain"); !strings.Contains(got, "HEAD "+string(c.Hash)+"\nbranch refs/heads/feature/x") {
		t.Errorf("worktree list: %s", got)
	}
	s.git("-C", dir, "checkout", "-q", "--detach")
	d := s.makeCommit(w, "detached", FileChange{Path: "l", Data: []byte("m\n")})
	if got := s.rev("feature/x"); got != c.Hash {
		t.Errorf("the branch moved with a detached HEAD: %s", got)
	}
	if got := s.git("-C", dir, "rev-parse", "HEAD"); got != string(d.Hash) {
		t.Errorf("HEAD = %s, want %s", got, d.Hash)
	}
	s.agrees()
}

// Killed between the index and the ref: the locks are there, the index is new.
func TestWhatACrashLeavesLosesNothing(t *testing.T) {
	s := newSandbox(t)
	head := s.commit("base", map[string]string{"a": "a\n"})
	s.write("a", "b\n")
	w := s.worktree()
	spec := CommitSpec{Branch: "main", Parent: head, Files: []FileChange{{Path: "a", Data: []byte("b\n")}}, Message: "m", Author: ann, Committer: ann}
	c, staged, err := w.buildCommit(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	err = w.UpdateIndex(context.Background(), func(idx *Index) error {
		idx.replacePath("a", staged[0])
		_, err := w.beginMove("main", c.Hash, head) // and nobody ends it
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.git("status", "--porcelain"), "M  a"; got != want {
		t.Errorf("git status = %q, want %q", got, want)
	}
	out, err := s.cmd("commit", "-m", "x").CombinedOutput()
	if err == nil || !strings.Contains(string(out), ".lock") {
		t.Errorf("git commit says %v %s, want it to name the lock", err, out)
	}
	if _, err := w.MakeCommit(context.Background(), spec); err == nil || !strings.Contains(err.Error(), "HEAD.lock") || !strings.Contains(err.Error(), "remove") {
		t.Errorf("err = %v, want it to name HEAD.lock and the mend", err)
	}
	os.Remove(filepath.Join(s.dir, ".git/HEAD.lock"))
	os.Remove(filepath.Join(s.dir, ".git/refs/heads/main.lock"))
	if _, err := w.MakeCommit(context.Background(), spec); err != nil {
		t.Errorf("after the mend: %v", err)
	}
	if got := s.git("status", "--porcelain"); got != "" {
		t.Errorf("git status = %q", got)
	}
	s.agrees()
}

func TestRandomCommitsAreThoseOfGit(t *testing.T) {
	s := newSandbox(t)
	s.commit("base", map[string]string{"seed": "s\n"})
	w := s.worktree()
	rnd := rand.New(rand.NewPCG(3, 4))
	paths := []string{"a", "a/b", "a/b/c", "a.c", "a-b/x", "d/e", "d/e/f", "d", "z"}
	for i := range 60 {
		var files []FileChange
		used := ""
		for range 1 + rnd.IntN(3) {
			p := paths[rnd.IntN(len(paths))]
			if strings.Contains(used, " "+p+" ") {
				continue
			}
			used += " " + p + " "
			files = append(files, FileChange{Path: p, Delete: rnd.IntN(4) == 0, Data: []byte(fmt.Sprintln(i, rnd.IntN(3))), Mode: []Mode{0, Regular, Executable}[rnd.IntN(3)]})
		}
		e, err := w.Epoch()
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.MakeCommit(context.Background(), CommitSpec{Branch: "main", Parent: e.Head, Files: files, Message: fmt.Sprint("c", i), Author: ann})
		if err != nil && !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Fatal(err)
		}
		if got, want := s.git("write-tree"), s.git("rev-parse", "HEAD^{tree}"); got != want {
			t.Fatalf("%d: after %v the index is the tree %s, HEAD's is %s", i, files, got, want)
		}
	}
	s.agrees()
}

func TestSignedCommit(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("no ssh-keygen to judge signatures")
	}
	s := newSandbox(t)
	head := s.commit("base", map[string]string{"a": "a\n"})
	w := s.worktree()
	for i, args := range [][]string{{"-t", "ed25519"}, {"-t", "rsa", "-b", "2048"}, {"-t", "ecdsa"}} {
		key := filepath.Join(t.TempDir(), "key")
		if out, err := exec.Command("ssh-keygen", append(args, "-q", "-N", "", "-f", key)...).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v %s", err, out)
		}
		signer, err := LoadSigner(key)
		if err != nil {
			t.Fatal(err)
		}
		c, err := w.MakeCommit(context.Background(), CommitSpec{Branch: "main", Parent: head, Files: []FileChange{{Path: "a", Data: []byte(fmt.Sprint(i))}}, Message: "signed", Author: ann, Committer: carl, Signer: signer})
		if err != nil {
			t.Fatal(err)
		}
		head = c.Hash
		pub, err := os.ReadFile(key + ".pub")
		if err != nil {
			t.Fatal(err)
		}
		allowed := filepath.Join(t.TempDir(), "allowed")
		if err := os.WriteFile(allowed, append([]byte("carl@example.com "), pub...), 0o600); err != nil {
			t.Fatal(err)
		}
		s.git("-c", "gpg.format=ssh", "-c", "gpg.ssh.allowedSignersFile="+allowed, "verify-commit", string(c.Hash))
		if got := s.git("log", "-1", "--format=%s|%an"); got != "signed|Ann" {
			t.Errorf("git log = %s", got)
		}
		if _, err := LoadSigner(key + ".pub"); err == nil {
			t.Error("a public key signs")
		}
		os.Chmod(key, 0o644)
		if _, err := LoadSigner(key); !errors.Is(err, kaijutsu.ErrDenied) {
			t.Errorf("a key that all may read: %v, want ErrDenied", err)
		}
	}
	s.agrees()
}

func TestIdentitiesInjectNothing(t *testing.T) {
	s := newSandbox(t)
	w := s.worktree()
	bad := Signature{"Eve\nparent 0000 <x>\x00", "e@x>\ncommitter Boss <b@c> 0 +0000", ann.When}
	c, err := w.MakeCommit(context.Background(), CommitSpec{Branch: "main", Files: []FileChange{{Path: "a"}}, Message: "m", Author: bad})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.git("log", "-1", "--format=%an|%ae"), c.Author.Name+"|"+c.Author.Email; got != want || strings.ContainsAny(got, "<>\n") {
		t.Errorf("git log = %q, MakeCommit returned %q", got, want)
	}
	if n := strings.Count(s.git("cat-file", "-p", "HEAD"), "\ncommitter "); n != 1 {
		t.Errorf("%d committers", n)
	}
	s.agrees()
}

// Of commits on the same parent at once, one is made.
func TestOneOfManyCommitsWins(t *testing.T) {
	s := newSandbox(t)
	head := s.commit("base", map[string]string{"a": "a\n"})
	for round := range 5 {
		const n = 6
		won := make(chan Hash, n)
		var group sync.WaitGroup
		for k := range n {
			w := s.worktree()
			group.Go(func() {
				c, err := w.MakeCommit(context.Background(), CommitSpec{Branch: "main", Parent: head, Files: []FileChange{{Path: fmt.Sprint("f", k), Data: fmt.Append(nil, round)}}, Message: fmt.Sprint(round, k), Author: ann})
				switch {
				case err == nil:
					won <- c.Hash
				case !errors.Is(err, kaijutsu.ErrConflict) && !errors.Is(err, kaijutsu.ErrUnavailable):
					t.Error(err)
				}
			})
		}
		group.Wait()
		close(won)
		if len(won) != 1 {
			t.Fatalf("round %d: %d commits were made, want 1", round, len(won))
		}
		head = <-won
		if got := s.rev("HEAD"); got != head {
			t.Fatalf("HEAD is %s, the winner %s", got, head)
		}
		if got, want := s.git("write-tree"), s.git("rev-parse", "HEAD^{tree}"); got != want {
			t.Fatalf("round %d: the index is the tree %s, HEAD's is %s", round, got, want)
		}
	}
	s.agrees()
}
