package worktree_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/vfs"
)

// Nothing is written where git could keep nothing of this worktree, and no block
// is made of it.
func TestWriteWhereNothingCanBe(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "file\n", "d/x": "x\n", "big.txt": strings.Repeat("x", 600<<10) + "\n"})
	w.sh("ln -s d link; mkdir -p clone/.git sub; touch clone/.git/HEAD")
	w.git("update-index", "--add", "--cacheinfo", "160000,"+w.git("rev-parse", "HEAD")+",sub")
	fs := w.FS(amy)
	tests := []struct {
		name string
		want error
	}{
		{"f/x.txt", vfs.ErrNotDirectory}, {"f/x/y.txt", vfs.ErrNotDirectory}, {"link/new.txt", kaijutsu.ErrConflict}, {"link/x", kaijutsu.ErrConflict},
		{"sub/new.txt", kaijutsu.ErrConflict}, {"sub", kaijutsu.ErrConflict}, {"clone/new.txt", kaijutsu.ErrConflict}, {"d", vfs.ErrIsDirectory},
		{"clone/.git/HEAD", kaijutsu.ErrDenied},
	}
	for _, tt := range tests {
		if _, err := fs.Write(w.ctx(), amy.By, tt.name, []byte("new\n"), vfs.WriteOptions{Parents: true}); !errors.Is(err, tt.want) {
			t.Errorf("write %s = %v, want %v", tt.name, err, tt.want)
		}
	}
	for name, err := range map[string]error{"mkdir link/n": fs.Mkdir(w.ctx(), amy.By, "link/n"), "mkdir sub/n": fs.Mkdir(w.ctx(), amy.By, "sub/n"),
		"remove link/x": fs.Remove(w.ctx(), amy.By, "link/x", false), "remove sub": fs.Remove(w.ctx(), amy.By, "sub", true), "rename sub": fs.Rename(w.ctx(), amy.By, "sub", "other"),
		"rename below a link": fs.Rename(w.ctx(), amy.By, "f", "link/f"),
	} {
		if !errors.Is(err, kaijutsu.ErrConflict) {
			t.Errorf("%s = %v, want a conflict", name, err)
		}
	}
	if files := w.State().Files; len(files) != 0 {
		t.Errorf("blocks were made: %+v", files)
	}
	if _, err := fs.Write(w.ctx(), amy.By, "no/where/x.txt", []byte("x\n"), vfs.WriteOptions{}); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("write without its directory = %v, want not found", err)
	}
	if _, err := fs.Write(w.ctx(), amy.By, "big.txt", []byte("small\n"), vfs.WriteOptions{}); err != nil || w.disk("big.txt") != "small\n" {
		t.Errorf("write over a large file: %v, the disk holds %.20q", err, w.disk("big.txt"))
	}
	if info, err := fs.Stat(w.ctx(), "sub"); err != nil || info.Kind != vfs.KindSubmodule {
		t.Errorf("Stat(sub) = %+v, %v, want a submodule", info, err)
	}
	if list, err := fs.List(w.ctx(), "."); err != nil || !strings.Contains(kinds(list), "sub submodule") {
		t.Errorf("List = %v, %v, want sub as a submodule", kinds(list), err)
	}
}

func kinds(list []vfs.Info) string {
	var b strings.Builder
	for _, i := range list {
		b.WriteString(i.Path + " " + string(i.Kind) + "\n")
	}
	return b.String()
}

// What is git's own is not there, whatever leads to it, and a link to a file is
// that file.
func TestLinksLeadNowhereElse(t *testing.T) {
	w := newWorld(t, map[string]string{"d/x": "x\n"})
	w.sh("mkdir -p nested/.git; echo secret > nested/.git/config; ln -s nested/.git x; ln -s .git y; ln -s x/config z; ln -s /etc/hostname out; ln -s d/x file; ln -s d dir; ln -s loop loop")
	w.sh("ln -s ../.git d/up; ln -s " + w.dir + "/nested/.git abs")
	fs := w.FS(amy)
	for _, name := range []string{"x/config", "y", "z", "out", "loop", "d/up", "abs/config", "dir/up"} {
		if data, _, err := fs.Read(w.ctx(), amy.By, name, 0); err == nil {
			t.Errorf("Read(%s) = %q, want an error", name, data)
		}
		if data, _, err := fs.(vfs.Peeker).Peek(w.ctx(), name, 0); err == nil {
			t.Errorf("Peek(%s) = %q, want an error", name, data)
		}
		if f, err := w.OpenFile(w.ctx(), amy, name); err == nil {
			t.Errorf("OpenFile(%s) = %+v, want an error", name, f)
		}
		if _, err := fs.Write(w.ctx(), amy.By, name, []byte("mine"), vfs.WriteOptions{}); err == nil {
			t.Errorf("Write(%s): want an error", name)
		}
	}
	if list, err := fs.List(w.ctx(), "x"); err == nil {
		t.Errorf("List(x) = %+v, want an error", list)
	}
	if got := w.disk("nested/.git/config"); got != "secret\n" {
		t.Errorf("nested/.git/config holds %q", got)
	}
	f := w.file("d/x")
	w.sub(amy, f, "x", "changed")
	for _, name := range []string{"file", "dir/x"} {
		if data, info, err := fs.Read(w.ctx(), amy.By, name, 0); err != nil || string(data) != "changed\n" || info.Block != string(f.Block) {
			t.Errorf("Read(%s) = %q, %+v, %v, want d/x's block", name, data, info, err)
		}
	}
}

