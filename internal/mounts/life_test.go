package mounts_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
	"kaijutsu/internal/vfs"
)

func TestMountsAreThereAgainAfterARestart(t *testing.T) {
	w := newWorld(t)
	m := w.app()
	w.put(filepath.Join(w.home, "docs", "x.txt"), "x\n")
	if _, err := w.Add(w.ctx(), owner, mounts.AddSpec{Path: "/mnt/docs", Source: "~/docs"}); err != nil {
		t.Fatal(err)
	}
	before := w.read(owner, "/mnt/app/b.txt")
	w.write(owner, "/mnt/app/b.txt", "one\nzwei\nthree\n")
	w.restart()
	again, err := w.Get(w.ctx(), owner, "app")
	if err != nil || again.State != mounts.StateReady || again.Context != m.Context || again.Branch != m.Branch {
		t.Fatalf("after a restart the mount is %+v, %v", again, err)
	}
	if f := w.read(owner, "/mnt/app/b.txt"); f.Block != before.Block || f.Text != "one\nzwei\nthree\n" || f.Lines != 3 {
		t.Errorf("after a restart the file is %+v, was %+v", f, before)
	}
	if f := w.read(owner, "/mnt/docs/x.txt"); f.Text != "x\n" || f.Block != "" {
		t.Errorf("the folder's file is %+v", f)
	}
	w.agree(m, " M b.txt")
}

