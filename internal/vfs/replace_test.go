package vfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaijutsu"
)

// yard is a folder to replace files in, and how it is written to.
type yard struct {
	t       *testing.T
	dir     string
	scratch string // "" none
	f       *Folder
	checked bool // looks, then replaces, as where files cannot be exchanged
}

// yards runs a test in every sort of folder.
func yards(t *testing.T, test func(t *testing.T, y *yard)) {
	begin := func(t *testing.T, scratch string) *yard {
		y := &yard{t: t, dir: t.TempDir(), scratch: scratch}
		y.f = openFolder(t, y.dir)
		if scratch != "" {
			if err := y.f.SetScratch(scratch); err != nil {
				t.Fatal(err)
			}
		}
		t.Cleanup(y.clean)
		return y
	}
	t.Run("scratch", func(t *testing.T) { test(t, begin(t, t.TempDir())) })
	t.Run("hidden beside", func(t *testing.T) { test(t, begin(t, "")) })
	t.Run("scratch on another file system", func(t *testing.T) {
		dir, err := os.MkdirTemp("/dev/shm", "kaijutsu")
		if err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		test(t, begin(t, dir))
	})
	t.Run("checked", func(t *testing.T) {
		y := begin(t, "")
		y.checked = true
		test(t, y)
	})
}

// clean holds that nothing is left where files were made ready.
func (y *yard) clean() {
	_ = filepath.WalkDir(y.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), ".kaijutsu") {
			y.t.Errorf("left behind: %s", path)
		}
		return nil
	})
	if y.scratch != "" {
		if left, _ := os.ReadDir(y.scratch); len(left) > 0 {
			y.t.Errorf("left behind in the scratch directory: %v", left)
		}
	}
}

func (y *yard) replace(name, text string, expect func(string, bool) error, after func() error) error {
	judge := func(old []byte, _ Stamp, exists bool) error { return expect(string(old), exists) }
	if !y.checked {
		_, err := y.f.Replace(name, []byte(text), 0o644, judge, after)
		return err
	}
	_, err := y.f.putChecked(replacement{
		name: name, data: []byte(text), compare: true, makes: true, after: after,
		mode: func(old fs.FileMode, exists bool) fs.FileMode {
			return map[bool]fs.FileMode{true: old, false: 0o644}[exists]
		},
		expect: func(s seen) error { return judge(s.data, s.stamp, s.exists) },
	})
	return err
}

func (y *yard) removeIf(name string, expect func(string, bool) error) error {
	if y.checked {
		return y.f.takeChecked(name, func(s seen) error { return expect(string(s.data), s.exists) })
	}
	return y.f.RemoveIf(name, func(old []byte, _ Stamp, exists bool) error { return expect(string(old), exists) })
}

func (y *yard) path(name string) string { return filepath.Join(y.dir, name) }

func (y *yard) write(name, text string) {
	y.t.Helper()
	if err := os.MkdirAll(filepath.Dir(y.path(name)), 0o755); err != nil {
		y.t.Fatal(err)
	}
	if err := os.WriteFile(y.path(name), []byte(text), 0o644); err != nil {
		y.t.Fatal(err)
	}
}

// save writes as editors do: another file, renamed into the place.
func (y *yard) save(name, text string) {
	y.t.Helper()
	y.write(name+".swp", text)
	if err := os.Rename(y.path(name+".swp"), y.path(name)); err != nil {
		y.t.Fatal(err)
	}
}

// holds compares what a file holds; "-" stands for no file.
func (y *yard) holds(name, want string) {
	y.t.Helper()
	data, err := os.ReadFile(y.path(name))
	got := string(data)
	if errors.Is(err, fs.ErrNotExist) {
		got = "-"
	} else if err != nil {
		y.t.Fatal(err)
	}
	if got != want {
		y.t.Errorf("%s holds %q, want %q", name, got, want)
	}
}

// is expects a text; "-" no file.
func is(want string) func(string, bool) error {
	return func(old string, exists bool) error {
		if exists != (want != "-") || exists && old != want {
			return errUnexpected
		}
		return nil
	}
}

var errAfter = errors.New("the branch was switched")

