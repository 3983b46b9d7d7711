package vfs_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/vfs"
)

func TestNamesThatDoNotShow(t *testing.T) {
	dir := t.TempDir()
	folder, err := vfs.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	table := vfs.NewTable()
	if err := table.Mount("/f", folder, false); err != nil {
		t.Fatal(err)
	}
	by := kaijutsu.Principal{}
	if _, err := table.Write(t.Context(), by, "/f/plain", []byte("x"), vfs.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a\nb.txt", "a\x1b[31m.txt", "\u202etxt.exe", "d\tir/x", "a\u2028b", "\x7f", "a\u0085b"} {
		_, err := table.Write(t.Context(), by, "/f/"+name, []byte("x"), vfs.WriteOptions{Parents: true})
		for _, err := range []error{err, table.Mkdir(t.Context(), by, "/f/"+name), table.Rename(t.Context(), by, "/f/plain", "/f/"+name)} {
			if !errors.Is(err, kaijutsu.ErrInvalid) || strings.ContainsAny(err.Error(), "\n\x1b\u202e") {
				t.Errorf("%q: error %v, want ErrInvalid that shows the name", name, err)
			}
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
	// What others made may be written and removed.
	if err := os.WriteFile(filepath.Join(dir, "a\nb"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := table.Write(t.Context(), by, "/f/a\nb", []byte("y"), vfs.WriteOptions{}); err != nil {
		t.Errorf("a file that is there: %v", err)
	}
	if err := table.Rename(t.Context(), by, "/f/a\nb", "/f/ab"); err != nil {
		t.Errorf("renamed to a name that shows: %v", err)
	}
}

func TestDoubledSlashes(t *testing.T) {
	table := vfs.NewTable()
	if err := table.Mount("/f", vfs.NewMemory(1000), false); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"//f", "//f//a", "/f//a", "///"} {
		_, err := table.Stat(t.Context(), p)
		if !errors.Is(err, kaijutsu.ErrInvalid) || errors.Is(err, vfs.ErrEscapes) || !strings.Contains(err.Error(), "two slashes in a row") {
			t.Errorf("%s: error %v, want that it has two slashes", p, err)
		}
	}
}
