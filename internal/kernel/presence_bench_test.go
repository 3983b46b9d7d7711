package kernel_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/follow"
	"kaijutsu/internal/kernel"
)

// BenchmarkPresenceFanout has 1,000 seats at a context show where they are, in
// turn, to so many followers: an operation is one presence at all of them.
func BenchmarkPresenceFanout(b *testing.B) {
	for _, followers := range []int{1, 100, 1000} {
		b.Run(fmt.Sprint(followers), func(b *testing.B) { benchFanout(b, followers) })
	}
}

func benchFanout(b *testing.B, followers int) {
	bus, err := flowbus.Open(b.Context(), flowbus.Config{Log: slog.New(slog.DiscardHandler), Kernel: "main", Node: "one", Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer bus.Close()
	var hub atomic.Pointer[follow.Hub]
	var clock atomic.Int64 // each presence is told at once
	w := newWorldWith(b, func(c *kernel.Config) {
		began := time.Now()
		c.Now = func() time.Time { return began.Add(time.Duration(clock.Load())) }
		c.Emit = func(e flowbus.Event) {
			if h := hub.Load(); h != nil {
				if err := h.Publish(e); err != nil {
					b.Error(err)
				}
			}
		}
	})
	h, err := follow.Start(follow.Config{Log: slog.New(slog.DiscardHandler), Kernel: "main", Node: "one", Repo: w.repo, Bus: bus})
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	plan := w.context("Plan")
	spec := make([]kernel.SeatSpec, 1000)
	for i := range spec {
		spec[i] = kernel.SeatSpec{Instance: fmt.Sprint(i), Context: plan.Doc}
		w.sit(owner, spec[i])
	}
	hub.Store(h)
	var seen atomic.Int64
	var reading sync.WaitGroup
	ctx, stop := context.WithCancel(b.Context())
	for range followers {
		f, err := h.Follow(ctx, follow.Want{Pattern: "ctx.*.seat.presence", Right: func(kaijutsu.DocumentID) kaijutsu.Right { return kaijutsu.RightRead }})
		if err != nil {
			b.Fatal(err)
		}
		reading.Go(func() {
			defer f.Close()
			for {
				items, err := f.Next(ctx)
				if err != nil {
					return
				}
				seen.Add(int64(len(items)))
			}
		})
	}
	n := 0
	for b.Loop() {
		clock.Add(int64(5 * time.Millisecond)) // as often as one with 1,000 seats is told
		if _, err := w.kernel.SetPresence(owner, spec[n%len(spec)], cursor(n)); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(seen.Load())/float64(n*followers), "seen/told")
	stop()
	reading.Wait()
}
