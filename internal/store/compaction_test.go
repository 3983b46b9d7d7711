package store

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/dgraph-io/badger/v4"
	"golang.org/x/sys/unix"
)

func TestManifestsAreGuarded(t *testing.T) {
	if !guardsCompactions {
		t.Error("Badger syncs its manifest by other means now: a compaction that fails may lose rows; see compaction.go")
	}
}

// TestCompactionsThatFailLoseNothing lets tables fail to be made while Badger
// compacts: whatever Badger makes of it, all rows are there, at once and after
// the database was opened again.
func TestCompactionsThatFailLoseNothing(t *testing.T) {
	dir := t.TempDir()
	var lost atomic.Int32
	open := func() *badger.DB {
		t.Helper()
		if err := guardManifest(dir, func(error) { lost.Add(1) }); err != nil {
			t.Fatal(err)
		}
		opt := badgerOptions(dir, badgerLog{log: discard()}).WithSyncWrites(false).WithMemTableSize(1 << 20).WithValueThreshold(64 << 10).WithBaseTableSize(64 << 10).WithBaseLevelSize(256 << 10)
		db, err := badger.Open(opt)
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	const rows = 4000
	db := open()
	key := func(i int) []byte { return fmt.Appendf(nil, "row %06d", i*7919%rows) }
	value := bytes.Repeat([]byte("x"), 900)
	reopen := func() {
		t.Helper()
		failTables.Store(0)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		db = open()
	}
	for round := range 8 {
		undone := lost.Load()
		for from := 0; from < rows; from += 50 {
			if round%2 == 1 && lost.Load() == undone {
				failTables.Store(2) // every second
			}
			err := db.Update(func(txn *badger.Txn) error {
				for i := from; i < from+50; i++ {
					if err := txn.Set(key(i), value); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if from%1000 == 950 {
				if err := db.Flatten(1); err != nil && round%2 == 0 {
					t.Fatalf("compaction failed on a disk that works: %v", err)
				}
			}
			if n := lost.Load(); n != undone {
				undone = n
				reopen() // as the store does
			}
		}
		reopen()
		err := db.View(func(txn *badger.Txn) error {
			for i := range rows {
				if _, err := txn.Get(key(i)); err != nil {
					return fmt.Errorf("%s: %w", key(i), err)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if lost.Load() == 0 {
		t.Error("no compaction failed: the test tests nothing")
	}
}

// TestManifestsThatCannotBeSynced: after a sync of the manifest that fails Badger
// deletes the tables that it made. The manifest does not name them, the database
// can be closed and opened again, and all rows are there.
func TestManifestsThatCannotBeSynced(t *testing.T) {
	for _, test := range []struct {
		name  string
		fails func(n int) bool // the n-th sync
	}{
		{"once", func(n int) bool { return n == 1 }},
		{"the first three", func(n int) bool { return n <= 3 }},
		{"every second", func(n int) bool { return n%2 == 1 }},
		{"the second", func(n int) bool { return n == 2 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			var lost atomic.Int32
			var db *badger.DB
			open := func(fails func(int) bool) {
				t.Helper()
				if err := guardManifest(dir, func(error) { lost.Add(1) }); err != nil {
					t.Fatal(err)
				}
				g, _ := manifests.Load(dir)
				n := 0
				g.(*manifestGuard).fsync = func(f *os.File) error {
					if n++; fails(n) {
						return unix.EIO
					}
					return f.Sync()
				}
				var err error
				if db, err = badger.Open(badgerOptions(dir, badgerLog{log: discard()}).WithSyncWrites(false).WithMemTableSize(1 << 20).WithValueThreshold(64 << 10)); err != nil {
					t.Fatal(err)
				}
			}
			value := bytes.Repeat([]byte("x"), 900)
			const rows = 4000 // some tables
			open(test.fails)
			for i := range rows {
				if err := db.Update(func(txn *badger.Txn) error { return txn.Set(fmt.Appendf(nil, "row %06d", i), value) }); err != nil {
					t.Fatal(err)
				}
				if i%500 == 499 {
					_ = db.Flatten(1) // may fail
				}
			}
			if err := db.Close(); err != nil {
				t.Log("close:", err) // the log has what is in memory
			}
			if lost.Load() == 0 {
				t.Error("no sync failed: the test tests nothing")
			}
			if err := restoreManifest(dir); err != nil {
				t.Fatal(err)
			}
			open(func(int) bool { return false })
			t.Cleanup(func() {
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			})
			err := db.View(func(txn *badger.Txn) error {
				for i := range rows {
					if _, err := txn.Get(fmt.Appendf(nil, "row %06d", i)); err != nil {
						return fmt.Errorf("row %d: %w", i, err)
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// failTables lets every so many mappings of a table that is being made fail; 0
// none.
var failTables, tablesMade atomic.Int32

func init() {
	mmap := unixMapper.mmap
	unixMapper.mmap = func(addr, length uintptr, prot, flags, fd int, offset int64) (uintptr, error) {
		if n := failTables.Load(); n > 0 && prot&unix.PROT_WRITE != 0 {
			if _, ext := fileOf(fd); ext == ".sst" && tablesMade.Add(1)%n == 0 {
				return 0, unix.EIO
			}
		}
		return mmap(addr, length, prot, flags, fd, offset)
	}
}

func TestManifestChanges(t *testing.T) {
	for _, tt := range []struct {
		name       string
		made, gone []uint64
		then       []uint64 // gone later
		want       string
	}{
		{"a flush", []uint64{1}, nil, nil, "map[1:true] map[]"},
		{"a compaction", []uint64{4}, []uint64{1, 2}, nil, "map[4:true] map[1:true 2:true]"},
		{"what came and went", []uint64{4, 5}, nil, []uint64{4}, "map[5:true] map[]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c tableChange
			for _, id := range tt.made {
				c.add(id)
			}
			for _, id := range append(tt.gone, tt.then...) {
				c.drop(id)
			}
			if got := fmt.Sprint(c.made, " ", c.gone); got != tt.want {
				t.Errorf("change = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestManifestRecordsThatAreDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "MANIFEST")
	if err := os.WriteFile(path, append(bytes.Clone(manifestHeader), 0, 0, 0, 9, 1, 2, 3, 4, 5), 0o600); err != nil {
		t.Fatal(err)
	}
	g := &manifestGuard{dir: filepath.Dir(path), lost: func(error) {}, good: bytes.Clone(manifestHeader)}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := g.sync(f); err == nil {
		t.Error("a damaged record was synced")
	}
	b, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(b, manifestHeader) {
		t.Errorf("manifest = %x, %v, want it as it was", b, err)
	}
}
