package courier_test

import (
	"fmt"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/kernel"
)

// stageMany stages n items from a to targets in turn, many at a time, and
// returns how long that took.
func (w *world) stageMany(n int, from kaijutsu.DocumentID, targets ...kaijutsu.DocumentID) time.Duration {
	w.t.Helper()
	start := time.Now()
	var wg sync.WaitGroup
	next := make(chan int)
	for range 64 {
		wg.Go(func() {
			for i := range next {
				p := courier.Push{From: from.Name(), To: targets[i%len(targets)].Name(), Content: fmt.Sprintf("finding %d", i), Stage: true}
				if _, err := w.Push(w.t.Context(), owner, p); err != nil {
					w.t.Error(err)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	return time.Since(start)
}

// cpu is the processor time that this process has taken.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkFlush flushes 10,000 items on a disk: to one context, and to a
// hundred.
func BenchmarkFlush(b *testing.B) {
	for _, targets := range []int{1, 100} {
		b.Run(fmt.Sprintf("targets=%d", targets), func(b *testing.B) {
			const n = 10_000
			for b.Loop() {
				b.StopTimer()
				w := newWorld(b)
				from := w.context("from")
				var to []kaijutsu.DocumentID
				for i := range targets {
					to = append(to, w.context(fmt.Sprint("to ", i)).Doc)
				}
				staged := w.stageMany(n, from.Doc, to...)
				b.ReportMetric(staged.Seconds(), "stage-s")
				before := cpu()
				b.StartTimer()
				if got := w.flush(owner, from.Doc); got.Delivered != n || got.Left != 0 {
					b.Fatalf("Flush = %+v, want %d delivered", got, n)
				}
				b.StopTimer()
				b.ReportMetric((cpu() - before).Seconds(), "cpu-s")
				w.close()
				b.StartTimer()
			}
		})
	}
}

// BenchmarkPush measures pushes one after the other, and bare posts of the same
// blocks in the same run.
func BenchmarkPush(b *testing.B) {
	w := newWorld(b)
	from, to, bare := w.context("from"), w.context("to"), w.context("bare")
	w.write(owner, from.Doc, "a source")
	var pushes, posts []time.Duration
	for b.Loop() {
		start := time.Now()
		w.push(owner, from.Doc, to.Doc, "a finding")
		middle := time.Now()
		_, err := w.kernel.Post(b.Context(), kernel.Posting{
			By: owner.By, As: owner, Doc: bare.Doc, Name: "drift_push",
			Spec: blocks.BlockSpec{ID: blocks.NewID(middle), Position: blocks.Last(), Kind: blocks.KindDrift, Role: blocks.RoleSystem, Form: blocks.FormBody, Content: "a finding"},
		})
		if err != nil {
			b.Fatal(err)
		}
		pushes, posts = append(pushes, middle.Sub(start)), append(posts, time.Since(middle))
	}
	slices.Sort(pushes)
	slices.Sort(posts)
	ms := func(all []time.Duration, part float64) float64 {
		return float64(all[int(part*float64(len(all)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(ms(pushes, 0.5), "push-p50-ms")
	b.ReportMetric(ms(pushes, 0.99), "push-p99-ms")
	b.ReportMetric(ms(posts, 0.5), "post-p50-ms")
}
