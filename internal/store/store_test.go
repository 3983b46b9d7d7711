package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"kaijutsu"
)

// openTest opens a store in dir and closes it with the test.
func openTest(t testing.TB, o Options) *Store {
	t.Helper()
	s, err := Open(o)
	if err != nil {
		t.Fatalf("Open(%+v) = %v", o, err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func closeTest(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatalf("Close() = %v", err)
	}
}

func testDoc(n uint64) kaijutsu.DocumentID {
	var id [16]byte
	binary.BigEndian.PutUint64(id[:], n)
	id[15] = 1
	doc, err := kaijutsu.DocumentIDFromBytes(id[:])
	if err != nil {
		panic(err)
	}
	return doc
}

// testChange is determined by its arguments, so that a reader can tell what a
// writer in another process wrote. Every third has a hash that its bytes do
// not determine.
func testChange(doc, index uint64, size int) Change {
	raw := make([]byte, size)
	var seed [32]byte
	binary.BigEndian.PutUint64(seed[:], doc)
	binary.BigEndian.PutUint64(seed[8:], index)
	binary.BigEndian.PutUint64(seed[16:], uint64(size))
	rand.NewChaCha8(seed).Read(raw)
	c := Change{Index: index, Raw: raw, Hash: derivedHash(raw)}
	if index%3 == 2 {
		c.Hash = sha256.Sum256(raw)
	}
	return c
}

// testWrite returns the write of n changes from index on.
func testWrite(doc, index uint64, n, size int) Write {
	w := Write{Doc: testDoc(doc)}
	for i := range n {
		c := testChange(doc, index+uint64(i), size)
		w.Changes = append(w.Changes, c)
		w.Heads = kaijutsu.Heads{c.Hash}
	}
	return w
}

func mustCommit(t testing.TB, s *Store, w Write) {
	t.Helper()
	if err := commit(s, context.Background(), w); err != nil {
		t.Fatalf("Commit() = %v", err)
	}
}

func mustLoad(t testing.TB, s *Store, doc uint64) Document {
	t.Helper()
	d, err := s.Load(context.Background(), testDoc(doc))
	if err != nil {
		t.Fatalf("Load(%d) = %v", doc, err)
	}
	return d
}

// checkChanges compares a tail with the changes from..to-1 of testChange.
func checkChanges(t testing.TB, d Document, doc, from, to uint64, size int) {
	t.Helper()
	if got, want := uint64(len(d.Changes)), to-from; got != want {
		t.Fatalf("document %d has %d changes behind %d, want %d", doc, got, from, want)
	}
	for i, got := range d.Changes {
		if want := testChange(doc, from+uint64(i), size); !reflect.DeepEqual(got, want) {
			t.Fatalf("change %d of document %d = %d %s %.8x…, want %d %s %.8x…",
				from+uint64(i), doc, got.Index, got.Hash, got.Raw, want.Index, want.Hash, want.Raw)
		}
	}
	if to > from {
		want := kaijutsu.Heads{testChange(doc, to-1, size).Hash}
		if !d.Heads.Equal(want) {
			t.Fatalf("heads of document %d = %v, want %v", doc, d.Heads, want)
		}
	}
}

func TestCommitAndLoad(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 2, 29, 23, 59, 59, 123456789, time.UTC)
	amy := kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}
	bot := kaijutsu.Principal{Name: "bot", Kind: kaijutsu.Agent}
	for _, tc := range []struct {
		name   string
		sizes  []int // of changes, one write each
		batch  int   // changes in a write
		actors int
		outbox []int // sizes, with the first write
	}{
		{name: "one small change", sizes: []int{150}, batch: 1},
		{name: "one byte", sizes: []int{1}, batch: 1},
		{name: "shorter than a chunk header", sizes: []int{7, 7, 7}, batch: 1},
		{name: "keystrokes", sizes: slices.Repeat([]int{150}, 50), batch: 1, actors: 1},
		{name: "a paste", sizes: []int{150}, batch: 500, actors: 2},
		{name: "more rows than a transaction takes", sizes: []int{20, 20}, batch: 5000, actors: 700},
		{name: "more bytes than a transaction takes", sizes: []int{3000}, batch: 1000},
		{name: "just inline", sizes: []int{maxInlineBytes - 200}, batch: 1},
		{name: "one part", sizes: []int{partBytes - 1}, batch: 1},
		{name: "just two parts", sizes: []int{partBytes}, batch: 1},
		{name: "a large change", sizes: []int{20 << 20}, batch: 1, actors: 1},
		{name: "large among small", sizes: []int{150, 2 << 20, 150}, batch: 3},
		{name: "outbox", sizes: []int{150, 150}, batch: 1, outbox: []int{0, 1, 4000}},
		{name: "large outbox", sizes: []int{150}, batch: 2, outbox: []int{100 << 10, 100 << 10, 1 << 20}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			s := openTest(t, Options{Dir: dir})
			var want Document
			var outbox []OutboxEntry
			for i, size := range tc.sizes {
				w := testWrite(7, uint64(len(want.Changes)), tc.batch, size)
				for j := range tc.actors {
					id := kaijutsu.ActorID(fmt.Sprintf("actor %d %d", i, j))
					w.Actors = append(w.Actors, Actor{ID: id, Principal: bot, Via: amy, At: at.Add(time.Duration(j))})
				}
				for _, n := range tc.outbox {
					w.Outbox = append(w.Outbox, testChange(9, uint64(len(outbox)), n).Raw)
					outbox = append(outbox, OutboxEntry{Seq: uint64(len(outbox)) + 1, Value: w.Outbox[len(w.Outbox)-1]})
				}
				mustCommit(t, s, w)
				want.Changes = append(want.Changes, w.Changes...)
				want.Actors = append(want.Actors, w.Actors...)
				want.Heads = w.Heads
			}
			check := func() {
				t.Helper()
				if got := mustLoad(t, s, 7); !reflect.DeepEqual(got, want) {
					t.Errorf("Load() = %d changes, %d actors, heads %v; want %d, %d, %v or other contents",
						len(got.Changes), len(got.Actors), got.Heads, len(want.Changes), len(want.Actors), want.Heads)
				}
				if got := allOutbox(t, s); !reflect.DeepEqual(got, outbox) {
					t.Errorf("outbox has %d entries, want %d or other contents", len(got), len(outbox))
				}
			}
			check()
			closeTest(t, s)
			s = openTest(t, Options{Dir: dir})
			check()
			if got := leftovers(t, s); len(got) > 0 {
				t.Errorf("leftovers: %v", got)
			}
		})
	}
}

