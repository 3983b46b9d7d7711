package cluster

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// watched is when changes were committed at a house.
type watched struct {
	mu sync.Mutex
	at map[kaijutsu.ChangeHash]time.Time
}

func watch(h *house) *watched {
	w := &watched{at: make(map[kaijutsu.ChangeHash]time.Time)}
	h.seen = func(done repo.Committed) {
		now := time.Now()
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, c := range done.Changes {
			w.at[c.Hash] = now
		}
	}
	return w
}

// when returns when a change was committed; the house is told a moment after
// the disk has it.
func (w *watched) when(h *house, change kaijutsu.ChangeHash) (at time.Time) {
	h.await("the change is told of", func() (ok bool) {
		w.mu.Lock()
		defer w.mu.Unlock()
		at, ok = w.at[change]
		return ok
	})
	return at
}

// made is an edit and when it began.
type made struct {
	change kaijutsu.ChangeHash
	at     time.Time
	took   time.Duration // until it was acknowledged
}

// spent is what something cost, which says more than how long it took on a
// machine that does other things as well.
type spent struct {
	cpu          time.Duration // of the whole process
	transactions uint64        // each with one wait for the disk
	records      uint64        // in the feed
}

func spend(houses []*house) (s spent) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		houses[0].t.Fatal(err)
	}
	s.cpu = time.Duration(u.Utime.Nano() + u.Stime.Nano())
	for _, h := range houses {
		s.transactions += h.store.Stats().Batches
	}
	for _, stream := range houses[0].status().Streams {
		s.records += stream.Received
	}
	return s
}

func (s spent) since(before spent) spent {
	return spent{s.cpu - before.cpu, s.transactions - before.transactions, s.records - before.records}
}

// report tells it for each of n edits.
func (s spent) report(b *testing.B, n int) {
	b.ReportMetric(float64(s.cpu.Microseconds())/float64(n), "cpu-µs/edit")
	b.ReportMetric(float64(s.transactions)/float64(n), "transactions/edit")
	b.ReportMetric(float64(s.records)/float64(n), "records/edit")
}

// BenchmarkVisible measures how long it takes from the beginning of an edit at
// one node until the change is on disk and visible at another, with three nodes
// in one process.
func BenchmarkVisible(b *testing.B) {
	for _, rate := range []int{20, 300, 1000} {
		b.Run(fmt.Sprint(rate, "-edits/s"), func(b *testing.B) {
			s := newStreet(b)
			all := func(h *house) { h.tune = tuning{} }
			houses := []*house{s.house("a", all), s.house("b", all), s.house("c", all)}
			var docs []kaijutsu.DocumentID
			for i := range 30 {
				docs = append(docs, houses[i%3].create(fmt.Sprint("context ", i)))
			}
			together(houses...)
			for i, doc := range docs { // opens the models
				houses[(i+1)%3].edit(doc, "open")
				houses[(i+2)%3].edit(doc, "open")
				houses[i%3].edit(doc, "open")
			}
			same(houses...)
			var seen []*watched
			for _, h := range houses {
				h.mu.Lock()
				seen = append(seen, watch(h))
				h.mu.Unlock()
			}
			edits := make([][]made, 3)
			before := spend(houses)
			b.ResetTimer()
			var running sync.WaitGroup
			const editors = 5
			var mu sync.Mutex
			for i, h := range houses {
				for range editors {
					running.Go(func() {
						every := time.Second * 3 * editors / time.Duration(rate)
						sleep(context.Background(), time.Duration(rand.Int64N(int64(every))))
						tick := time.NewTicker(every)
						defer tick.Stop()
						for range max(b.N/3/editors, 1) {
							<-tick.C
							begun := time.Now()
							doc := docs[rand.IntN(len(docs))]
							change := h.edit(doc, fmt.Sprint("title ", rand.Uint32()))
							mu.Lock()
							edits[i] = append(edits[i], made{change, begun, time.Since(begun)})
							mu.Unlock()
						}
					})
				}
			}
			running.Wait()
			b.StopTimer()
			same(houses...)
			spend(houses).since(before).report(b, len(edits[0])+len(edits[1])+len(edits[2]))
			var there, acked []time.Duration
			for i := range houses {
				for _, e := range edits[i] {
					acked = append(acked, e.took)
					for j := range houses {
						if j != i {
							there = append(there, seen[j].when(houses[j], e.change).Sub(e.at))
						}
					}
				}
			}
			slices.Sort(there)
			slices.Sort(acked)
			ms := func(list []time.Duration, p float64) float64 {
				return float64(list[int(p*float64(len(list)-1))]) / 1e6
			}
			b.ReportMetric(ms(there, 0.5), "visible-p50-ms")
			b.ReportMetric(ms(there, 0.99), "visible-p99-ms")
			b.ReportMetric(ms(acked, 0.5), "acked-p50-ms")
			b.ReportMetric(ms(acked, 0.99), "acked-p99-ms")
			c := houses[1].status().Counts
			b.ReportMetric(float64(c.LiveLost+c.LiveDropped+c.Healed), "not-live")
		})
	}
}

