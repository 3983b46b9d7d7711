package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/fb"

	"kaijutsu"
)

const (
	damageDocs    = 8
	damageChanges = 60
)

// fillForDamage writes what checkUndamaged expects.
func fillForDamage(t testing.TB, s *Store) {
	t.Helper()
	for i := range uint64(damageChanges) {
		for doc := range uint64(damageDocs) {
			mustCommit(t, s, testWrite(doc, i, 1, 100))
		}
	}
	if err := s.PutRecord(context.Background(), "token", []byte("secret")); err != nil {
		t.Fatal(err)
	}
}

// checkUndamaged compares everything, and returns the errors of reading.
// Anything that reads without an error but differs fails the test.
func checkUndamaged(t testing.TB, s *Store) error {
	t.Helper()
	var errs []error
	listed := 0
	for _, err := range s.Documents() {
		if err != nil {
			errs = append(errs, err)
			break
		}
		listed++
	}
	if len(errs) == 0 && listed != damageDocs {
		t.Fatalf("listed %d documents without an error, want %d", listed, damageDocs)
	}
	for doc := range uint64(damageDocs) {
		d, err := s.Load(context.Background(), testDoc(doc))
		if errors.Is(err, kaijutsu.ErrNotFound) {
			t.Fatalf("Load(%d) = %v, but it is there", doc, err)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		checkChanges(t, d, doc, 0, damageChanges, 100)
	}
	token, err := s.Record("token")
	if errors.Is(err, kaijutsu.ErrNotFound) {
		t.Fatalf("Record() = %v, but it is there", err)
	}
	if err == nil && string(token) != "secret" {
		t.Fatalf("record = %q without an error, want secret", token)
	}
	errs = append(errs, err)
	return errors.Join(errs...)
}

// copyDir copies a store that is being written to by nobody: what a crash at
// this moment would leave.
func copyDir(t testing.TB, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// image returns directories of a store: as a crash leaves it, with its mark
// up to date, and as Close does.
func images(t testing.TB) (crashed, closed string) {
	t.Helper()
	dir := t.TempDir()
	s := openTest(t, Options{Dir: dir})
	fillForDamage(t, s)
	crashed = copyDir(t, dir)
	markNow(t, s, crashed)
	closeTest(t, s)
	return crashed, dir
}

// markNow writes to a copy of the store's directory the mark that the keeper
// would write within a second.
func markNow(t testing.TB, s *Store, dir string) {
	t.Helper()
	file, _, _, err := openMark(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	err = s.view(func(v view) error {
		now, version, err := v.state()
		return errors.Join(err, file.write(mark{counter: now.counter, version: version}))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// only returns the one file in dir/badger with the extension.
func only(t testing.TB, dir, ext string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "badger", "*"+ext))
	if err != nil || len(files) != 1 {
		t.Fatalf("files *%s = %v, %v; want one", ext, files, err)
	}
	return files[0]
}

// edit rewrites a file in place.
func edit(t testing.TB, path string, change func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, change(b), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// walEnd is where the log's entries end and zeros begin.
func walEnd(b []byte) int { return len(bytes.TrimRight(b, "\x00")) }

func flip(at int) func([]byte) []byte {
	return func(b []byte) []byte { b[at] ^= 0x10; return b }
}

func TestDamage(t *testing.T) {
	t.Parallel()
	crashed, closed := images(t)
	mem := func(t testing.TB, dir string) string { return only(t, dir, ".mem") }
	sst := func(t testing.TB, dir string) string { return only(t, dir, ".sst") }
	in := func(name string) func(testing.TB, string) string {
		return func(_ testing.TB, dir string) string { return filepath.Join(dir, name) }
	}
	var remove func([]byte) []byte
	block := blockOf(t, closed)
	half := func(b []byte) []byte { return flip(walEnd(b) / 2)(b) }
	for _, tc := range []struct {
		name   string
		image  string
		file   func(testing.TB, string) string
		edit   func([]byte) []byte
		badger string // what Badger by itself does
		want   string // in Open's error; empty: opens
		accept bool   // AcceptLoss opens it
		mends  bool   // it is repaired
	}{
		{name: "log, bit in the middle", image: crashed, file: mem, edit: half,
			badger: "drops what follows", want: "data loss detected", accept: true},
		{name: "log, zeroed page", image: crashed, file: mem, edit: func(b []byte) []byte { clear(b[20480:24576]); return b },
			badger: "drops what follows", want: "data loss detected", accept: true},
		{name: "log, bit in the last write", image: crashed, file: mem, edit: func(b []byte) []byte { return flip(walEnd(b) - 30)(b) },
			badger: "drops the write", want: "data loss detected", accept: true},
		{name: "log, huge length in an entry", image: crashed, file: mem,
			edit: func(b []byte) []byte {
				at := 20 + bytes.Index(b[20:], stateKey) - 3
				copy(b[at:], "\xff\xff\xff\xff\x0f")
				return b
			},
			badger: "allocates gigabytes", want: "data loss detected", accept: true},
		{name: "log, cut in the middle", image: crashed, file: mem, edit: func(b []byte) []byte { return b[:walEnd(b)/2] },
			badger: "drops the rest", want: "data loss detected", accept: true},
		{name: "log, gone", image: crashed, file: mem, edit: remove,
			badger: "does not notice", want: "data loss detected", accept: true},
		{name: "table, bit in a block", image: closed, file: sst, edit: flip(block.offset),
			badger: "does not find the keys", mends: true},
		{name: "table, bit in a block's trailer", image: closed, file: sst, edit: flip(block.end - 4),
			badger: "believes a length", mends: true},
		{name: "table, bit in a block's count", image: closed, file: sst, edit: flip(block.end - 4 - block.sumLength - 4),
			badger: "panics", mends: true},
		{name: "table, bit in the first block", image: closed, file: sst, edit: flip(100),
			badger: "does not find the keys", mends: true},
		{name: "table, bit in the index", image: closed, file: sst, edit: func(b []byte) []byte { return flip(len(b) - 100)(b) },
			badger: "leaves the table out", mends: true},
		{name: "table, bit in the trailer", image: closed, file: sst, edit: func(b []byte) []byte { return flip(len(b) - 3)(b) },
			badger: "panics", mends: true},
		{name: "table, empty", image: closed, file: sst, edit: func(b []byte) []byte { return b[:0] },
			badger: "panics", want: "data loss detected", accept: true},
		{name: "table, gone", image: closed, file: sst, edit: remove,
			badger: "refuses", want: "no such file", accept: true},
		{name: "manifest, bit", image: closed, file: in("badger/MANIFEST"), edit: func(b []byte) []byte { return flip(len(b) - 3)(b) },
			badger: "refuses"},
		{name: "manifest, bit in the last length", image: closed, file: in("badger/MANIFEST"), edit: func(b []byte) []byte { return flip(lastRecord(b) + 3)(b) },
			badger: "deletes the table"},
		{name: "manifest, bit in the magic", image: closed, file: in("badger/MANIFEST"), edit: flip(2),
			badger: "refuses"},
		{name: "manifest, three bytes", image: closed, file: in("badger/MANIFEST"), edit: func(b []byte) []byte { copy(b[len(b)-5:], "\x55\x00\xaa"); return b },
			badger: "refuses", want: "checksum mismatch"},
		{name: "log, bit in the number of the key", image: crashed, file: mem, edit: flip(3),
			badger: "refuses"},
		{name: "value log, bit in the number of the key", image: crashed, file: func(t testing.TB, dir string) string { return only(t, dir, ".vlog") }, edit: flip(3),
			badger: "refuses"},
		{name: "registry of keys", image: closed, file: in("badger/KEYREGISTRY"), edit: flip(20),
			badger: "refuses"},
		{name: "manifest, cut by 3 bytes", image: closed, file: in("badger/MANIFEST"), edit: func(b []byte) []byte { return b[:len(b)-3] },
			badger: "deletes the table", want: "data loss detected", accept: true},
		{name: "manifest, gone", image: closed, file: in("badger/MANIFEST"), edit: remove,
			badger: "deletes the tables", want: "data loss detected", accept: true},
		{name: "mark, one slot", image: closed, file: in("hwm"), edit: flip(10),
			badger: "not its file"},
		{name: "mark, both slots", image: closed, file: in("hwm"), edit: func(b []byte) []byte { return flip(slotBytes + 10)(flip(10)(b)) },
			badger: "not its file", want: "data loss detected: read the high-water mark: the file is damaged", accept: true},
		{name: "mark, gone", image: closed, file: in("hwm"), edit: remove,
			badger: "not its file", want: "data loss detected: the high-water mark", accept: true},
		{name: "mark, emptied", image: closed, file: in("hwm"), edit: func([]byte) []byte { return nil },
			badger: "not its file", want: "data loss detected: the high-water mark", accept: true},
		{name: "value log, bit", image: crashed, file: func(t testing.TB, dir string) string { return only(t, dir, ".vlog") }, edit: flip(30),
			badger: "nothing is in it"},
		{name: "discard statistics", image: crashed, file: in("badger/DISCARD"), edit: flip(3),
			badger: "nothing is in it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := copyDir(t, tc.image)
			path := tc.file(t, dir)
			if tc.edit != nil {
				edit(t, path, tc.edit)
			} else if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			before := listFiles(t, dir)
			s, err := Open(Options{Dir: dir})
			if tc.want != "" {
				if err == nil {
					s.Close()
					t.Fatalf("Open succeeded, want an error with %q", tc.want)
				}
				if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "hint: restore a backup of "+dir) {
					t.Errorf("Open = %v, want %q and a hint", err, tc.want)
				}
				if after := listFiles(t, dir); !slices.Equal(before, after) {
					t.Errorf("files after refusing = %v, want %v as before", after, before)
				}
				s, err = Open(Options{Dir: dir, AcceptLoss: true})
				if tc.accept != (err == nil) {
					t.Errorf("Open with AcceptLoss = %v, want success: %v", err, tc.accept)
				}
				if err == nil {
					checkUsable(t, s, dir)
				}
				if tables, _ := filepath.Glob(filepath.Join(dir, "*", "*.sst")); tc.image == closed && tc.edit != nil && len(tables) == 0 {
					t.Error("the table is gone")
				}
				return
			}
			if err != nil {
				t.Fatalf("Open = %v, want success", err)
			}
			defer s.Close()
			if tc.mends {
				waitFor(t, func() bool { return s.Stats().Repaired == 1 && s.Trouble() == nil && !s.repairs.pending() })
				if asides, _ := filepath.Glob(filepath.Join(dir, "lost", "*.sst.*Z")); len(asides) != 1 {
					t.Errorf("set aside: %v, want the table as it was", asides)
				}
			}
			if err := checkUndamaged(t, s); err != nil {
				t.Errorf("reading = %v, want no error", err)
			}
			if damaged := s.Damaged(); len(damaged) > 0 {
				t.Errorf("damaged documents: %v", damaged)
			}
			mustCommit(t, s, testWrite(99, 0, 1, 10))
		})
	}
}

// lastRecord is where the last record of a manifest begins.
func lastRecord(b []byte) int {
	at := len(manifestHeader)
	for {
		next := at + 8 + int(binary.BigEndian.Uint32(b[at:]))
		if next >= len(b) {
			return at
		}
		at = next
	}
}

func listFiles(t testing.TB, dir string) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"*", "badger/*"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if info, err := os.Stat(name); err == nil && !info.IsDir() {
				files = append(files, fmt.Sprint(name, " ", info.Size()))
			}
		}
	}
	return files
}

