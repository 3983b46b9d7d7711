package worktree_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/git"
	"kaijutsu/internal/op"
	"kaijutsu/internal/vfs"
	"kaijutsu/internal/worktree"
)

// The worktree as a file system: text goes through blocks, all else to the disk.
func TestFS(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem, "d/b.txt": "b\r\n", "bin": "a\x00b"})
	fs := w.FS(amy)
	ctx := w.ctx()
	data, info, err := fs.Read(ctx, amy.By, "a.txt", 0)
	if err != nil || string(data) != poem || info.Block == "" || info.Hash != vfs.HashOf(data) {
		t.Fatalf("Read = %q, %+v, %v", data, info, err)
	}
	f := w.file("a.txt")
	if _, err := fs.Write(ctx, amy.By, "a.txt", []byte(poem+"x\n"), vfs.WriteOptions{IfHash: vfs.HashOf(nil)}); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("write with another hash: %v", err)
	}
	exec := true
	if _, err := fs.Write(ctx, amy.By, "a.txt", []byte(poem+"eight\n"), vfs.WriteOptions{IfHash: info.Hash, Exec: &exec}); err != nil {
		t.Fatal(err)
	}
	if got := w.disk("a.txt"); got != poem+"eight\n" {
		t.Errorf("written, the disk holds %q", got)
	}
	if st, err := os.Stat(w.path("a.txt")); err != nil || st.Mode()&0o100 == 0 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	if by, _ := w.author(f, "eight"); by != amy.By {
		t.Errorf("by %v", by)
	}
	if info, err = fs.Write(ctx, amy.By, "new/c.txt", []byte("c\n"), vfs.WriteOptions{Parents: true, Exclusive: true}); err != nil || info.Block == "" || w.disk("new/c.txt") != "c\n" {
		t.Errorf("a new file: %+v, %v, the disk holds %q", info, err, w.disk("new/c.txt"))
	}
	if _, err := fs.Write(ctx, amy.By, "new/c.txt", nil, vfs.WriteOptions{Exclusive: true}); !errors.Is(err, vfs.ErrExists) {
		t.Errorf("exclusive: %v", err)
	}
	if _, err := fs.Write(ctx, amy.By, "bin", []byte("\x00"), vfs.WriteOptions{}); err != nil || w.disk("bin") != "\x00" {
		t.Errorf("binary: %v, %q", err, w.disk("bin"))
	}
	if _, err := fs.Write(ctx, amy.By, "d/b.txt", []byte("b\nc\n"), vfs.WriteOptions{}); err != nil || w.disk("d/b.txt") != "b\r\nc\r\n" {
		t.Errorf("line ends: %v, %q", err, w.disk("d/b.txt"))
	}
	if err := fs.Rename(ctx, amy.By, "d", "e"); err != nil {
		t.Fatal(err)
	}
	if g := w.file("e/b.txt"); g.Content != "b\nc\n" || w.disk("e/b.txt") != "b\r\nc\r\n" {
		t.Errorf("renamed: %+v", g)
	}
	if err := fs.Remove(ctx, amy.By, "e", true); err != nil {
		t.Fatal(err)
	}
	w.settle()
	if s := w.state("e/b.txt"); !s.Deleted {
		t.Errorf("removed: %+v", s)
	}
	infos, err := fs.List(ctx, ".")
	var names []string
	for _, i := range infos {
		names = append(names, i.Path)
	}
	if want := []string{"a.txt", "bin", "new"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("List = %v, %v, want %v", names, err, want)
	}
	w.settle()
	w.wantChanges(map[string]int{"git file_open": 2, "kaijutsu file_meta": 1})
}