func TestReplace(t *testing.T) {
	yards(t, func(t *testing.T, y *yard) {
		y.write("dir/f", "old")
		tests := []struct {
			name, file, text string
			expect           func(string, bool) error
			after            func() error
			want             error
			holds            string
		}{
			{"what is expected", "dir/f", "new", is("old"), nil, nil, "new"},
			{"what is not", "dir/f", "newer", is("old"), nil, errUnexpected, "new"},
			{"no file where one was expected", "dir/g", "x", is("old"), nil, errUnexpected, "-"},
			{"a file where none was", "dir/f", "x", is("-"), nil, errUnexpected, "new"},
			{"a new file", "dir/g", "first", is("-"), nil, nil, "first"},
			{"a new file in a new directory", "a/b/c", "first", is("-"), nil, nil, "first"},
			{"after says no", "dir/f", "x", is("new"), func() error { return errAfter }, errAfter, "new"},
			{"after says no to a new file", "dir/h", "x", is("-"), func() error { return errAfter }, errAfter, "-"},
			{"after says yes", "dir/f", "last", is("new"), func() error { return nil }, nil, "last"},
			{"empty", "dir/f", "", is("last"), nil, nil, ""},
		}
		for _, test := range tests {
			if err := y.replace(test.file, test.text, test.expect, test.after); !errors.Is(err, test.want) {
				t.Errorf("%s: Replace(%q) = %v, want %v", test.name, test.file, err, test.want)
			}
			y.holds(test.file, test.holds)
		}
		_ = y.replace("new/dir/f", "x", is("something"), nil)
		if _, err := os.Stat(y.path("new")); err == nil && !y.checked {
			t.Error("a refusal made directories")
		}
	})
}

func TestReplaceKeepsMode(t *testing.T) {
	yards(t, func(t *testing.T, y *yard) {
		for _, mode := range []fs.FileMode{0o755, 0o600, 0o444, 0o640, 0o777} {
			y.write("f", "old")
			if err := os.Chmod(y.path("f"), mode); err != nil {
				t.Fatal(err)
			}
			if err := y.replace("f", "new", is("old"), nil); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(y.path("f"))
			if err != nil || info.Mode().Perm() != mode {
				t.Errorf("mode = %v, %v, want %v", info.Mode(), err, mode)
			}
			os.Remove(y.path("f"))
		}
	})
}

func TestReplaceRefusesKinds(t *testing.T) {
	yards(t, func(t *testing.T, y *yard) {
		y.write("real/f", "text")
		for link, target := range map[string]string{"link": "real/f", "dirlink": "real", "dangling": "none"} {
			if err := os.Symlink(target, y.path(link)); err != nil {
				t.Fatal(err)
			}
		}
		tests := []struct {
			name string
			want error
		}{
			{"link", kaijutsu.ErrConflict}, {"dangling", kaijutsu.ErrConflict}, {"dirlink", kaijutsu.ErrConflict},
			{"dirlink/f", kaijutsu.ErrConflict}, {"dirlink/new", kaijutsu.ErrConflict}, {"real", ErrIsDirectory}, {"real/f/x", ErrNotDirectory},
		}
		for _, test := range tests {
			if err := y.replace(test.name, "x", func(string, bool) error { return nil }, nil); !errors.Is(err, test.want) {
				t.Errorf("Replace(%q) = %v, want %v", test.name, err, test.want)
			}
			if err := y.removeIf(test.name, is("text")); err == nil {
				t.Errorf("RemoveIf(%q) = nil, want an error", test.name)
			}
		}
		y.holds("real/f", "text")
		if target, err := os.Readlink(y.path("link")); err != nil || target != "real/f" {
			t.Errorf("the link is %q, %v", target, err)
		}
	})
}

// TestReplaceMeets covers what another program does in between.
func TestReplaceMeets(t *testing.T) {
	yards(t, func(t *testing.T, y *yard) {
		// It saves between the first look and the exchange.
		y.write("f", "old")
		looks := 0
		err := y.replace("f", "ours", func(old string, exists bool) error {
			looks++
			err := is("old")(old, exists)
			if looks == 1 {
				y.save("f", "theirs")
			}
			return err
		}, nil)
		if !errors.Is(err, errUnexpected) || looks != 2 {
			t.Errorf("Replace = %v after %d looks, want %v after 2", err, looks, errUnexpected)
		}
		y.holds("f", "theirs")

		// It removes the file between the first look and the exchange.
		looks = 0
		err = y.replace("f", "ours", func(old string, exists bool) error {
			if looks++; looks == 1 {
				os.Remove(y.path("f"))
				return nil
			}
			return is("theirs")(old, exists)
		}, nil)
		if !errors.Is(err, errUnexpected) {
			t.Errorf("Replace = %v, want %v", err, errUnexpected)
		}
		y.holds("f", "-")

		// It makes the file between the first look and the move.
		looks = 0
		err = y.replace("f", "ours", func(old string, exists bool) error {
			if looks++; looks == 1 {
				y.write("f", "theirs")
				return nil
			}
			return is("-")(old, exists)
		}, nil)
		if !errors.Is(err, errUnexpected) {
			t.Errorf("Replace = %v, want %v", err, errUnexpected)
		}
		y.holds("f", "theirs")

		// It saves after ours is in place, which then is to be taken back.
		err = y.replace("f", "ours", is("theirs"), func() error {
			y.holds("f", "ours")
			y.save("f", "their second")
			return errAfter
		})
		if !errors.Is(err, errAfter) {
			t.Errorf("Replace = %v, want %v", err, errAfter)
		}
		y.holds("f", "their second")

		// It writes into ours, which then is to be taken back.
		err = y.replace("f", "ours", is("their second"), func() error {
			y.write("f", "ours and theirs")
			return errAfter
		})
		var displaced *Displaced
		if !errors.As(err, &displaced) || !errors.Is(err, errAfter) || string(displaced.Old) != "their second" || displaced.Name != "f" {
			t.Errorf("Replace = %v, want what was displaced", err)
		}
		y.holds("f", "ours and theirs")

		// It removes ours, which then is to be taken back.
		err = y.replace("f", "ours", is("ours and theirs"), func() error {
			os.Remove(y.path("f"))
			return errAfter
		})
		if !errors.Is(err, errAfter) {
			t.Errorf("Replace = %v, want %v", err, errAfter)
		}
		y.holds("f", "-")
	})
}