// checkUsable writes to a store that was opened in spite of losses, and opens
// it again without being asked to accept any.
func checkUsable(t testing.TB, s *Store, dir string) {
	t.Helper()
	w := testWrite(1000, 0, 1, 10)
	mustCommit(t, s, w)
	closeTest(t, s)
	s = openTest(t, Options{Dir: dir})
	checkChanges(t, mustLoad(t, s, 1000), 1000, 0, 1, 10)
	closeTest(t, s)
}

// blockAt is a block in the middle of a table: where it has a live row, where
// it ends, and how long its checksum is.
type blockAt struct{ offset, end, sumLength int }

func blockOf(t testing.TB, dir string) blockAt {
	t.Helper()
	path := only(t, dir, ".sst")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := blockAt{offset: bytes.Index(b, testChange(damageDocs/2, damageChanges/2, 100).Raw)}
	table, err := openTable(path)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	for i := range table.blocks() {
		var block fb.BlockOffset
		table.index.Offsets(&block, i)
		if at.end = int(block.Offset() + block.Len()); at.end > at.offset {
			break
		}
	}
	at.sumLength = int(binary.BigEndian.Uint32(b[at.end-4:]))
	return at
}

// TestTornTail damages the last transaction in a log whose mark is older: it
// may have been under way when the power went, so the store opens without it.
func TestTornTail(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, Options{Dir: dir})
	mustCommit(t, s, testWrite(1, 0, 1, 5000))
	mustCommit(t, s, testWrite(1, 1, 1, 5000))
	image := copyDir(t, dir)
	edit(t, filepath.Join(image, "hwm"), func(b []byte) []byte { clear(b[slotBytes:]); return b }) // the first mark
	last := testChange(1, 1, 5000).Raw
	for _, tc := range []struct {
		name string
		edit func(b []byte, at int)
	}{
		{"a page that never reached the disk", func(b []byte, at int) { clear(b[(at+4095)&^4095 : (at+4095)&^4095+512]) }},
		{"nothing behind its beginning", func(b []byte, at int) { clear(b[at+100:]) }},
		{"a bit", func(b []byte, at int) { b[at] ^= 1 }},
		{"no end", func(b []byte, _ int) { clear(b[walEnd(b)-10:]) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := copyDir(t, image)
			edit(t, only(t, dir, ".mem"), func(b []byte) []byte { tc.edit(b, bytes.Index(b, last)); return b })
			s := openTest(t, Options{Dir: dir})
			checkChanges(t, mustLoad(t, s, 1), 1, 0, 1, 5000)
			mustCommit(t, s, testWrite(1, 1, 1, 5000))
			closeTest(t, s)
			checkChanges(t, mustLoad(t, openTest(t, Options{Dir: dir}), 1), 1, 0, 2, 5000)
		})
	}
}

