package vfs

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"kaijutsu"
)

// systems are the file systems of this package; what follows holds for each.
func systems(t *testing.T, test func(t *testing.T, f FS)) {
	t.Run("memory", func(t *testing.T) { test(t, NewMemory(0)) })
	t.Run("folder", func(t *testing.T) { test(t, openFolder(t, t.TempDir())) })
	t.Run("folder with scratch", func(t *testing.T) {
		f := openFolder(t, t.TempDir())
		if err := f.SetScratch(filepath.Join(t.TempDir(), "made")); err != nil {
			t.Fatal(err)
		}
		test(t, f)
	})
}

func TestWriteAndRead(t *testing.T) {
	systems(t, func(t *testing.T, f FS) {
		for _, text := range []string{"hello\n", "", "längerer Text\n", "nul\x00", strings.Repeat("x", 3<<20)} {
			wrote := put(t, f, "dir/a.txt", text)
			data, info, err := f.Read(bg, amy, "dir/a.txt", 0)
			if err != nil || string(data) != text {
				t.Fatalf("Read = %d bytes, %v, want %d", len(data), err, len(text))
			}
			if info.Hash != HashOf([]byte(text)) || wrote.Hash != info.Hash || info.Size != int64(len(text)) || wrote.Size != info.Size {
				t.Errorf("Info = %+v, of Write %+v", info, wrote)
			}
			if want := strings.Contains(text, "\x00"); info.Binary != want || wrote.Binary != want {
				t.Errorf("Binary of %.10q = %v, %v, want %v", text, info.Binary, wrote.Binary, want)
			}
			if info.Kind != KindFile || info.Path != "dir/a.txt" || info.ModTime.IsZero() || info.Mode.Perm()&0o600 != 0o600 {
				t.Errorf("Info = %+v", info)
			}
		}
		if _, _, err := f.Read(bg, amy, "dir/a.txt", 100); !errors.Is(err, kaijutsu.ErrTooLarge) {
			t.Errorf("Read past the limit = %v, want %v", err, kaijutsu.ErrTooLarge)
		}
		if _, info, _ := f.Read(bg, amy, "dir/a.txt", 100); info.Size != 3<<20 {
			t.Errorf("Read past the limit describes %+v", info)
		}
	})
}

func TestWriteOptions(t *testing.T) {
	yes, no := true, false
	systems(t, func(t *testing.T, f FS) {
		first := put(t, f, "f", "one")
		tests := []struct {
			name string
			o    WriteOptions
			file string
			want error
		}{
			{"exclusive, there", WriteOptions{Exclusive: true}, "f", ErrExists},
			{"exclusive, new", WriteOptions{Exclusive: true}, "new", nil},
			{"hash, other bytes", WriteOptions{IfHash: HashOf([]byte("zero"))}, "f", kaijutsu.ErrConflict},
			{"hash, the bytes", WriteOptions{IfHash: first.Hash}, "f", nil},
			{"hash, not any more", WriteOptions{IfHash: first.Hash}, "f", kaijutsu.ErrConflict},
			{"hash, no file", WriteOptions{IfHash: first.Hash}, "none", kaijutsu.ErrConflict},
			{"parents", WriteOptions{Parents: true}, "x/y/z", nil},
			{"over a directory", WriteOptions{}, "x/y", ErrIsDirectory},
			{"below a file", WriteOptions{Parents: true}, "f/g", ErrNotDirectory},
			{"the mount", WriteOptions{}, ".", ErrIsDirectory},
			{"executable", WriteOptions{Exec: &yes}, "run", nil},
		}
		for _, test := range tests {
			if _, err := f.Write(bg, amy, test.file, []byte("two"), test.o); !errors.Is(err, test.want) {
				t.Errorf("%s: Write(%q) = %v, want %v", test.name, test.file, err, test.want)
			}
		}
		for _, step := range []struct {
			exec *bool
			want bool
		}{{nil, true}, {&no, false}, {nil, false}, {&yes, true}} {
			info, err := f.Write(bg, amy, "run", []byte("#!/bin/sh\n"), WriteOptions{Exec: step.exec})
			stat, _ := f.Stat(bg, "run")
			if got := info.Mode&0o100 != 0; err != nil || got != step.want || stat.Mode != info.Mode {
				t.Errorf("mode = %v (%v), %v, want executable %v", info.Mode, stat.Mode, err, step.want)
			}
		}
	})
}