func TestRemoveIf(t *testing.T) {
	yards(t, func(t *testing.T, y *yard) {
		y.write("d/f", "text")
		if err := y.removeIf("d/f", is("other")); !errors.Is(err, errUnexpected) {
			t.Errorf("RemoveIf = %v, want %v", err, errUnexpected)
		}
		y.holds("d/f", "text")
		looks := 0
		err := y.removeIf("d/f", func(old string, exists bool) error {
			err := is("text")(old, exists)
			if looks++; looks == 1 {
				y.save("d/f", "theirs")
			}
			return err
		})
		if !errors.Is(err, errUnexpected) {
			t.Errorf("RemoveIf = %v, want %v", err, errUnexpected)
		}
		y.holds("d/f", "theirs")
		if err := y.removeIf("d/f", is("theirs")); err != nil {
			t.Errorf("RemoveIf = %v", err)
		}
		y.holds("d/f", "-")
		for _, name := range []string{"d/f", "none/at/all"} {
			if err := y.removeIf(name, is("-")); err != nil {
				t.Errorf("RemoveIf(%q) of nothing, expected = %v", name, err)
			}
			if err := y.removeIf(name, is("text")); !errors.Is(err, errUnexpected) {
				t.Errorf("RemoveIf(%q) of nothing = %v, want %v", name, err, errUnexpected)
			}
		}
	})
}

// TestReplaceStamp covers that the stamp returned is that of the file in place,
// and the stamp seen that of the file before.
func TestReplaceStamp(t *testing.T) {
	f := openFolder(t, t.TempDir())
	put(t, f, "f", "old")
	was, err := f.Stamp("f")
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.Replace("f", []byte("new"), 0, func(_ []byte, st Stamp, exists bool) error {
		if !exists || st != was {
			t.Errorf("expect got %+v, %v, want %+v", st, exists, was)
		}
		return nil
	}, nil)
	now, _ := f.Stamp("f")
	if err != nil || got != now || got == was {
		t.Errorf("Replace = %+v, %v; Stamp = %+v", got, err, now)
	}
	if _, err := f.Stamp("none"); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Stamp(none) = %v", err)
	}
}

func TestReplaceNewMode(t *testing.T) {
	f := openFolder(t, t.TempDir())
	accept := func([]byte, Stamp, bool) error { return nil }
	for name, perm := range map[string]fs.FileMode{"plain": 0, "run": 0o755, "own": 0o600} {
		if _, err := f.Replace(name, nil, perm, accept, nil); err != nil {
			t.Fatal(err)
		}
		info, err := f.Stat(bg, name)
		if got, want := info.Mode.Perm()&0o700, max(perm, 0o600)&0o700; err != nil || got != want {
			t.Errorf("mode of %s = %v, %v, want %v of the owner", name, got, err, want)
		}
	}
}

// TestClosed covers a folder that was closed: an error, and no other
// descriptor's directory.
func TestClosed(t *testing.T) {
	f := openFolder(t, t.TempDir())
	put(t, f, "f", "text")
	if err := errors.Join(f.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	accept := func([]byte, Stamp, bool) error { return nil }
	_, err := f.Replace("f", nil, 0, accept, nil)
	for name, err := range map[string]error{"replace": err, "remove if": f.RemoveIf("f", accept), "remove": f.Remove(bg, amy, "f", false), "scratch": f.SetScratch(t.TempDir())} {
		if !errors.Is(err, kaijutsu.ErrUnavailable) {
			t.Errorf("%s = %v, want %v", name, err, kaijutsu.ErrUnavailable)
		}
	}
}

// TestReplaceWithoutScratch covers a scratch directory that somebody removed.
func TestReplaceWithoutScratch(t *testing.T) {
	f, scratch := openFolder(t, t.TempDir()), filepath.Join(t.TempDir(), "s")
	if err := f.SetScratch(scratch); err != nil {
		t.Fatal(err)
	}
	put(t, f, "f", "old")
	if err := os.RemoveAll(scratch); err != nil {
		t.Fatal(err)
	}
	if put(t, f, "f", "new").Size != 3 {
		t.Error("not written")
	}
}
