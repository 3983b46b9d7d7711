package store

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dgraph-io/badger/v4"

	"kaijutsu"
)

// BenchmarkCommit compares group commit with a transaction for each write, at
// keystroke size: one change of 150 bytes, each writer to its own document.
func BenchmarkCommit(b *testing.B) {
	for _, writers := range []int{1, 8, 64, 512} {
		b.Run(fmt.Sprintf("writers=%d/group", writers), func(b *testing.B) {
			s := openTest(b, Options{Dir: b.TempDir()})
			benchWriters(b, writers, func(w Write) error {
				return commit(s, context.Background(), w)
			})
			stats := s.Stats()
			b.ReportMetric(float64(stats.Commits)/float64(stats.Batches), "writes/fsync")
		})
		b.Run(fmt.Sprintf("writers=%d/each", writers), func(b *testing.B) {
			db, err := badger.Open(badgerOptions(b.TempDir(), badgerLog{log: discard()}))
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			var commits atomic.Uint64
			benchWriters(b, writers, func(w Write) error {
				return db.Update(func(txn *badger.Txn) error {
					c := w.Changes[0]
					key := rowKey(classChange, w.Doc, c.Index)
					row := documentRow{changes: c.Index + 1, heads: w.Heads}
					docKey := documentKey(classDocument, w.Doc)
					now := state{counter: commits.Add(1)}
					for _, o := range []op{
						{key: key, frame: seal(key, kindRecords, encodeChange(c))},
						{key: docKey, frame: seal(docKey, kindDocument, row.encode())},
						{key: stateKey, frame: seal(stateKey, kindState, now.encode())},
					} {
						if err := o.set(txn); err != nil {
							return err
						}
					}
					return nil
				})
			})
		})
	}
}

func benchWriters(b *testing.B, writers int, commit func(w Write) error) {
	// The change's bytes are the same for all; the index makes the row.
	c := testChange(0, 0, 150)
	var next atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	for writer := range writers {
		wg.Go(func() {
			for index := uint64(0); next.Add(1) <= int64(b.N); index++ {
				own := c
				own.Index = index
				err := commit(Write{Doc: testDoc(uint64(writer)), Changes: []Change{own}, Heads: kaijutsu.Heads{own.Hash}})
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkBulk is an import: many changes in one write.
func BenchmarkBulk(b *testing.B) {
	s := openTest(b, Options{Dir: b.TempDir()})
	const n = 500
	var index uint64
	w := testWrite(1, 0, n, 150)
	for b.Loop() {
		for i := range w.Changes {
			w.Changes[i].Index = index
			index++
		}
		mustCommit(b, s, w)
	}
	b.ReportMetric(float64(index)/b.Elapsed().Seconds(), "changes/s")
}

// BenchmarkDiskBytes reports what a keystroke costs on disk, in the log and
// once it is in tables.
func BenchmarkDiskBytes(b *testing.B) {
	const n, docs = 200_000, 20
	for b.Loop() {
		dir := b.TempDir()
		s := openTest(b, Options{Dir: dir})
		var wg sync.WaitGroup
		for doc := range uint64(docs) {
			wg.Go(func() {
				for i := range uint64(n / docs) {
					mustCommit(b, s, testWrite(doc, i, 1, 150))
				}
			})
		}
		wg.Wait()
		running := s.Stats().DiskBytes
		closeTest(b, s)
		b.ReportMetric(float64(running)/n, "B/change-running")
		b.ReportMetric(float64(diskBytes(dir))/n, "B/change-closed")
	}
}

// BenchmarkOpen opens a store that was closed.
func BenchmarkOpen(b *testing.B) {
	for _, changes := range []int{0, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("changes=%d", changes), func(b *testing.B) {
			dir := b.TempDir()
			s := openTest(b, Options{Dir: dir})
			for i := 0; i < changes; i += 500 {
				mustCommit(b, s, testWrite(1, uint64(i), 500, 150))
			}
			closeTest(b, s)
			for b.Loop() {
				s, err := Open(Options{Dir: dir})
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				closeTest(b, s)
				b.StartTimer()
			}
		})
	}
}

// BenchmarkLoad reads a document of 10,000 changes.
func BenchmarkLoad(b *testing.B) {
	s := openTest(b, Options{Dir: b.TempDir()})
	const n = 10_000
	for i := uint64(0); i < n; i += 500 {
		mustCommit(b, s, testWrite(1, i, 500, 150))
	}
	b.ReportAllocs()
	for b.Loop() {
		mustLoad(b, s, 1)
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "changes/s")
}

// BenchmarkIdleMemory reports what an open store adds to the process.
func BenchmarkIdleMemory(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		before := residentBytes(b)
		s := openTest(b, Options{Dir: dir})
		mustCommit(b, s, testWrite(uint64(len(allDocuments(b, s))), 0, 1, 150))
		runtime.GC()
		b.ReportMetric(float64(residentBytes(b)-before)/(1<<20), "MiB-added")
		b.ReportMetric(float64(residentBytes(b))/(1<<20), "MiB-RSS")
		closeTest(b, s)
	}
}

func residentBytes(b *testing.B) int64 {
	b.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skip("no /proc: ", err)
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmRSS:" {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				b.Fatal(err)
			}
			return kib << 10
		}
	}
	b.Fatal("no VmRSS in /proc/self/status")
	return 0
}