// TestFlips flips bits all over the files: whatever happens, nothing is
// silently missing or wrong.
func TestFlips(t *testing.T) {
	t.Parallel()
	crashed, closed := images(t)
	for _, tc := range []struct {
		name, image, ext string
	}{
		{"log", crashed, ".mem"},
		{"table", closed, ".sst"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			whole, err := os.ReadFile(only(t, tc.image, tc.ext))
			if err != nil {
				t.Fatal(err)
			}
			refused, damaged, harmless := 0, 0, 0
			for range rounds(25) {
				dir := copyDir(t, tc.image)
				at, bit := rand.IntN(walEnd(whole)), byte(1)<<rand.IntN(8)
				edit(t, only(t, dir, tc.ext), func(b []byte) []byte { b[at] ^= bit; return b })
				s, err := Open(Options{Dir: dir})
				switch {
				case err != nil && strings.Contains(err.Error(), "hint:"):
					refused++
					continue
				case err != nil:
					t.Fatalf("byte %d, bit %#x: Open = %v, want a hint", at, bit, err)
				}
				switch err := checkUndamaged(t, s); {
				case err == nil:
					harmless++
				case errors.Is(err, ErrDamaged):
					damaged++
				default:
					t.Errorf("byte %d, bit %#x: reading = %v, want %v", at, bit, err, ErrDamaged)
				}
				if t.Failed() {
					t.Fatalf("after flipping bit %#x of byte %d", bit, at)
				}
				s.Close()
				os.RemoveAll(dir)
			}
			t.Logf("refused %d, found when reading %d, harmless %d", refused, damaged, harmless)
		})
	}
}

