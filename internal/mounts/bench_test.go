package mounts_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/mounts"
)

// big mounts a repository of so many files.
func (w *world) big(n int) mounts.Mount {
	w.t.Helper()
	files := make(map[string]string, n)
	for i := range n {
		files[fmt.Sprintf("d%02d/f%04d.txt", i%100, i)] = fmt.Sprintf("file %d\nsecond\nthird\n", i)
	}
	w.repository("big", files)
	m, err := w.Add(w.t.Context(), owner, mounts.AddSpec{Path: "/mnt/big", Source: "git:~/big", ReadWrite: true})
	w.must(err)
	return m
}

// BenchmarkCommit commits 10 changed files of a tree of 10,000, and has the git
// command do the same.
func BenchmarkCommit(b *testing.B) {
	w := newWorld(b)
	m := w.big(10_000)
	amy := w.member("amy", kaijutsu.Person, kaijutsu.RightEdit)
	var names []string
	for i := range 10 {
		names = append(names, fmt.Sprintf("d%02d/f%04d.txt", i*7, i*7))
	}
	took := make([]time.Duration, 0, b.N)
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		for _, name := range names {
			w.write(amy, "/mnt/big/"+name, fmt.Sprintf("file\nsecond\nthird\nline %d\n", n))
		}
		b.StartTimer()
		at := time.Now()
		if _, err := w.Commit(w.ctx(), amy, mounts.CommitSpec{At: "big", Paths: names, Message: "change"}); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(at))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	var gits []time.Duration
	for n := range min(len(took), 30) {
		for _, name := range names {
			w.put(filepath.Join(w.home, "big", name), fmt.Sprintf("by hand %d\n", n))
		}
		at := time.Now()
		w.git(filepath.Join(w.home, "big"), append([]string{"commit", "-qm", "change", "--"}, names...)...)
		gits = append(gits, time.Since(at))
	}
	slices.Sort(gits)
	b.ReportMetric(float64(gits[len(gits)/2].Microseconds())/1000, "git-p50-ms")
	_ = m
}