func TestAMountThatIsAddedAgainHasItsContexts(t *testing.T) {
	w := newWorld(t)
	m := w.app()
	if same, err := w.Add(w.ctx(), owner, mounts.AddSpec{Path: "/mnt/app", Source: "git:~/app", ReadWrite: true}); err != nil || same.ID != m.ID {
		t.Errorf("adding the same again: %+v, %v", same, err)
	}
	if _, err := w.Add(w.ctx(), owner, mounts.AddSpec{Path: "/mnt/app", Source: "git:~/app"}); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("adding it with another right: %v", err)
	}
	if _, err := w.ReadFile(w.ctx(), owner, mounts.ReadSpec{Path: "/mnt/app/b.text"}); !errors.Is(err, kaijutsu.ErrNotFound) || !strings.Contains(err.Error(), `did you mean "/mnt/app/b.txt"`) {
		t.Errorf("a name that is mistyped: %v", err)
	}
	block := w.read(owner, "/mnt/app/b.txt").Block
	w.write(owner, "/mnt/app/b.txt", "one\nzwei\nthree\n")
	if _, err := w.Remove(w.ctx(), owner, mounts.RemoveSpec{Mount: "/mnt/app", Worktree: true}); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("a worktree with changes goes: %v", err)
	}
	if _, err := w.Remove(w.ctx(), owner, mounts.RemoveSpec{Mount: "/mnt/app"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.ReadFile(w.ctx(), owner, mounts.ReadSpec{Path: "/mnt/app/b.txt"}); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("a removed mount is read: %v", err)
	}
	again, err := w.Add(w.ctx(), owner, mounts.AddSpec{Path: "/mnt/app", Source: "git:~/app", ReadWrite: true})
	if err != nil || again.ID != m.ID || again.Context != m.Context || again.Dir != m.Dir {
		t.Fatalf("added again: %+v, %v; was %+v", again, err, m)
	}
	if f := w.read(owner, "/mnt/app/b.txt"); f.Block != block || !strings.Contains(f.Text, "zwei") {
		t.Errorf("the file is %+v", f)
	}
	if _, err := w.Remove(w.ctx(), owner, mounts.RemoveSpec{Mount: "app", Worktree: true, Force: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(m.Dir); !os.IsNotExist(err) {
		t.Errorf("the worktree is there: %v", err)
	}
	if list := w.git(filepath.Join(w.home, "app"), "worktree", "list"); strings.Contains(list, m.Dir) {
		t.Errorf("git worktree list says\n%s", list)
	}
	if again, err = w.Add(w.ctx(), owner, mounts.AddSpec{Path: "/mnt/app", Source: "git:~/app", ReadWrite: true}); err != nil || again.Context != m.Context {
		t.Fatalf("with a new worktree: %+v, %v", again, err)
	}
	if f := w.read(owner, "/mnt/app/b.txt"); f.Block != block || f.Text != "one\ntwo\nthree\n" {
		t.Errorf("the file is %+v, want what is committed", f)
	}
}

func TestSourcesThatAreRefused(t *testing.T) {
	w := newWorld(t)
	repo := w.repository("app", map[string]string{"a": "a\n"})
	w.put(filepath.Join(w.home, "file"), "x")
	w.must(os.MkdirAll(filepath.Join(w.home, "src", "in"), 0o755))
	if _, err := w.Add(w.ctx(), owner, mounts.AddSpec{Path: "/mnt/src", Source: "~/src"}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path, source string
		kind               error
		says               string
	}{
		{"nothing", "/mnt/x", "", kaijutsu.ErrInvalid, "there is none"},
		{"a kernel", "/mnt/x", "kernel://other", kaijutsu.ErrInvalid, "kernels cannot be mounted"},
		{"a relative folder", "/mnt/x", "src", kaijutsu.ErrInvalid, "from the root, or from ~"},
		{"a relative repository", "/mnt/x", "git:src/app", kaijutsu.ErrInvalid, ""},
		{"a folder that is not there", "/mnt/x", "~/none", kaijutsu.ErrNotFound, "source"},
		{"a repository that is not there", "/mnt/x", "git:~/none", kaijutsu.ErrNotFound, "source"},
		{"a file", "/mnt/x", "~/file", kaijutsu.ErrInvalid, "no directory"},
		{"a folder as a repository", "/mnt/x", "git:~/src", nil, ""},
		{"the server's own directory", "/mnt/x", w.dir, kaijutsu.ErrInvalid, "own directory"},
		{"what holds it", "/mnt/x", filepath.Dir(w.dir), kaijutsu.ErrInvalid, "own directory"},
		{"what is in it", "/mnt/x", filepath.Join(w.dir, "store"), kaijutsu.ErrInvalid, "own directory"},
		{"a circle", "/mnt/src/again", "~/src", kaijutsu.ErrInvalid, "hold each other"},
		{"a circle inside", "/mnt/src/again", "~/src/in", kaijutsu.ErrInvalid, "hold each other"},
		{"a password", "/mnt/x", "git:https://me:secret@example.org/r.git", kaijutsu.ErrInvalid, "password"},
		{"a path that is taken", "/mnt/src", "memory", kaijutsu.ErrConflict, "remove that first"},
		{"the memory", "/scratch", "memory", kaijutsu.ErrConflict, "always there"},
		{"the root", "/", "memory", kaijutsu.ErrInvalid, "path"},
		{"a relative path", "mnt/x", "memory", kaijutsu.ErrInvalid, "begin at the root"},
		{"a path that goes up", "/mnt/../x", "memory", kaijutsu.ErrInvalid, "as a path is written"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := w.Add(w.ctx(), owner, mounts.AddSpec{Path: c.path, Source: c.source})
			if err == nil || c.kind != nil && !errors.Is(err, c.kind) && !isField(err) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret") {
				t.Errorf("Add(%q, %q) = %v, want %v that says %q", c.path, c.source, err, c.kind, c.says)
			}
		})
	}
	if _, err := w.Add(w.ctx(), owner, mounts.AddSpec{Path: "/mnt/x", Source: "~/src", Branch: "main"}); err == nil {
		t.Error("a folder on a branch is mounted")
	}
	if got := paths(w.List(w.ctx(), owner)); !slices.Equal(got, []string{"/mnt/src", "/scratch"}) {
		t.Errorf("mounts are %v", got)
	}
	if entries, _ := os.ReadDir(filepath.Join(w.dir, "worktrees")); len(entries) > 0 {
		t.Errorf("worktrees: %v", entries)
	}
	_ = repo
}

func isField(err error) bool {
	var f *op.FieldError
	return errors.As(err, &f)
}

func paths(list []mounts.Mount) (out []string) {
	for _, m := range list {
		out = append(out, m.Path)
	}
	return out
}

