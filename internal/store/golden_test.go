package store

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"kaijutsu"
)

var update = flag.Bool("update", false, "write what is missing of testdata; files that are there stay for ever")

// goldenRows are rows of every kind that release 1 wrote.
func goldenRows() map[string][2][]byte {
	amy := kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}
	bot := kaijutsu.Principal{Name: "bot", Kind: kaijutsu.Agent}
	doc := testDoc(77)
	large := blob{number: 300, size: 1 << 20, parts: 6}
	var segment encoder
	segment.uint(700)
	segment.blob(large)
	rows := map[string][2][]byte{}
	add := func(name string, key []byte, kind byte, payload []byte) {
		rows[name] = [2][]byte{key, seal(key, kind, payload)}
	}
	add("state", stateKey, kindState, state{format: 1, counter: 9000, documents: 12, records: 3, outbox: 4, nextOutbox: 500, nextNumber: 301}.encode())
	add("document", documentKey(classDocument, doc), kindDocument, documentRow{
		changes: 1000, actors: 2, bytes: 150_000, first: 900, covers: 950, snapshot: large,
		heads: kaijutsu.Heads{testChange(1, 0, 50).Hash, testChange(1, 2, 50).Hash},
	}.encode())
	add("new document", documentKey(classDocument, doc), kindDocument, documentRow{changes: 1, heads: kaijutsu.Heads{{1}}}.encode())
	add("change", rowKey(classChange, doc, 950), kindRecords, encodeChange(testChange(1, 0, 50)))
	add("change with a hash", rowKey(classChange, doc, 951), kindRecords, encodeChange(testChange(1, 2, 50)))
	add("segment", rowKey(classChange, doc, 900), kindSegment, segment.b)
	add("actor", rowKey(classActor, doc, 1), kindRecords, encodeActor(Actor{
		ID: "\x01\x02\x03", Principal: bot, Via: amy, At: time.Date(2025, 1, 2, 3, 4, 5, 6, time.UTC)}))
	add("actor without via and time", rowKey(classActor, doc, 0), kindRecords, encodeActor(Actor{ID: "\xff", Principal: amy}))
	add("part", partKey(300, 5), kindPart, []byte("the end of a blob"))
	add("outbox entry", numberKey(classOutbox, 499), kindInline, []byte("entry"))
	add("large outbox entry", numberKey(classOutbox, 500), kindBlob, encodeBlob(large))
	add("record", recordKey("token/x"), kindInline, []byte("secret"))
	add("chore", numberKey(classChore, 300), kindChore, chore{blob: large}.encode())
	add("chore with rows", numberKey(classChore, 301), kindChore, chore{blob: large, doc: doc, from: 900, to: 950}.encode())
	return rows
}

// lineageRows are the rows that format 2 added.
func lineageRows() map[string][2][]byte {
	doc := testDoc(77)
	rows := map[string][2][]byte{}
	add := func(name string, key []byte, v value) { rows[name] = [2][]byte{key, seal(key, v.kind, v.payload)} }
	row := documentRow{changes: 1000, actors: 2, bytes: 150_000, heads: kaijutsu.Heads{testChange(1, 0, 50).Hash}}
	row.anchor = testChange(1, 1, 50).Hash
	add("document with an anchor", documentKey(classDocument, doc), row.value())
	row.before = 300
	add("fork that is whole", documentKey(classDocument, doc), row.value())
	row.base = &Base{Doc: testDoc(78), Heads: kaijutsu.Heads{{1}, {2}}, Changes: 300}
	add("fork", documentKey(classDocument, doc), row.value())
	row.anchor = kaijutsu.ChangeHash{}
	add("fork without an anchor", documentKey(classDocument, doc), row.value())
	add("deleted document", deletedRecord(doc), value{kind: kindInline})
	add("chore of a deleted document", numberKey(classChore, 302), value{kindChore, chore{doc: doc, to: 1<<64 - 1, actors: 1<<64 - 1}.encode()})
	return rows
}

// TestRowsForEver compares what we write with what earlier releases wrote.
func TestRowsForEver(t *testing.T) {
	for name, rows := range map[string]map[string][2][]byte{"rows-1.txt": goldenRows(), "rows-2.txt": lineageRows()} {
		t.Run(name, func(t *testing.T) { checkRows(t, filepath.Join("testdata", name), rows) })
	}
}

