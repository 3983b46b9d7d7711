package repo

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/store"
)

// goldenEntries are the entries in testdata/journal.golden, a line each.
func goldenEntries(t *testing.T) []Entry {
	t.Helper()
	var id [16]byte
	copy(id[:], "0123456789abcdef")
	doc, err := kaijutsu.DocumentIDFromBytes(id[:])
	if err != nil {
		t.Fatal(err)
	}
	return []Entry{
		{Seq: 1, Doc: doc, From: 0, N: 1},
		{Seq: 2, Doc: doc, From: 1, N: 300, Remote: true},
		{Seq: 3, Doc: doc, From: 1 << 40, N: 1 << 20},
	}
}

// TestEntriesForEver decodes entries that earlier releases wrote.
func TestEntriesForEver(t *testing.T) {
	golden, err := os.ReadFile(filepath.Join("testdata", "journal.golden"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(golden))
	want := goldenEntries(t)
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d", len(lines), len(want))
	}
	for i, line := range lines {
		value, err := hex.DecodeString(line)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := decodeEntry(store.OutboxEntry{Seq: uint64(i) + 1, Value: value}); err != nil || got != want[i] {
			t.Errorf("line %d is %+v, %v; want %+v", i+1, got, err, want[i])
		}
		if got := want[i].encode(); !bytes.Equal(got, value) {
			t.Errorf("%+v is written as %x, want %x", want[i], got, value)
		}
		for n := range value {
			if got, err := decodeEntry(store.OutboxEntry{Seq: 1, Value: value[:n]}); !errors.Is(err, kaijutsu.ErrInvalid) {
				t.Errorf("the first %d bytes of line %d are %+v, %v; want ErrInvalid", n, i+1, got, err)
			}
		}
	}
}

func FuzzDecodeEntry(f *testing.F) {
	f.Add([]byte{1, 1, 1, 7, 1, 2})
	f.Fuzz(func(t *testing.T, value []byte) {
		e, err := decodeEntry(store.OutboxEntry{Value: value})
		if err != nil {
			return
		}
		if again, err := decodeEntry(store.OutboxEntry{Value: e.encode()}); err != nil || again != e {
			t.Errorf("%+v is read back as %+v, %v", e, again, err)
		}
	})
}