func TestAFolderThatVanishesComesBack(t *testing.T) {
	w := newWorld(t)
	dir := filepath.Join(w.home, "docs")
	w.put(filepath.Join(dir, "x.txt"), "x\n")
	if _, err := w.Add(w.ctx(), owner, mounts.AddSpec{Path: "/mnt/docs", Source: "~/docs", ReadWrite: true}); err != nil {
		t.Fatal(err)
	}
	w.must(os.Rename(dir, dir+".away"))
	w.until("/mnt/docs", func(m mounts.Mount) bool { return m.State == mounts.StateFailed && strings.Contains(m.Reason, "gone") })
	if _, err := w.ReadFile(w.ctx(), owner, mounts.ReadSpec{Path: "/mnt/docs/x.txt"}); !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Errorf("a folder that vanished is read: %v", err)
	}
	if list, err := w.ListDir(w.ctx(), owner, "/mnt"); err != nil || len(list) != 1 || list[0].Path != "/mnt/docs" {
		t.Errorf("ListDir = %+v, %v", list, err)
	}
	w.must(os.Rename(dir+".away", dir))
	w.until("/mnt/docs", func(m mounts.Mount) bool { return m.State == mounts.StateReady })
	if f := w.read(owner, "/mnt/docs/x.txt"); f.Text != "x\n" {
		t.Errorf("the file is %+v", f)
	}
}

func TestAWorktreeThatVanishesComesBackWithNothingLost(t *testing.T) {
	w := newWorld(t)
	m := w.app()
	block := w.read(owner, "/mnt/app/b.txt").Block
	w.must(os.Rename(m.Dir, m.Dir+".away"))
	w.until("/mnt/app", func(m mounts.Mount) bool { return m.State == mounts.StateFailed })
	w.must(os.Rename(m.Dir+".away", m.Dir))
	w.until("/mnt/app", func(m mounts.Mount) bool { return m.State == mounts.StateReady })
	if f := w.read(owner, "/mnt/app/b.txt"); f.Block != block || f.Text != "one\ntwo\nthree\n" {
		t.Errorf("the file is %+v", f)
	}
	w.agree(m)
}

func TestAServerStartsWithAMountThatCannotBeOpened(t *testing.T) {
	w := newWorld(t)
	m := w.app()
	w.close()
	repo := filepath.Join(w.home, "app")
	w.must(os.Rename(repo, repo+".away"))
	w.open()
	got, err := w.Get(w.ctx(), owner, "/mnt/app")
	if err != nil || got.State != mounts.StateFailed || got.Reason == "" || got.Context != m.Context {
		t.Errorf("the mount is %+v, %v", got, err)
	}
	if len(w.Failed()) != 1 {
		t.Errorf("Failed = %v", w.Failed())
	}
	w.write(owner, "/scratch/x", "still here\n")
	w.must(os.Rename(repo+".away", repo))
	w.until("/mnt/app", func(m mounts.Mount) bool { return m.State == mounts.StateReady })
	w.agree(m)
}

// until waits until a mount is as it should be.
func (w *world) until(path string, is func(mounts.Mount) bool) {
	w.t.Helper()
	end := time.NewTimer(patience)
	defer end.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		m, err := w.Get(w.t.Context(), owner, path)
		if err == nil && is(m) {
			return
		}
		select {
		case <-tick.C:
		case <-end.C:
			w.t.Fatalf("mount %s stays %+v, %v", path, m, err)
		}
	}
}

func TestMountsOfAnotherNode(t *testing.T) {
	w := newWorld(t)
	m := w.app()
	w.close()
	w.node = "another"
	w.open()
	got, err := w.Get(w.ctx(), owner, "/mnt/app")
	if err != nil || got.Here || got.State != mounts.StateElsewhere || got.Context != m.Context || got.Branch != m.Branch {
		t.Errorf("the mount of another node is %+v, %v", got, err)
	}
	_, err = w.ReadFile(w.ctx(), owner, mounts.ReadSpec{Path: "/mnt/app/b.txt"})
	if !errors.Is(err, kaijutsu.ErrUnavailable) || !strings.Contains(err.Error(), m.Node) {
		t.Errorf("it is read: %v; want the node's name", err)
	}
	_, err = w.Commit(w.ctx(), owner, mounts.CommitSpec{At: "app", All: true, Message: "x"})
	if !errors.Is(err, kaijutsu.ErrUnavailable) || !strings.Contains(err.Error(), m.Node) {
		t.Errorf("it is committed: %v", err)
	}
	if _, err := w.Add(w.ctx(), owner, mounts.AddSpec{Path: "/mnt/app", Source: "memory"}); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("its path is taken: %v", err)
	}
}

