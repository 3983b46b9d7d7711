package git

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"
)

// largeRepo has 10,000 files in 200 directories, packed and checked out.
func largeRepo(b testing.TB) *sandbox {
	s := newSandbox(b)
	var feed bytes.Buffer
	fmt.Fprint(&feed, "commit refs/heads/main\ncommitter A <a@b> 1700000000 +0000\ndata 1\nx\n")
	for i := range 10000 {
		text := fmt.Sprintf("package p%d\n\n// Number is %d.\nconst Number = %d\n", i%200, i, i)
		fmt.Fprintf(&feed, "M 100644 inline dir%d/sub%d/file%d.go\ndata %d\n%s\n", i%20, i%200, i, len(text), text)
	}
	cmd := s.cmd("fast-import", "--quiet")
	cmd.Stdin = &feed
	s.run(cmd)
	s.git("reset", "-q", "--hard", "main")
	return s
}

// BenchmarkCommit commits ten changed files of ten thousand, and has the git
// command do the same; p50-ms is the median.
func BenchmarkCommit(b *testing.B) {
	s := largeRepo(b)
	w := s.worktree()
	change := func(i int) (paths []string, files []FileChange) {
		for k := range 10 {
			n := (i*977 + k*1009) % 10000
			path := fmt.Sprintf("dir%d/sub%d/file%d.go", n%20, n%200, n)
			text := fmt.Sprintf("package p\n\nconst Number = %d\n", i*10+k)
			s.write(path, text)
			paths, files = append(paths, path), append(files, FileChange{Path: path, Data: []byte(text)})
		}
		return paths, files
	}
	run := func(name string, commit func(i int, paths []string, files []FileChange)) {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				paths, files := change(i + len(name)*100000 + int(time.Now().UnixNano()%1000000)*10)
				b.StartTimer()
				start := time.Now()
				commit(i, paths, files)
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
	run("ours", func(i int, _ []string, files []FileChange) {
		e, err := w.Epoch()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := w.MakeCommit(context.Background(), CommitSpec{Branch: e.Branch, Parent: e.Head, Files: files, Message: fmt.Sprint(i), Author: ann}); err != nil {
			b.Fatal(err)
		}
	})
	run("git", func(i int, paths []string, _ []FileChange) {
		s.git(append([]string{"add", "--"}, paths...)...)
		s.git("commit", "-q", "-m", fmt.Sprint(i))
	})
	if got := s.git("status", "--porcelain"); got != "" {
		b.Errorf("git status: %s", got)
	}
	s.agrees()
}