func checkRows(t *testing.T, path string, rows map[string][2][]byte) {
	golden, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) && *update {
		var b strings.Builder
		for name, row := range rows {
			fmt.Fprintf(&b, "%s\t%x\t%x\n", name, row[0], row[1])
		}
		golden, err = []byte(b.String()), os.WriteFile(path, []byte(b.String()), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(golden)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		row, ok := rows[fields[0]]
		if !ok || len(fields) != 3 {
			t.Errorf("unknown row %q", line)
			continue
		}
		delete(rows, fields[0])
		if got := hex.EncodeToString(row[0]); got != fields[1] {
			t.Errorf("key of %s = %s, want %s", fields[0], got, fields[1])
		}
		if got := hex.EncodeToString(row[1]); got != fields[2] {
			t.Errorf("value of %s = %s, want %s", fields[0], got, fields[2])
		}
	}
	for name := range rows {
		t.Errorf("no golden row %q", name)
	}
}

// goldenStore writes, or compares, what the golden database holds.
type goldenStore struct {
	writes   []Write
	snapshot Snapshot
}

func newGoldenStore() goldenStore {
	var g goldenStore
	var index uint64
	for n := range uint64(30) {
		w := crashWrite(5, n, index)
		index += uint64(len(w.Changes))
		g.writes = append(g.writes, w)
	}
	g.snapshot = testSnapshot(5, index-400, 5000)
	return g
}

func (g goldenStore) fill(t *testing.T, s *Store) {
	for _, w := range g.writes {
		mustCommit(t, s, w)
	}
	mustPut(t, s, 5, g.snapshot)
	if err := s.PutRecord(context.Background(), "token", []byte("secret")); err != nil {
		t.Fatal(err)
	}
	sweepNow(t, s)
}

func (g goldenStore) check(t *testing.T, s *Store) {
	d := mustLoad(t, s, 5)
	var want Document
	want.Snapshot = &g.snapshot
	var outbox []string
	for _, w := range g.writes {
		for _, c := range w.Changes {
			if c.Index >= g.snapshot.Covers {
				want.Changes = append(want.Changes, c)
			}
		}
		want.Actors = append(want.Actors, w.Actors...)
		want.Heads = w.Heads
		for _, entry := range w.Outbox {
			outbox = append(outbox, string(entry))
		}
	}
	if !reflect.DeepEqual(d, want) {
		t.Errorf("document has %d changes, %d actors; want %d, %d or other contents",
			len(d.Changes), len(d.Actors), len(want.Changes), len(want.Actors))
	}
	var got []string
	for _, entry := range allOutbox(t, s) {
		got = append(got, string(entry.Value))
	}
	if !reflect.DeepEqual(got, outbox) {
		t.Errorf("outbox = %q, want %q", got, outbox)
	}
	if token, err := s.Record("token"); err != nil || string(token) != "secret" {
		t.Errorf("record = %q, %v; want secret", token, err)
	}
}

// TestDatabaseForEver opens a database that release 1 wrote.
func TestDatabaseForEver(t *testing.T) {
	path := filepath.Join("testdata", "store-1.tar.gz")
	g := newGoldenStore()
	packGolden(t, path, func(s *Store) { g.fill(t, s) })
	dir := t.TempDir()
	if err := unpack(path, dir); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s := openTest(t, Options{Dir: dir})
		g.check(t, s)
		closeTest(t, s)
	}
}

// packGolden writes a golden database if it is missing and that is asked for.
func packGolden(t *testing.T, path string, fill func(*Store)) {
	t.Helper()
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) || !*update {
		return
	}
	dir := t.TempDir()
	s := openTest(t, Options{Dir: dir})
	fill(s)
	closeTest(t, s)
	if err := pack(path, dir); err != nil {
		t.Fatal(err)
	}
}

func pack(path, dir string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(z)
	return errors.Join(w.AddFS(os.DirFS(dir)), w.Close(), z.Close())
}

func unpack(path, dir string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for r := tar.NewReader(z); ; {
		header, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(header.Name))
		if header.FileInfo().IsDir() {
			if err := os.MkdirAll(to, 0o700); err != nil {
				return err
			}
			continue
		}
		b, err := io.ReadAll(r)
		if err == nil {
			err = os.WriteFile(to, b, 0o600)
		}
		if err != nil {
			return err
		}
	}
}