// BenchmarkCatchUp measures how long a node that was away takes to hold 100,000
// changes that it missed, from the feed and without it.
func BenchmarkCatchUp(b *testing.B) {
	for _, wiped := range []bool{false, true} {
		name := "feed"
		if wiped {
			name = "wiped"
		}
		b.Run(name, func(b *testing.B) {
			const docs, changes = 50, 100_000
			s := newStreet(b)
			all := func(h *house) { h.tune = tuning{} }
			a, away, c := s.house("a", all), s.house("b", all), s.house("c", all)
			var made []kaijutsu.DocumentID
			for i := range docs {
				made = append(made, a.create(fmt.Sprint("context ", i)))
			}
			together(a, away, c)
			for range b.N {
				away.close()
				missed(b, a, made, changes/docs)
				a.relayed()
				same(a, c)
				if wiped {
					s.stop()
					s.wipe()
					s.start()
					a.await("NATS is back", func() bool { return a.status().Connected })
					c.await("NATS is back", func() bool { return c.status().Connected })
				}
				rest(a)
				rest(c)
				b.StartTimer()
				begun, before := time.Now(), spend([]*house{a, c})
				away.open()
				opened := time.Since(begun)
				same(a, away)
				b.StopTimer()
				spend([]*house{a, c, away}).since(before).report(b, changes)
				b.ReportMetric(float64(opened.Milliseconds()), "open-ms")
				b.ReportMetric(float64(time.Since(begun).Milliseconds()), "all-ms")
				counts := away.status().Counts
				b.ReportMetric(float64(counts.Taken), "taken")
				b.ReportMetric(float64(counts.Duplicates), "duplicates")
				b.ReportMetric(float64(counts.Healed), "healed")
			}
		})
	}
}

// rest waits until a house writes no snapshots any more of what it was given:
// they would take the processor from what is measured.
func rest(h *house) {
	last := uint64(0)
	for quiet := 0; quiet < 10; quiet++ {
		if n := h.store.Stats().Snapshots; n != last {
			last, quiet = n, 0
		}
		sleep(context.Background(), 100*time.Millisecond)
	}
}

// missed makes n changes in each document, many at a time so that they share
// the waits for the disk.
func missed(b *testing.B, h *house, docs []kaijutsu.DocumentID, n int) {
	const editors = 20 // of each document
	var running sync.WaitGroup
	for _, doc := range docs {
		for range editors {
			running.Go(func() {
				for range n / editors {
					_, err := h.repo.Edit(context.Background(), doc, repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error {
						return tx.SetTitle(fmt.Sprint("title ", rand.Uint32()))
					})
					if err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
	}
	running.Wait()
}