// A writer does not wait for a git that was killed.
func TestLockStays(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "a\n"})
	w.file("a.txt")
	lock := filepath.Join(w.main, ".git/worktrees/tree/index.lock")
	if err := os.WriteFile(lock, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	w.until("paused", func() bool { return w.State().Paused })
	start := time.Now()
	_, err := w.FS(amy).Write(w.ctx(), amy.By, "a.txt", []byte("b\n"), vfs.WriteOptions{})
	if took := time.Since(start); !errors.Is(err, kaijutsu.ErrUnavailable) || took > 5*time.Second {
		t.Errorf("Write = %v after %s, want unavailable within a second or so", err, took)
	}
	ctx, cancel := context.WithCancel(w.ctx())
	cancel()
	if _, err := w.FS(amy).Write(ctx, amy.By, "a.txt", []byte("b\n"), vfs.WriteOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Write of who gave up = %v", err)
	}
	if err := w.Settle(w.ctx()); !errors.Is(err, kaijutsu.ErrUnavailable) || !strings.Contains(err.Error(), "index.lock") {
		t.Errorf("Settle = %v, want unavailable because of the lock", err)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	w.until("resumed", func() bool { return !w.State().Paused })
	if _, err := w.FS(amy).Write(w.ctx(), amy.By, "a.txt", []byte("b\n"), vfs.WriteOptions{}); err != nil {
		t.Error(err)
	}
	w.untilDisk("a.txt", "b\n")
}

// A file that is removed and made again at once is followed again.
func TestRemovedAndMadeAtOnce(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem})
	f := w.file("a.txt")
	if err := w.FS(amy).Remove(w.ctx(), amy.By, "a.txt", false); err != nil {
		t.Fatal(err)
	}
	w.put("a.txt", "again\n")
	w.untilBlock(f, "again\n")
}

// What a block could not be read back from the disk as is not written: it can be
// taken back.
func TestUnfitIsNotFlushed(t *testing.T) {
	for name, typed := range map[string]string{"NUL": "\x00", "too large": strings.Repeat("long\n", 1000)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := bareWorld(t, map[string]string{"a.txt": poem})
			w.limit = 2000
			w.open()
			f := w.file("a.txt")
			w.sub(ben, f, "two", "two"+typed)
			w.until("said", func() bool { return strings.Contains(w.state("a.txt").Problem, "not written") })
			w.settle()
			if got := w.disk("a.txt"); got != poem {
				t.Errorf("the disk holds %.40q", got)
			}
			w.sub(ben, f, typed, "!")
			w.untilDisk("a.txt", strings.Replace(poem, "two", "two!", 1))
			w.settle()
			if s := w.state("a.txt"); s.Problem != "" || s.Dirty {
				t.Errorf("state %+v", s)
			}
		})
	}
}

// An older copy that is put back later is what its owner wants, and not a
// program that was overtaken.
func TestOlderCopyComesBack(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": poem})
	f := w.file("a.txt")
	w.sh("cp -p a.txt ../a.bak")
	w.sub(amy, f, "two", "two, changed")
	w.untilDisk("a.txt", strings.Replace(poem, "two", "two, changed", 1))
	w.settle()
	w.sh("sleep 0.7; mv ../a.bak a.txt") // half a second is what overtaking may take
	w.untilBlock(f, poem)
	w.settle()
	if got := w.disk("a.txt"); got != poem {
		t.Errorf("the disk holds %q, want what was put back", got)
	}
}

// One carriage return among lines that end with two characters changes no other
// line.
func TestLoneCarriageReturn(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\r\ntwo\r\nthree\r\nfour\r\n"})
	f := w.file("a.txt")
	w.sub(ben, f, "two", "t\rwo")
	w.untilDisk("a.txt", "one\r\nt\rwo\r\nthree\r\nfour\r\n")
	w.settle()
	w.sh(`sed -i s/four/FOUR/ a.txt`)
	w.untilBlock(f, "one\nt\rwo\nthree\nFOUR\n")
}
