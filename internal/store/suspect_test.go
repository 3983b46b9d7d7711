package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/table"
)

// TestTablesOnTheirWayOut: what Badger makes of a table that it compacted is no
// damage; the same of a table in use is.
func TestTablesOnTheirWayOut(t *testing.T) {
	dir := t.TempDir()
	open := func() *badger.DB {
		t.Helper()
		db, err := badger.Open(badgerOptions(dir, badgerLog{log: discard()}).WithNumCompactors(0))
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	for i := range 2 { // a table each
		db := open()
		err := db.Update(func(txn *badger.Txn) error {
			return txn.Set(fmt.Appendf(nil, "key %d", i), bytes.Repeat([]byte("x"), 5000))
		})
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	db := open()
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	tables := db.Tables()
	if len(tables) != 2 {
		t.Fatalf("%d tables, want 2", len(tables))
	}
	listed := tables[0].ID
	whole, err := os.ReadFile(table.NewFilename(listed, dir))
	if err != nil {
		t.Fatal(err)
	}
	const gone = 4711 // in no manifest
	tests := []struct {
		name string
		b    []byte
	}{
		{"cut to nothing", nil},
		{"zeros", make([]byte, 4096)},
		{"cut", whole[:len(whole)-1]},
		{"a block is wrong", append([]byte{^whole[0]}, whole[1:]...)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			copied := t.TempDir()
			manifest, err := os.ReadFile(filepath.Join(dir, badger.ManifestFilename))
			if err != nil {
				t.Fatal(err)
			}
			for path, b := range map[string][]byte{
				filepath.Join(copied, badger.ManifestFilename): manifest,
				table.NewFilename(listed, copied):              test.b,
				table.NewFilename(gone, copied):                test.b,
			} {
				if err := os.WriteFile(path, b, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for _, id := range []uint64{listed, gone} {
				var found []uint64
				s := newSuspects(copied, db, func(id uint64, _ error) { found = append(found, id) })
				s.ranges = map[uint64]keyRange{id: {}}
				s.left.Store(1)
				err := s.examineLocked(id, nil)
				if want := id == listed; (err != nil) != want || (len(found) > 0) != want {
					t.Errorf("table %d: %v, found damaged %v; want damage %v", id, err, found, want)
				}
			}
		})
	}
	if err := checkListed(dir, listed, nil); err != nil {
		t.Errorf("a sound table: %v", err)
	}
	if err := checkListed(t.TempDir(), gone, nil); !errors.Is(err, errCompacted) {
		t.Errorf("a table that is gone: %v, want errCompacted", err)
	}
}