func allOutbox(t testing.TB, s *Store) []OutboxEntry {
	t.Helper()
	var entries []OutboxEntry
	for entry, err := range s.Outbox(0) {
		if err != nil {
			t.Fatalf("Outbox(0) = %v", err)
		}
		entries = append(entries, entry)
	}
	return entries
}

func TestRefusedWrites(t *testing.T) {
	ctx := context.Background()
	amy := kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}
	heads := make(kaijutsu.Heads, maxHeads+1)
	for _, tc := range []struct {
		name string
		w    Write
		want error
	}{
		{"no document", Write{Changes: testWrite(1, 2, 1, 9).Changes, Heads: heads[:1]}, kaijutsu.ErrInvalid},
		{"a gap", testWrite(1, 3, 1, 9), kaijutsu.ErrConflict},
		{"an overlap", testWrite(1, 1, 1, 9), kaijutsu.ErrConflict},
		{"a new document in the middle", testWrite(2, 1, 1, 9), kaijutsu.ErrConflict},
		{"a large write with a gap", testWrite(1, 3, 1, 1<<20), kaijutsu.ErrConflict},
		{"unordered", Write{Doc: testDoc(1), Heads: heads[:1],
			Changes: []Change{testChange(1, 3, 9), testChange(1, 2, 9)}}, kaijutsu.ErrInvalid},
		{"no heads", Write{Doc: testDoc(1), Changes: testWrite(1, 2, 1, 9).Changes}, kaijutsu.ErrInvalid},
		{"too many heads", Write{Doc: testDoc(1), Changes: testWrite(1, 2, 1, 9).Changes, Heads: heads}, kaijutsu.ErrTooLarge},
		{"an empty change", Write{Doc: testDoc(1), Changes: []Change{{Index: 2}}, Heads: heads[:1]}, kaijutsu.ErrInvalid},
		{"actors of no document", Write{Doc: testDoc(2), Actors: []Actor{{ID: "a", Principal: amy}}}, kaijutsu.ErrNotFound},
		{"an actor without principal", Write{Doc: testDoc(1), Actors: []Actor{{ID: "a"}}}, kaijutsu.ErrInvalid},
		{"a full outbox", Write{Doc: testDoc(1), Outbox: make([][]byte, maxOutbox+1)}, kaijutsu.ErrTooLarge},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := openTest(t, Options{Dir: t.TempDir()})
			mustCommit(t, s, testWrite(1, 0, 2, 9))
			if err := commit(s, ctx, tc.w); !errors.Is(err, tc.want) {
				t.Errorf("Commit() = %v, want %v", err, tc.want)
			}
			checkChanges(t, mustLoad(t, s, 1), 1, 0, 2, 9)
			mustCommit(t, s, testWrite(1, 2, 1, 9))
			sweepNow(t, s)
			if got := leftovers(t, s); len(got) > 0 {
				t.Errorf("leftovers: %v", got)
			}
		})
	}
}