func TestFSRefuses(t *testing.T) {
	w := bareWorld(t, map[string]string{"a.txt": poem})
	w.open()
	ctx := w.ctx()
	stranger := op.Call{By: kaijutsu.Principal{Name: "eve", Kind: kaijutsu.Person}}
	if _, _, err := w.FS(stranger).Read(ctx, stranger.By, "a.txt", 0); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("a stranger reads: %v", err)
	}
	reader := op.Call{By: kaijutsu.Principal{Name: "rea", Kind: kaijutsu.Person}, Right: kaijutsu.RightRead}
	if data, _, err := w.FS(reader).Read(ctx, reader.By, "a.txt", 0); err != nil || string(data) != poem {
		t.Errorf("a reader reads %q, %v", data, err)
	}
	for name, do := range map[string]func(vfs.FS) error{
		"write": func(fs vfs.FS) error {
			_, err := fs.Write(ctx, reader.By, "a.txt", nil, vfs.WriteOptions{})
			return err
		},
		"new": func(fs vfs.FS) error {
			_, err := fs.Write(ctx, reader.By, "n.txt", nil, vfs.WriteOptions{})
			return err
		},
		"binary": func(fs vfs.FS) error {
			_, err := fs.Write(ctx, reader.By, "n", []byte{0}, vfs.WriteOptions{})
			return err
		},
		"remove": func(fs vfs.FS) error { return fs.Remove(ctx, reader.By, "a.txt", false) },
		"rename": func(fs vfs.FS) error { return fs.Rename(ctx, reader.By, "a.txt", "b.txt") },
		"mkdir":  func(fs vfs.FS) error { return fs.Mkdir(ctx, reader.By, "d") },
	} {
		if err := do(w.FS(reader)); !errors.Is(err, kaijutsu.ErrDenied) {
			t.Errorf("a reader's %s: %v, want denied", name, err)
		}
	}
	for _, name := range []string{".git", ".git/config", "../x", "a/.GIT/x"} {
		if _, err := w.FS(amy).Write(ctx, amy.By, name, []byte("x"), vfs.WriteOptions{Parents: true}); !errors.Is(err, kaijutsu.ErrDenied) {
			t.Errorf("write %q: %v, want denied", name, err)
		}
		if _, _, err := w.FS(amy).Read(ctx, amy.By, name, 0); err == nil {
			t.Errorf("read %q works", name)
		}
	}
	w.settle()
	if w.disk("a.txt") != poem {
		t.Error("something was written")
	}
}

// A read-only mount takes what the disk gets and writes nothing.
func TestReadOnly(t *testing.T) {
	w := bareWorld(t, map[string]string{"a.txt": poem})
	w.config = func(c *worktree.Config) { c.ReadOnly = true }
	w.open()
	f := w.file("a.txt")
	if _, err := w.FS(amy).Write(w.ctx(), amy.By, "a.txt", nil, vfs.WriteOptions{}); !errors.Is(err, vfs.ErrReadOnly) {
		t.Errorf("write: %v", err)
	}
	w.sub(amy, f, "two", "2")
	w.settle()
	w.sh("sed -i s/six/6/ a.txt")
	w.untilBlock(f, strings.NewReplacer("two", "2", "six", "6").Replace(poem))
	w.settle()
	if got, want := w.disk("a.txt"), strings.Replace(poem, "six", "6", 1); got != want {
		t.Errorf("the disk holds %q, want %q", got, want)
	}
	if !w.state("a.txt").Dirty {
		t.Errorf("state %+v, want dirty", w.state("a.txt"))
	}
}

// While a snapshot is held nothing moves; a commit made of it is known.
func TestFrozen(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem, "b.txt": "b\r\n", "c.txt": "c\n"})
	f, b, c := w.file("a.txt"), w.file("b.txt"), w.file("c.txt")
	w.sub(amy, f, "two", "2")
	w.sh("rm c.txt; chmod +x b.txt")
	generation := w.State().Generation
	err := w.Frozen(w.ctx(), nil, func(s worktree.Snapshot) error {
		want := []worktree.Snap{
			{Path: "a.txt", Block: f.Block, RepoData: []byte(strings.Replace(poem, "two", "2", 1)), Mode: git.Regular, Exists: true},
			{Path: "b.txt", Block: b.Block, RepoData: []byte("b\r\n"), Mode: git.Executable, Exists: true},
			{Path: "c.txt", Block: c.Block, Mode: git.Regular},
		}
		if !slices.EqualFunc(s.Files, want, func(a, b worktree.Snap) bool {
			return string(a.RepoData) == string(b.RepoData) && a.Path == b.Path && a.Block == b.Block && a.Mode == b.Mode && a.Exists == b.Exists && !a.Dirty && !a.Conflict
		}) {
			t.Errorf("snapshot %+v\nwant %+v", s.Files, want)
		}
		if got := w.disk("a.txt"); got != string(s.Files[0].RepoData) {
			t.Errorf("the disk holds %q", got)
		}
		if g := w.file("a.txt"); g.Block != f.Block {
			t.Errorf("reading inside: %+v", g)
		}
		w.sub(ben, f, "five", "5")
		w.git("commit", "-q", "-a", "-m", "from the snapshot")
		if strings.Contains(w.disk("a.txt"), "5") {
			t.Error("written while frozen")
		}
		w.Committed(git.Hash(w.git("rev-parse", "HEAD")))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w.settle()
	if got := w.disk("a.txt"); !strings.Contains(got, "5\n") {
		t.Errorf("not written afterwards: %q", got)
	}
	if s := w.State(); s.Generation != generation+1 || s.Paused {
		t.Errorf("state %+v, want generation %d", s, generation+1)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = w.Frozen(t.Context(), []string{"a.txt", "none"}, func(s worktree.Snapshot) error {
		if len(s.Files) != 1 {
			t.Errorf("snapshot of two paths, one of them no block: %+v", s.Files)
		}
		cancel()
		if err := w.Frozen(ctx, nil, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("Frozen in Frozen = %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