func TestListRemoveRename(t *testing.T) {
	systems(t, func(t *testing.T, f FS) {
		for _, name := range []string{"b", "a/2", "a/10", "a/1", "a-b", "a/sub/x"} {
			put(t, f, name, name)
		}
		list := func(dir string, want ...string) {
			t.Helper()
			infos, err := f.List(bg, dir)
			if err != nil || !slices.Equal(paths(infos), want) {
				t.Errorf("List(%q) = %v, %v, want %v", dir, paths(infos), err, want)
			}
		}
		fails := func(doing string, err, want error) {
			t.Helper()
			if !errors.Is(err, want) {
				t.Errorf("%s = %v, want %v", doing, err, want)
			}
		}
		list(".", "a", "a-b", "b")
		list("a", "a/1", "a/10", "a/2", "a/sub")
		_, err := f.List(bg, "b")
		fails("list a file", err, ErrNotDirectory)
		_, err = f.List(bg, "none")
		fails("list nothing", err, kaijutsu.ErrNotFound)

		fails("mkdir", f.Mkdir(bg, amy, "m/n"), nil)
		fails("mkdir again", f.Mkdir(bg, amy, "m/n"), ErrExists)
		fails("mkdir over a file", f.Mkdir(bg, amy, "b"), ErrExists)
		fails("mkdir below a file", f.Mkdir(bg, amy, "b/c"), ErrNotDirectory)
		fails("mkdir the mount", f.Mkdir(bg, amy, "."), ErrExists)

		fails("remove what is not empty", f.Remove(bg, amy, "a", false), ErrNotEmpty)
		fails("remove nothing", f.Remove(bg, amy, "none", true), kaijutsu.ErrNotFound)
		fails("remove the mount", f.Remove(bg, amy, ".", true), kaijutsu.ErrInvalid)
		fails("remove an empty directory", f.Remove(bg, amy, "m/n", false), nil)
		fails("remove a file", f.Remove(bg, amy, "a/10", false), nil)

		fails("rename a file", f.Rename(bg, amy, "a/1", "m/one"), nil)
		fails("rename over a file", f.Rename(bg, amy, "m/one", "b"), nil)
		fails("rename over a directory", f.Rename(bg, amy, "b", "a"), ErrExists)
		fails("rename a directory over a file", f.Rename(bg, amy, "a", "b"), ErrExists)
		fails("rename a directory over an empty one", f.Rename(bg, amy, "a", "m"), ErrExists)
		fails("rename into itself", f.Rename(bg, amy, "a", "a/sub/deep"), kaijutsu.ErrInvalid)
		fails("rename to itself", f.Rename(bg, amy, "a", "a"), nil)
		fails("rename nothing", f.Rename(bg, amy, "none", "x"), kaijutsu.ErrNotFound)
		fails("rename the mount", f.Rename(bg, amy, ".", "x"), kaijutsu.ErrInvalid)
		fails("rename a directory", f.Rename(bg, amy, "a", "m/a"), nil)
		list(".", "a-b", "b", "m")
		list("m/a", "m/a/2", "m/a/sub")
		if data, _, err := f.Read(bg, amy, "b", 0); err != nil || string(data) != "a/1" {
			t.Errorf("what was renamed holds %q, %v", data, err)
		}
		fails("remove all", f.Remove(bg, amy, "m", true), nil)
		list(".", "a-b", "b")
	})
}

