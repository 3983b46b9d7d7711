package backup_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/backup"
)

// BenchmarkRestore10k restores 10,000 contexts, some of them forks, and verifies
// all of them. It also says what a first backup and one of nothing new take.
// $KJ_CONTEXTS makes them fewer or more.
func BenchmarkRestore10k(b *testing.B) {
	n := 10_000
	if text := os.Getenv("KJ_CONTEXTS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	h := open(b, b.TempDir())
	var work sync.WaitGroup
	for w := range 64 {
		work.Go(func() {
			var doc kaijutsu.DocumentID
			for i := w; i < n; i += 64 {
				if i%10 == 9 && !doc.IsZero() {
					doc = h.fork(doc)
				} else {
					doc = h.create(fmt.Sprint("Context ", i))
				}
				for k := range 5 {
					h.write(doc, text(k))
				}
			}
		})
	}
	work.Wait()
	at := filepath.Join(b.TempDir(), "backup")
	for b.Loop() {
		b.StopTimer()
		if err := os.RemoveAll(at); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		first := take(b, at, h.store, backup.TakeOptions{})
		took := b.Elapsed()
		second := take(b, at, h.store, backup.TakeOptions{})
		again := b.Elapsed() - took
		out, err := tryRestore(b, at, 0, filepath.Join(b.TempDir(), "data"))
		if err != nil {
			b.Fatal(err)
		}
		if out.Comparison.Documents != n || second.Manifest.Taken != 0 {
			b.Fatalf("restored %d documents, took %d again", out.Comparison.Documents, second.Manifest.Taken)
		}
		b.ReportMetric(took.Seconds(), "s/backup")
		b.ReportMetric(again.Seconds(), "s/increment")
		b.ReportMetric((b.Elapsed() - took - again).Seconds(), "s/restore")
		b.ReportMetric(float64(first.NewBytes)/float64(n), "B/context")
	}
}