func TestEmptyLogs(t *testing.T) {
	// A crash between making a log, or emptying it to delete it, and the next
	// step leaves an empty file for which Badger refuses to open.
	crashed, closed := images(t)
	for _, tc := range []struct{ name, image, file string }{
		{"memtable log", crashed, "00077.mem"},
		{"memtable log of a closed store", closed, "00077.mem"},
		{"value log", closed, "000077.vlog"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := copyDir(t, tc.image)
			path := filepath.Join(dir, "badger", tc.file)
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			db, err := badger.Open(badgerOptions(filepath.Join(dir, "badger"), badgerLog{log: discard()}))
			if err == nil {
				db.Close()
				t.Error("Badger opens by itself; the remedy can go")
			}
			if err := checkUndamaged(t, openTest(t, Options{Dir: dir})); err != nil {
				t.Errorf("reading = %v", err)
			}
		})
	}
}

func TestFormats(t *testing.T) {
	// A newer release wrote the state row.
	dir := t.TempDir()
	s := openTest(t, Options{Dir: dir})
	closeTest(t, s)
	path := filepath.Join(dir, "badger")
	putRaw := func(key, frame []byte) {
		t.Helper()
		db, err := badger.Open(badgerOptions(path, badgerLog{log: discard()}))
		if err != nil {
			t.Fatal(err)
		}
		err = db.Update(func(txn *badger.Txn) error { return txn.Set(key, frame) })
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	var e encoder
	e.uint(storeFormat + 1)
	e.string("whatever a newer release keeps here")
	putRaw(stateKey, seal(stateKey, kindState, e.b))
	_, err := Open(Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "use the newer release") || errors.Is(err, ErrDamaged) {
		t.Errorf("Open of a newer format = %v, want a hint to use a newer release", err)
	}
	// Somebody else's Badger database.
	dir = t.TempDir()
	path = filepath.Join(dir, "badger")
	putRaw([]byte("key"), []byte("value"))
	if _, err := Open(Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "not a store of this server") {
		t.Errorf("Open of a foreign database = %v, want it refused", err)
	}
}

func TestMarkAhead(t *testing.T) {
	// The whole directory but the mark is from an older copy.
	dir := t.TempDir()
	s := openTest(t, Options{Dir: dir})
	mustCommit(t, s, testWrite(1, 0, 3, 100))
	closeTest(t, s)
	old := copyDir(t, dir)
	s = openTest(t, Options{Dir: dir})
	mustCommit(t, s, testWrite(1, 3, 1, 100))
	closeTest(t, s)
	if err := os.Rename(filepath.Join(dir, "hwm"), filepath.Join(old, "hwm")); err != nil {
		t.Fatal(err)
	}
	_, err := Open(Options{Dir: old})
	if err == nil || !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "start with --accept-loss") {
		t.Fatalf("Open = %v, want it refused", err)
	}
	s = openTest(t, Options{Dir: old, AcceptLoss: true})
	checkChanges(t, mustLoad(t, s, 1), 1, 0, 3, 100)
	mustCommit(t, s, testWrite(1, 3, 1, 100))
	closeTest(t, s)
	openTest(t, Options{Dir: old})
}

func TestMarkFollows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openTest(t, Options{Dir: dir})
	mustCommit(t, s, testWrite(1, 0, 1, 100))
	want := s.Stats().Counter
	waitFor(t, func() bool {
		file, at, _, err := openMark(dir)
		if err != nil {
			t.Fatal(err)
		}
		file.Close()
		return at.counter == want
	})
}

// TestMarkStaysBehind is about a write whose fsync failed: Badger shows it, but
// a mark that knows of it would make the next Open complain of a loss.
func TestMarkStaysBehind(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, Options{Dir: dir})
	mustCommit(t, s, testWrite(1, 0, 1, 100))
	now := *s.durable.Load()
	behind := now
	behind.counter--
	s.publish(behind) // as if the last commit had not been acknowledged
	if at, err := s.newMark(); at != (mark{}) || err != nil {
		t.Errorf("newMark() = %+v, %v; want none", at, err)
	}
	s.publish(now)
	if at, err := s.newMark(); at.counter != now.counter || err != nil {
		t.Errorf("newMark() = %+v, %v; want %d", at, err, now.counter)
	}
}