// sweepNow does the chores there are.
func sweepNow(t testing.TB, s *Store) {
	t.Helper()
	if err := s.doChores(context.Background()); err != nil {
		t.Fatalf("doChores() = %v", err)
	}
}

// leftovers lists the rows that no reader can reach.
func leftovers(t testing.TB, s *Store) []string {
	t.Helper()
	var rows []string
	blobs := map[uint64]bool{}
	live := map[kaijutsu.DocumentID]documentRow{}
	err := s.view(func(v view) error {
		for _, class := range []byte{classDocument, classChange, classActor, classOutbox, classBlob, classChore} {
			prefix := []byte{class}
			it := v.txn.NewIterator(iteratorOptions(prefix))
			defer it.Close()
			for it.Rewind(); it.Valid(); it.Next() {
				key := it.Item().KeyCopy(nil)
				frame, err := it.Item().ValueCopy(nil)
				if err != nil {
					return err
				}
				kind, payload, err := unseal(key, frame)
				if err != nil {
					return fmt.Errorf("%s: %w", keyName(key), err)
				}
				if kind == kindSegment {
					_, b, err := decodeSegment(payload)
					if err != nil {
						return err
					}
					blobs[b.number] = true
				}
				switch class {
				case classDocument:
					doc, err := documentOf(key)
					if err != nil {
						return err
					}
					if live[doc], err = decodeDocumentAs(kind, payload); err != nil {
						return err
					}
					blobs[live[doc].snapshot.number] = blobs[live[doc].snapshot.number] || live[doc].covers > 0
				case classOutbox:
					if kind == kindBlob {
						b, err := decodeBlob(payload)
						if err != nil {
							return err
						}
						blobs[b.number] = true
					}
				case classChange:
					doc, err := documentOf(key[:len(key)-8])
					if err != nil {
						return err
					}
					if i := indexOf(key); i < live[doc].first || i >= live[doc].changes {
						rows = append(rows, keyName(key))
					}
				case classActor:
					doc, err := documentOf(key[:len(key)-8])
					if err != nil {
						return err
					}
					if indexOf(key) >= live[doc].actors {
						rows = append(rows, keyName(key))
					}
				case classBlob:
					if !blobs[binary.BigEndian.Uint64(key[1:])] {
						rows = append(rows, keyName(key))
					}
				case classChore:
					rows = append(rows, keyName(key))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("looking for leftovers: %v", err)
	}
	return rows
}

func TestLoadUnknown(t *testing.T) {
	s := openTest(t, Options{Dir: t.TempDir()})
	if _, err := s.Load(context.Background(), testDoc(1)); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Load() = %v, want %v", err, kaijutsu.ErrNotFound)
	}
	if _, err := s.Info(context.Background(), testDoc(1)); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Info() = %v, want %v", err, kaijutsu.ErrNotFound)
	}
}

func TestDocumentIDsOfBothLengths(t *testing.T) {
	// The raw bytes of one id begin with those of the other.
	s := openTest(t, Options{Dir: t.TempDir()})
	long, err := kaijutsu.DocumentIDFromBytes(append(testDoc(1).Bytes(), make([]byte, 16)...))
	if err != nil {
		t.Fatal(err)
	}
	mustCommit(t, s, testWrite(1, 0, 3, 50))
	w := testWrite(2, 0, 2, 60)
	w.Doc = long
	mustCommit(t, s, w)
	checkChanges(t, mustLoad(t, s, 1), 1, 0, 3, 50)
	d, err := s.Load(context.Background(), long)
	if err != nil {
		t.Fatal(err)
	}
	checkChanges(t, d, 2, 0, 2, 60)
	if got, want := allDocuments(t, s), []kaijutsu.DocumentID{testDoc(1), long}; !slices.Equal(got, want) {
		t.Errorf("Documents() = %v, want %v", got, want)
	}
}

func allDocuments(t testing.TB, s *Store) []kaijutsu.DocumentID {
	t.Helper()
	var docs []kaijutsu.DocumentID
	for doc, err := range s.Documents() {
		if err != nil {
			t.Fatalf("Documents() = %v", err)
		}
		docs = append(docs, doc)
	}
	return docs
}

func TestDocumentsWhileWriting(t *testing.T) {
	s := openTest(t, Options{Dir: t.TempDir()})
	const n = 2*pageKeys + 10
	for i := range uint64(n) {
		i := i
		go commit(s, context.Background(), testWrite(i+1, 0, 1, 10))
	}
	waitFor(t, func() bool { return s.Stats().Commits == n })
	var docs []kaijutsu.DocumentID
	for doc, err := range s.Documents() {
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, doc)
		if len(docs) == 5 { // a caller may write while it lists
			mustCommit(t, s, testWrite(1, 1, 1, 10))
		}
	}
	if len(docs) != n {
		t.Errorf("Documents() listed %d, want %d", len(docs), n)
	}
	if !slices.IsSortedFunc(docs, func(a, b kaijutsu.DocumentID) int { return bytes.Compare(a.Bytes(), b.Bytes()) }) {
		t.Error("Documents() is not in order")
	}
	for range s.Documents() {
		break
	}
}

// waitFor waits until a fact holds.
func waitFor(t testing.TB, fact func() bool) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !fact() {
		if time.Now().After(deadline) {
			t.Fatal("waited 30 s in vain")
		}
		pause(time.Millisecond)
	}
}

