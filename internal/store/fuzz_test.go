package store

import (
	"os"
	"path/filepath"
	"testing"
)

// seedFile returns what is written of the one file with the extension in a
// small store, as a crash leaves it or as Close does.
func seedFile(f *testing.F, ext string, closed bool) []byte {
	f.Helper()
	dir := f.TempDir()
	s := openTest(f, Options{Dir: dir})
	for i := range uint64(3) {
		mustCommit(f, s, testWrite(1, 2*i, 2, 40))
	}
	if closed {
		closeTest(f, s)
	}
	b, err := os.ReadFile(only(f, dir, ext))
	if err != nil {
		f.Fatal(err)
	}
	return b[:min(len(b), walEnd(b)+64)]
}

// FuzzLog reads damaged logs: no panic, and nothing is found beyond the file.
func FuzzLog(f *testing.F) {
	f.Add(seedFile(f, ".mem", false))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "00001.mem")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		report, err := readWAL(path)
		if err != nil {
			t.Fatalf("readWAL() = %v", err)
		}
		if report.end > int64(len(b)) || len(report.beyond) > len(b) {
			t.Errorf("readWAL() of %d bytes = %+v", len(b), report)
		}
	})
}

// FuzzTable reads damaged tables: no panic.
func FuzzTable(f *testing.F) {
	f.Add(seedFile(f, ".sst", true))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "000001.sst")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		_ = checkTable(path, nil)
	})
}

// FuzzRows decodes damaged rows whose checksums happen to match: no panic, and
// what is accepted is what would be written.
func FuzzRows(f *testing.F) {
	for _, row := range goldenRows() {
		_, payload, err := unseal(row[0], row[1])
		if err != nil {
			f.Fatal(err)
		}
		f.Add(payload)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		if row, err := decodeDocument(payload); err == nil && len(row.encode()) > len(payload) {
			t.Errorf("document row %x decodes to one of %d bytes", payload, len(row.encode()))
		}
		if s, err := decodeState(payload); err == nil && len(s.encode()) > len(payload) {
			t.Errorf("state row %x decodes to one of %d bytes", payload, len(s.encode()))
		}
		if c, err := decodeChange(payload); err == nil && len(c.Raw) > len(payload) {
			t.Errorf("change record %x decodes to one of %d bytes", payload, len(c.Raw))
		}
		_, _ = decodeActor(payload)
		_, _ = decodeChore(payload)
		_, _ = decodeBlob(payload)
		_, _, _ = decodeSegment(payload)
	})
}