// TestTogether has many write, read, list and remove at once; each read must be
// one of the whole texts that were written.
func TestTogether(t *testing.T) {
	systems(t, func(t *testing.T, f FS) {
		var wg sync.WaitGroup
		for n := range 4 {
			wg.Go(func() {
				text := strings.Repeat(fmt.Sprint(n), 10_000)
				for i := range 40 {
					if _, err := f.Write(bg, amy, "d/shared", []byte(text), WriteOptions{Parents: true}); err != nil {
						t.Error(err)
					}
					data, _, err := f.Read(bg, amy, "d/shared", 0)
					if err != nil || len(data) != len(text) || strings.Trim(string(data), string(data[:1])) != "" {
						t.Errorf("read %d bytes, %v", len(data), err)
					}
					own := fmt.Sprintf("d/%d-%d", n, i)
					if _, err := f.Write(bg, amy, own, nil, WriteOptions{}); err != nil {
						t.Error(err)
					}
					if _, err := f.List(bg, "d"); err != nil {
						t.Error(err)
					}
					if err := f.Remove(bg, amy, own, false); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if infos, err := f.List(bg, "d"); err != nil || len(infos) != 1 {
			t.Errorf("left are %v, %v", paths(infos), err)
		}
	})
}

// TestIfHashCounts covers that of many who write what follows from what they
// read, each one's step is counted.
func TestIfHashCounts(t *testing.T) {
	systems(t, func(t *testing.T, f FS) {
		put(t, f, "n", "")
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for done := 0; done < 25; {
					data, info, err := f.Read(bg, amy, "n", 0)
					if err != nil {
						t.Error(err)
						return
					}
					_, err = f.Write(bg, amy, "n", append(data, 'x'), WriteOptions{IfHash: info.Hash})
					switch {
					case err == nil:
						done++
					case !errors.Is(err, kaijutsu.ErrConflict):
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		if data, _, err := f.Read(bg, amy, "n", 0); err != nil || len(data) != 100 {
			t.Errorf("counted %d, %v, want 100", len(data), err)
		}
	})
}

func TestMemoryLimit(t *testing.T) {
	m := NewMemory(10_000)
	put(t, m, "a", strings.Repeat("x", 5000))
	_, err := m.Write(bg, amy, "deep/er/b", make([]byte, 5000), WriteOptions{})
	if !errors.Is(err, kaijutsu.ErrTooLarge) || !strings.Contains(err.Error(), "of 10000 are used") {
		t.Errorf("write past the limit = %v", err)
	}
	if _, err := m.Stat(bg, "deep"); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("a write that was refused left a directory: %v", err)
	}
	for i := 0; ; i++ {
		if _, err := m.Write(bg, amy, fmt.Sprint("empty", i), nil, WriteOptions{}); err != nil {
			if i == 0 || i > 40 || !errors.Is(err, kaijutsu.ErrTooLarge) {
				t.Errorf("after %d empty files: %v", i, err)
			}
			break
		}
	}
	if err := m.Mkdir(bg, amy, strings.Repeat("d", 250)); !errors.Is(err, kaijutsu.ErrTooLarge) {
		t.Errorf("mkdir past the limit = %v", err)
	}
	put(t, m, "a", "short now")
	infos, _ := m.List(bg, ".")
	for _, info := range infos {
		if err := m.Remove(bg, amy, info.Path, true); err != nil {
			t.Error(err)
		}
	}
	if used, limit := m.Used(); used != 0 || limit != 10_000 {
		t.Errorf("used %d of %d when empty", used, limit)
	}
	put(t, m, "x/y/z", "text")
	if err := m.Rename(bg, amy, "x/y", "p/q/rrr"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"x", "p"} {
		if err := m.Remove(bg, amy, name, true); err != nil {
			t.Error(err)
		}
	}
	if used, _ := m.Used(); used != 0 {
		t.Errorf("used %d when empty after a rename", used)
	}
}
