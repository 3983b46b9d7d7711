package cluster

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
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

// made is an edit and when it began.
type made struct {
	change kaijutsu.ChangeHash
	at     time.Time
	took   time.Duration // until it was acknowledged
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
			var there, acked []time.Duration
			for i := range houses {
				for _, e := range edits[i] {
					acked = append(acked, e.took)
					for j := range houses {
						if j != i {
							seen[j].mu.Lock()
							at, ok := seen[j].at[e.change]
							seen[j].mu.Unlock()
							if !ok {
								b.Errorf("a change of %s was not seen at %s", houses[i].name, houses[j].name)
							}
							there = append(there, at.Sub(e.at))
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
				b.StartTimer()
				begun := time.Now()
				away.open()
				opened := time.Since(begun)
				same(a, away)
				b.StopTimer()
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