func TestRecords(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	s := openTest(t, Options{Dir: dir})
	put := func(name, value string) {
		t.Helper()
		if err := s.PutRecord(ctx, name, []byte(value)); err != nil {
			t.Fatalf("PutRecord(%q) = %v", name, err)
		}
	}
	put("token/a", "1")
	put("token/b", "2")
	put("token/b", "3")
	put("tokens", "4")
	put("empty", "")
	if err := s.DeleteRecord(ctx, "token/a"); err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteRecord(ctx, "token/a"); err != nil {
		t.Fatalf("deleting again: %v", err)
	}
	for range 2 {
		for name, want := range map[string]string{"token/b": "3", "tokens": "4", "empty": ""} {
			if got, err := s.Record(name); err != nil || string(got) != want {
				t.Errorf("Record(%q) = %q, %v; want %q", name, got, err, want)
			}
		}
		if _, err := s.Record("token/a"); !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("Record(token/a) = %v, want %v", err, kaijutsu.ErrNotFound)
		}
		for prefix, want := range map[string][]string{"token/": {"token/b"}, "token": {"token/b", "tokens"}, "": {"empty", "token/b", "tokens"}} {
			var got []string
			for name, err := range s.Records(prefix) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, name)
			}
			if !slices.Equal(got, want) {
				t.Errorf("Records(%q) = %q, want %q", prefix, got, want)
			}
		}
		closeTest(t, s)
		s = openTest(t, Options{Dir: dir})
	}
	for _, tc := range []struct {
		name string
		size int
		want error
	}{
		{"", 1, kaijutsu.ErrInvalid},
		{"store/storage_id", 1, kaijutsu.ErrInvalid},
		{strings.Repeat("x", maxRecordName+1), 1, kaijutsu.ErrTooLarge},
		{"x", maxRecordBytes + 1, kaijutsu.ErrTooLarge},
	} {
		if err := s.PutRecord(ctx, tc.name, make([]byte, tc.size)); !errors.Is(err, tc.want) {
			t.Errorf("PutRecord(%.20q, %d bytes) = %v, want %v", tc.name, tc.size, err, tc.want)
		}
	}
}