func TestMountsThatAreReadOnly(t *testing.T) {
	w := newWorld(t)
	w.repository("app", map[string]string{"a.txt": "a\n"})
	if _, err := w.Add(w.ctx(), owner, mounts.AddSpec{Path: "/mnt/app", Source: "git:~/app"}); err != nil {
		t.Fatal(err)
	}
	w.must(os.MkdirAll(filepath.Join(w.home, "docs"), 0o755))
	if _, err := w.Add(w.ctx(), owner, mounts.AddSpec{Path: "/mnt/docs", Source: "~/docs"}); err != nil {
		t.Fatal(err)
	}
	if f := w.read(owner, "/mnt/app/a.txt"); f.Text != "a\n" {
		t.Errorf("the file is %+v", f)
	}
	for _, dir := range []string{"/mnt/app", "/mnt/docs"} {
		_, err := w.WriteFile(w.ctx(), owner, mounts.WriteSpec{Path: dir + "/x", Text: "x"})
		for what, err := range map[string]error{
			"write": err, "mkdir": w.Mkdir(w.ctx(), owner, dir+"/d"), "remove": w.RemoveFile(w.ctx(), owner, dir+"/a.txt", true),
			"rename": w.Rename(w.ctx(), owner, dir+"/a.txt", dir+"/b.txt"),
		} {
			if !errors.Is(err, vfs.ErrReadOnly) {
				t.Errorf("%s in %s: %v", what, dir, err)
			}
		}
	}
	if _, err := w.Commit(w.ctx(), owner, mounts.CommitSpec{At: "app", All: true, Message: "x"}); !errors.Is(err, vfs.ErrReadOnly) {
		t.Errorf("commit: %v", err)
	}
	if _, err := w.SwitchBranch(w.ctx(), owner, "app", "main"); !errors.Is(err, vfs.ErrReadOnly) {
		t.Errorf("switch: %v", err)
	}
	yes := true
	if m, err := w.Set(w.ctx(), owner, mounts.SetSpec{Mount: "app", ReadWrite: &yes}); err != nil || !m.ReadWrite || m.State != mounts.StateReady {
		t.Fatalf("Set = %+v, %v", m, err)
	}
	w.write(owner, "/mnt/app/x", "x\n")
	if err := w.Rename(w.ctx(), owner, "/mnt/app/x", "/scratch/x"); !errors.Is(err, vfs.ErrCrossDevice) {
		t.Errorf("a rename into another mount: %v", err)
	}
}

// TestOnlyTheMountItselfIsChanged names what is in a mount, and what was one.
func TestOnlyTheMountItselfIsChanged(t *testing.T) {
	w := newWorld(t)
	w.app()
	_, err := w.Add(w.ctx(), owner, mounts.AddSpec{Path: "/mnt/app/inner", Source: "memory", ReadWrite: true})
	w.must(err)
	_, err = w.Remove(w.ctx(), owner, mounts.RemoveSpec{Mount: "/mnt/app/inner"})
	w.must(err)
	for _, word := range []string{"/mnt/app/inner", "/mnt/app/b.txt", "/mnt/app/nonexistent", "/mnt", "/mnt/other"} {
		if _, err := w.Remove(w.ctx(), owner, mounts.RemoveSpec{Mount: word}); !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("Remove(%s) = %v", word, err)
		}
		no := "off"
		if _, err := w.Set(w.ctx(), owner, mounts.SetSpec{Mount: word, Trailers: &no}); !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("Set(%s) = %v", word, err)
		}
	}
	if m, err := w.Get(w.ctx(), owner, "/mnt/app"); err != nil || m.Trailers != "all" {
		t.Errorf("the mount above is %+v, %v", m, err)
	}
	_, err = w.Remove(w.ctx(), owner, mounts.RemoveSpec{Mount: "/mnt/app/"})
	w.must(err)
}
