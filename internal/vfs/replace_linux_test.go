package vfs

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"kaijutsu"
)

// TestReplaceBusy covers a program that has the file open to write to it when
// it is exchanged: the file is put back, and what it writes is not lost.
func TestReplaceBusy(t *testing.T) {
	yards(t, func(t *testing.T, y *yard) {
		if y.checked {
			t.Skip("noticed by exchanging only")
		}
		y.write("f", "old")
		file, err := os.OpenFile(y.path("f"), os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := y.replace("f", "ours", is("old"), nil); !errors.Is(err, kaijutsu.ErrConflict) {
			t.Errorf("Replace = %v, want %v", err, kaijutsu.ErrConflict)
		}
		if err := y.removeIf("f", is("old")); !errors.Is(err, kaijutsu.ErrConflict) {
			t.Errorf("RemoveIf = %v, want %v", err, kaijutsu.ErrConflict)
		}
		if _, err := file.WriteString(" and theirs"); err != nil {
			t.Fatal(err)
		}
		file.Close()
		y.holds("f", "old and theirs")
		if err := y.replace("f", "ours", is("old and theirs"), nil); err != nil {
			t.Errorf("Replace = %v when it is closed", err)
		}
	})
}

// TestReplaceOpened covers a program that opens what was taken away, by another
// name of it, while it is judged: it is put back.
func TestReplaceOpened(t *testing.T) {
	yards(t, func(t *testing.T, y *yard) {
		if y.checked {
			t.Skip("noticed by exchanging only")
		}
		y.write("f", "old")
		if err := os.Link(y.path("f"), y.path("other-name")); err != nil {
			t.Fatal(err)
		}
		err := y.replace("f", "ours", is("old"), func() error {
			// It would wait; this one is told so, and counts as waiting.
			fd, err := unix.Open(y.path("other-name"), unix.O_WRONLY|unix.O_NONBLOCK, 0)
			if !errors.Is(err, unix.EWOULDBLOCK) {
				t.Errorf("open = %d, %v, want it to wait", fd, err)
			}
			return nil
		})
		if !errors.Is(err, kaijutsu.ErrConflict) {
			t.Errorf("Replace = %v, want %v", err, kaijutsu.ErrConflict)
		}
		y.holds("f", "old")
	})
}

// TestReplaceDirectoryMoved covers a directory that is moved away, or out of
// the folder, while a file in it is replaced: what was in it stays.
func TestReplaceDirectoryMoved(t *testing.T) {
	outside := t.TempDir()
	yards(t, func(t *testing.T, y *yard) {
		if y.checked {
			t.Skip("noticed by exchanging only")
		}
		y.write("d/f", "old")
		looks := 0
		move := func(old string, exists bool) error {
			if looks++; looks == 1 {
				if err := os.Rename(y.path("d"), outside+"/d"); err != nil {
					t.Fatal(err)
				}
			}
			return nil
		}
		if err := y.replace("d/f", "ours", move, nil); !errors.Is(err, kaijutsu.ErrConflict) {
			t.Errorf("Replace = %v, want %v", err, kaijutsu.ErrConflict)
		}
		if data, err := os.ReadFile(outside + "/d/f"); err != nil || string(data) != "old" {
			t.Errorf("what was moved out holds %q, %v, want old", data, err)
		}
		if err := os.RemoveAll(outside + "/d"); err != nil {
			t.Fatal(err)
		}
	})
}