func TestOutbox(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	s := openTest(t, Options{Dir: dir})
	w := testWrite(1, 0, 1, 20)
	const n = 3*outboxPage + 5
	for i := range n {
		w.Outbox = append(w.Outbox, fmt.Appendf(nil, "entry %d", i+1))
	}
	w.Outbox[10] = testChange(1, 10, 400<<10).Raw
	mustCommit(t, s, w)
	seqs := func(after uint64) []uint64 {
		t.Helper()
		var seqs []uint64
		for entry, err := range s.Outbox(after) {
			if err != nil {
				t.Fatal(err)
			}
			seqs = append(seqs, entry.Seq)
		}
		return seqs
	}
	if got := seqs(0); len(got) != n || got[0] != 1 || got[n-1] != n {
		t.Fatalf("Outbox(0) = %d entries %v, want 1 to %d", len(got), got, n)
	}
	if err := s.DeleteOutboxUpTo(ctx, 11); err != nil {
		t.Fatal(err)
	}
	for after, first := range map[uint64]uint64{0: 12, 5: 12, 11: 12, 12: 13, 100: 101} {
		if got := seqs(after); len(got) != int(n-first+1) || got[0] != first {
			t.Errorf("after deleting those up to 11, Outbox(%d) = %d entries from %v, want %d from %d", after, len(got), got[:1], n-first+1, first)
		}
	}
	if first, last := s.OutboxEnds(); first != 12 || last != n || s.LastOutbox() != n || s.OutboxLen() != n-11 {
		t.Errorf("OutboxEnds() = %d, %d, LastOutbox() = %d, OutboxLen() = %d; want 12, %d, %d, %d", first, last, s.LastOutbox(), s.OutboxLen(), n, n, n-11)
	}
	for _, seq := range []uint64{0, 5, 11} {
		if err := s.DeleteOutboxUpTo(ctx, seq); err != nil || s.OutboxLen() != n-11 {
			t.Errorf("DeleteOutboxUpTo(%d) again = %v, leaves %d entries, want %d", seq, err, s.OutboxLen(), n-11)
		}
	}
	if err := s.DeleteOutboxUpTo(ctx, n+1); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("DeleteOutboxUpTo(%d) = %v, want ErrInvalid", n+1, err)
	}
	if err := s.DeleteOutboxUpTo(ctx, n); err != nil {
		t.Fatal(err)
	}
	closeTest(t, s)
	s = openTest(t, Options{Dir: dir})
	sweepNow(t, s)
	if got := leftovers(t, s); len(got) > 0 {
		t.Errorf("leftovers: %v", got)
	}
	if got := s.Stats().Outbox; got != 0 {
		t.Errorf("Stats().Outbox = %d, want 0", got)
	}
	mustCommit(t, s, Write{Doc: testDoc(1), Outbox: [][]byte{[]byte("next")}})
	if got := seqs(0); !slices.Equal(got, []uint64{n + 1}) {
		t.Errorf("the next entry = %v, want %d: numbers are not used twice", got, n+1)
	}
	if got := seqs(n + 1); got != nil {
		t.Errorf("Outbox(%d) = %v, want none", n+1, got)
	}
}

