package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"kaijutsu"
)

// TestTableWithoutIndex damages or cuts off the index of a table: it is found
// by its blocks, and what is gone costs the documents that were in it.
func TestTableWithoutIndex(t *testing.T) {
	t.Parallel()
	_, closed := images(t)
	end := blockOf(t, closed).end
	for _, tc := range []struct {
		name        string
		edit        func(b []byte) []byte
		least, most int // documents that are damaged
	}{
		{"zeros in the index", func(b []byte) []byte { clear(b[len(b)-120 : len(b)-60]); return b }, 0, 0},
		{"zeros over its trailer", func(b []byte) []byte { clear(b[len(b)-60:]); return b }, 0, 0},
		{"cut within the index", func(b []byte) []byte { return b[:len(b)-200] }, 0, 0},
		{"index and a page", func(b []byte) []byte { clear(b[len(b)-120:]); clear(b[end-3000 : end+1000]); return b }, 1, 3},
		{"index and the end of a block", func(b []byte) []byte { clear(b[len(b)-120:]); clear(b[end-40 : end]); return b }, 1, 2},
		{"index and a bit", func(b []byte) []byte { clear(b[len(b)-120:]); return flip(end - 2000)(b) }, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := copyDir(t, closed)
			path := only(t, dir, ".sst")
			edit(t, path, tc.edit)
			broken, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s := openTest(t, Options{Dir: dir})
			report, err := s.Scrub(t.Context(), ScrubOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if report.Damaged < tc.least || report.Damaged > tc.most {
				t.Errorf("%d documents are damaged, want %d to %d: %v", report.Damaged, tc.least, tc.most, report.Damage)
			}
			sound := 0
			for doc := range uint64(damageDocs) {
				d, err := s.Load(context.Background(), testDoc(doc))
				if err == nil {
					checkChanges(t, d, doc, 0, damageChanges, 100)
					sound++
				} else if !errors.Is(err, ErrDamaged) {
					t.Errorf("Load(%d) = %v, want it whole or damaged", doc, err)
				}
			}
			if sound != damageDocs-report.Damaged {
				t.Errorf("%d documents are whole, %d damaged", sound, report.Damaged)
			}
			if token, err := s.Record("token"); err != nil || string(token) != "secret" {
				t.Errorf("Record() = %q, %v", token, err)
			}
			asides, _ := filepath.Glob(filepath.Join(dir, "lost", "*.sst.*Z"))
			if len(asides) != 1 {
				t.Fatalf("set aside: %v, want the table as it was", asides)
			}
			if aside, err := os.ReadFile(asides[0]); err != nil || string(aside) != string(broken) {
				t.Errorf("the table that was set aside is not as it was: %v", err)
			}
			checkUsable(t, s, dir)
		})
	}
}

// TestTableCutShort cuts a table in the middle: what was behind is damaged or
// gone and said to be, the store opens and takes writes.
func TestTableCutShort(t *testing.T) {
	t.Parallel()
	_, closed := images(t)
	dir := copyDir(t, closed)
	edit(t, only(t, dir, ".sst"), func(b []byte) []byte { return b[:len(b)/2] })
	s := openTest(t, Options{Dir: dir})
	damaged := 0
	for doc := range uint64(damageDocs) {
		_, err := s.Load(context.Background(), testDoc(doc))
		if doc > damageDocs/2 && errors.Is(err, kaijutsu.ErrNotFound) {
			continue // nothing is left of it
		}
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("Load(%d) = %v, want it damaged: it lost its row", doc, err)
		}
		damaged++
	}
	if got := s.Stats().Documents; int(got) != damaged {
		t.Errorf("%d documents are counted, %d are damaged", got, damaged)
	}
	if s.StorageID() == "" {
		t.Error("no storage id")
	}
	checkUsable(t, s, dir)
}

// TestTableUnreadable makes one of several tables unreadable from its first to
// its last byte: the store opens with what is in the others.
func TestTableUnreadable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openTest(t, Options{Dir: dir})
	for doc := range uint64(damageDocs) {
		mustCommit(t, s, testWrite(doc, 0, 5, 100))
	}
	closeTest(t, s)
	first := only(t, dir, ".sst")
	s = openTest(t, Options{Dir: dir})
	for doc := range uint64(damageDocs) {
		if doc != 3 {
			mustCommit(t, s, testWrite(doc, 5, 5, 100))
		}
	}
	mustCommit(t, s, testWrite(50, 0, 5, 100))
	closeTest(t, s)
	tables, _ := filepath.Glob(filepath.Join(dir, "badger", "*.sst"))
	if len(tables) != 2 {
		t.Fatalf("tables: %v, want two", tables)
	}
	for _, tc := range []struct {
		name   string
		edit   func([]byte) []byte
		accept bool
	}{
		{"zeros", func(b []byte) []byte { clear(b); return b }, false},
		{"empty", func(b []byte) []byte { return nil }, false},
		{"gone", nil, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := copyDir(t, dir)
			path := filepath.Join(dir, "badger", filepath.Base(first))
			if tc.edit != nil {
				edit(t, path, tc.edit)
			} else if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			s, err := Open(Options{Dir: dir, AcceptLoss: tc.accept})
			if err != nil {
				t.Fatal(err)
			}
			for doc := range uint64(damageDocs) {
				_, err := s.Load(context.Background(), testDoc(doc))
				if doc == 3 && errors.Is(err, kaijutsu.ErrNotFound) {
					continue // nothing is left of it anywhere
				}
				if !errors.Is(err, ErrDamaged) {
					t.Errorf("Load(%d) = %v, want it damaged", doc, err)
				}
			}
			checkChanges(t, mustLoad(t, s, 50), 50, 0, 5, 100)
			checkUsable(t, s, dir)
		})
	}
}
