package store

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"kaijutsu"
)

// TestDamageCostsOneDocument wipes a part of a table: what was in it is damaged
// and said to be, everything else reads and is written to, and what was damaged
// can be set aside and filled again.
func TestDamageCostsOneDocument(t *testing.T) {
	t.Parallel()
	_, closed := images(t)
	whole, err := os.ReadFile(only(t, closed, ".sst"))
	if err != nil {
		t.Fatal(err)
	}
	at := func(part []byte) int {
		i := bytes.Index(whole, part)
		if i < 0 {
			t.Fatal("it is not in the table")
		}
		return i
	}
	last := testChange(3, damageChanges-1, 100).Hash
	for _, tc := range []struct {
		name   string
		at     int
		length int
		most   int // documents that are damaged
	}{
		{"some bytes of a change", at(testChange(3, 30, 100).Raw), 20, 1},
		{"a sector of changes", at(testChange(3, 30, 100).Raw), 512, 1},
		{"a page of changes", at(testChange(3, 30, 100).Raw), 4096, 2},
		{"some bytes of a document's row", at(last[:]), 8, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := copyDir(t, closed)
			edit(t, only(t, dir, ".sst"), func(b []byte) []byte {
				clear(b[tc.at : tc.at+tc.length])
				return b
			})
			s := openTest(t, Options{Dir: dir})
			waitFor(t, func() bool { return s.Stats().Repaired == 1 && s.Trouble() == nil && !s.repairs.pending() })
			report, err := s.Scrub(t.Context(), ScrubOptions{})
			if err != nil {
				t.Fatal(err)
			}
			damaged := s.Damaged()
			if len(damaged) == 0 || len(damaged) > tc.most || len(report.Damage) != len(damaged) {
				t.Fatalf("damaged: %v, report %v; want 1 to %d", damaged, report, tc.most)
			}
			isDamaged := make(map[kaijutsu.DocumentID]bool)
			for _, d := range damaged {
				isDamaged[d.Doc] = true
			}
			for doc := range uint64(damageDocs) {
				d, err := s.Load(context.Background(), testDoc(doc))
				if isDamaged[testDoc(doc)] {
					if !errors.Is(err, ErrDamaged) {
						t.Errorf("Load(%d) = %v, want it damaged", doc, err)
					}
					refillTest(t, s, doc)
					continue
				}
				if err != nil {
					t.Errorf("Load(%d) = %v, want no error", doc, err)
					continue
				}
				checkChanges(t, d, doc, 0, damageChanges, 100)
				mustCommit(t, s, testWrite(doc, damageChanges, 1, 100))
			}
			report, err = s.Scrub(t.Context(), ScrubOptions{})
			if err != nil || report.Damaged > 0 || report.DocumentsDone != damageDocs || len(s.Damaged()) > 0 {
				t.Errorf("Scrub after it = %+v, %v; want no damage in %d documents", report, err, damageDocs)
			}
			closeTest(t, s)
			s = openTest(t, Options{Dir: dir})
			for doc := range uint64(damageDocs) {
				d := mustLoad(t, s, doc)
				checkChanges(t, d, doc, 0, uint64(len(d.Changes)), 100)
			}
			if last := s.LastScrub(); last.Documents != damageDocs || last.Ended.IsZero() {
				t.Errorf("LastScrub() = %+v after a restart, want %d documents", last, damageDocs)
			}
			closeTest(t, s)
		})
	}
}

// refillTest sets a document aside and fills it again.
func refillTest(t *testing.T, s *Store, doc uint64) {
	t.Helper()
	aside, err := s.SetAside(t.Context(), testDoc(doc))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range aside.Changes {
		if want := testChange(doc, c.Index, 100); c.Hash != want.Hash {
			t.Errorf("change %d of what can be read is not what was written", c.Index)
		}
	}
	rows := 0
	if err := readAside(aside.Path, func(key, frame []byte) { rows++ }); err != nil || rows != aside.Rows || rows == 0 {
		t.Errorf("%s holds %d rows, %v; want %d", aside.Path, rows, err, aside.Rows)
	}
	if _, err := s.Load(t.Context(), testDoc(doc)); !errors.Is(err, kaijutsu.ErrNotFound) || errors.Is(err, ErrDeleted) {
		t.Errorf("Load of what was set aside = %v, want %v", err, kaijutsu.ErrNotFound)
	}
	mustCommit(t, s, testWrite(doc, 0, damageChanges+1, 100))
	checkChanges(t, mustLoad(t, s, doc), doc, 0, damageChanges+1, 100)
}

// TestSetAsideEverything sets documents of every shape aside: nothing of them
// is left, everything of them is in the file, and others notice nothing.
func TestSetAsideEverything(t *testing.T) {
	s := openTest(t, Options{Dir: t.TempDir()})
	mustCommit(t, s, testWrite(1, 0, 3, 100))
	mustCommit(t, s, testWrite(2, 0, 1500, 300)) // a segment
	mustCommit(t, s, testWrite(3, 0, 10, 100))
	mustPut(t, s, 3, testSnapshot(3, 8, 400<<10))
	mustCommit(t, s, testWrite(4, 0, 5, 100))
	for doc := range uint64(3) {
		aside, err := s.SetAside(t.Context(), testDoc(doc+1))
		if err != nil {
			t.Fatal(err)
		}
		if name := filepath.Base(aside.Path); filepath.Dir(aside.Path) != filepath.Join(s.dir, "lost") || !bytes.HasPrefix([]byte(name), []byte(testDoc(doc+1).String())) {
			t.Errorf("set aside to %s", aside.Path)
		}
		switch doc + 1 {
		case 1:
			if len(aside.Changes) != 3 {
				t.Errorf("%d changes can be read, want 3", len(aside.Changes))
			}
		case 2:
			if len(aside.Changes) != 1500 {
				t.Errorf("%d changes can be read, want 1500", len(aside.Changes))
			}
		case 3:
			if aside.Snapshot == nil || aside.Snapshot.Covers != 8 || len(aside.Snapshot.Chunk) != 400<<10 {
				t.Errorf("snapshot that can be read: %v", aside.Snapshot)
			}
		}
	}
	sweepNow(t, s)
	if left := leftovers(t, s); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
	if got := s.Stats(); got.Documents != 1 || got.SetAside != 3 {
		t.Errorf("%d documents, %d set aside; want 1, 3", got.Documents, got.SetAside)
	}
	checkChanges(t, mustLoad(t, s, 4), 4, 0, 5, 100)
	if _, err := s.SetAside(t.Context(), testDoc(1)); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("SetAside of what is not there = %v, want %v", err, kaijutsu.ErrNotFound)
	}
}