func TestStorageID(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, Options{Dir: dir})
	id := s.StorageID()
	if len(id) != 36 || id[14] != '4' || !strings.ContainsRune("89ab", rune(id[19])) {
		t.Errorf("StorageID() = %q, want a UUID of version 4", id)
	}
	closeTest(t, s)
	if got := openTest(t, Options{Dir: dir}).StorageID(); got != id {
		t.Errorf("StorageID() = %q after reopening, want %q", got, id)
	}
	if got := openTest(t, Options{Dir: t.TempDir()}).StorageID(); got == id {
		t.Errorf("two stores have the id %q", id)
	}
}

func TestStats(t *testing.T) {
	s := openTest(t, Options{Dir: t.TempDir()})
	before := s.Stats()
	mustCommit(t, s, testWrite(1, 0, 3, 100))
	mustCommit(t, s, testWrite(2, 0, 1, 100))
	got := s.Stats()
	if got.Commits != 2 || got.Changes != 4 || got.Bytes != 400 || got.Documents != 2 || got.Trouble != nil {
		t.Errorf("Stats() = %+v, want 2 commits of 4 changes in 400 bytes, 2 documents, no trouble", got)
	}
	if got.Batches != before.Batches+2 || got.Counter != before.Counter+2 || got.BatchSizes[0] != before.BatchSizes[0]+2 {
		t.Errorf("Stats() = %+v, want two batches of one more than %+v", got, before)
	}
	if got.DiskBytes <= 0 || got.DiskBytes > 8<<20 || got.FreeBytes <= 0 {
		t.Errorf("Stats() = %d bytes on disk, %d free", got.DiskBytes, got.FreeBytes)
	}
}

func TestClosed(t *testing.T) {
	ctx := context.Background()
	s := openTest(t, Options{Dir: t.TempDir()})
	mustCommit(t, s, testWrite(1, 0, 1, 100))
	closeTest(t, s)
	closeTest(t, s)
	_, loadErr := s.Load(ctx, testDoc(1))
	_, recordErr := s.Record("x")
	var listErr, outboxErr error
	for _, listErr = range s.Documents() {
	}
	for _, outboxErr = range s.Outbox(0) {
	}
	for name, err := range map[string]error{
		"Commit":      commit(s, ctx, testWrite(1, 1, 1, 100)),
		"large":       commit(s, ctx, testWrite(1, 1, 1, 1<<20)),
		"PutSnapshot": s.PutSnapshot(ctx, testDoc(1), Snapshot{Covers: 1, Chunk: []byte("x")}),
		"Load":        loadErr,
		"Record":      recordErr,
		"Documents":   listErr,
		"Outbox":      outboxErr,
	} {
		if !errors.Is(err, kaijutsu.ErrUnavailable) {
			t.Errorf("%s on a closed store = %v, want %v", name, err, kaijutsu.ErrUnavailable)
		}
	}
}

func TestCloseDuringWrites(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, Options{Dir: dir})
	const writers = 32
	acked := make([]uint64, writers)
	done := make(chan int)
	for i := range writers {
		go func() {
			defer func() { done <- i }()
			for commit(s, context.Background(), testWrite(uint64(i), acked[i], 1, 100)) == nil {
				acked[i]++
			}
		}()
	}
	waitFor(t, func() bool { return s.count.commits.Load() > 200 })
	closeTest(t, s)
	for range writers {
		<-done
	}
	s = openTest(t, Options{Dir: dir})
	for i, n := range acked {
		if n == 0 {
			continue
		}
		checkChanges(t, mustLoad(t, s, uint64(i)), uint64(i), 0, n, 100)
	}
}

// logTo returns a logger that keeps what it gets.
func logTo(b *syncBuffer) *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelInfo}))
}

func TestQuiet(t *testing.T) {
	var log syncBuffer
	dir := t.TempDir()
	for range 2 {
		s := openTest(t, Options{Dir: dir, Log: logTo(&log)})
		mustCommit(t, s, testWrite(uint64(len(allDocuments(t, s))), 0, 10, 100))
		closeTest(t, s)
	}
	if got := log.String(); got != "" {
		t.Errorf("an untroubled store logs %s", got)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "badger"))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) == ".mem" {
			t.Errorf("%s is left after Close", entry.Name())
		}
	}
}
