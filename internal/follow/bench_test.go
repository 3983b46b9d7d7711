package follow_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kaijutsu/flowbus"
	"kaijutsu/internal/follow"
)

// BenchmarkEvent is what an event costs with so many followers of one context:
// encoded once, and read by all of them, in this process.
func BenchmarkEvent(b *testing.B) {
	for _, n := range []int{1, 200, 2000} {
		b.Run(fmt.Sprint(n, " followers"), func(b *testing.B) {
			h := open(b, b.TempDir(), follow.Config{})
			id := h.newContext("Plan")
			var got atomic.Int64
			var readers sync.WaitGroup
			ctx, cancel := context.WithCancel(b.Context())
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			for range n {
				f := h.follow("ctx."+id.String()+".>", "")
				readers.Go(func() {
					for {
						items, err := f.Next(ctx)
						if err != nil {
							return
						}
						got.Add(int64(len(items)))
					}
				})
			}
			for got.Load() < int64(n) { // all have their hello
				runtime.Gosched()
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			memory := float64(after.HeapAlloc+after.StackInuse-before.HeapAlloc-before.StackInuse) / float64(n)
			got.Store(0)
			e := flowbus.Event{Kind: flowbus.LogMessage, Context: id, Data: &flowbus.Log{Level: "info", Message: "something has happened"}}
			b.ReportAllocs()
			for b.Loop() {
				if err := h.hub.Publish(e); err != nil {
					b.Fatal(err)
				}
			}
			look := time.NewTicker(100 * time.Microsecond)
			for got.Load() < int64(n)*int64(b.N) {
				<-look.C
			}
			look.Stop()
			b.ReportMetric(memory, "B/follower")
			cancel()
			readers.Wait()
		})
	}
}

// BenchmarkManyFollowers is 2,000 followers of one context over HTTP, at 50
// changes a second: the time from before the edit until each has the event.
func BenchmarkManyFollowers(b *testing.B) {
	const followers, perSecond = 2000, 50
	h := open(b, b.TempDir(), follow.Config{})
	id := h.newContext("Plan")
	block := h.insert(id, "")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, err := h.hub.Follow(r.Context(), follow.Want{Pattern: "ctx." + id.String() + ".>", Right: owns})
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		defer f.Close()
		rc := http.NewResponseController(w)
		var buf []byte
		for {
			items, err := f.Next(r.Context())
			if err != nil {
				return
			}
			buf = buf[:0]
			for _, i := range items {
				buf = append(buf, i.Frame...)
			}
			if _, err := w.Write(buf); err != nil || rc.Flush() != nil {
				return
			}
		}
	}))
	defer server.Close()
	var mu sync.Mutex
	began := make(map[int]time.Time)
	var took []time.Duration
	var told atomic.Int64
	var ready, done sync.WaitGroup
	ctx, cancel := context.WithCancel(b.Context())
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: followers, MaxConnsPerHost: 0}}
	for range followers {
		ready.Add(1)
		done.Go(func() {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
			if err != nil {
				panic(err)
			}
			resp, err := client.Do(req)
			if err != nil {
				panic(err)
			}
			defer resp.Body.Close()
			buf := make([]byte, 16<<10)
			first := true
			var mine []time.Duration
			for {
				n, err := resp.Body.Read(buf)
				if err != nil {
					break
				}
				if first {
					first = false
					ready.Done()
					continue
				}
				now := time.Now()
				mu.Lock()
				for _, length := range lengths(buf[:n]) {
					mine = append(mine, now.Sub(began[length]))
					told.Add(1)
				}
				mu.Unlock()
			}
			mu.Lock()
			took = append(took, mine...)
			mu.Unlock()
		})
	}
	ready.Wait()
	tick := time.NewTicker(time.Second / perSecond)
	defer tick.Stop()
	n := 0
	for b.Loop() {
		<-tick.C
		n++
		mu.Lock()
		began[n] = time.Now()
		mu.Unlock()
		h.appendText(id, block, "x")
	}
	for rest := 300 * time.Millisecond; told.Load() < int64(n)*followers && rest > 0; rest -= time.Second / perSecond {
		<-tick.C
	}
	cancel()
	done.Wait()
	if len(took) == 0 {
		b.Fatal("nobody was told of anything")
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(len(took))/float64(n), "told/op")
}

// lengths finds the lengths of texts in events.
func lengths(b []byte) (all []int) {
	const field = `"length":`
	for {
		at := bytes.Index(b, []byte(field))
		if at < 0 {
			return all
		}
		b = b[at+len(field):]
		n := 0
		for len(b) > 0 && b[0] >= '0' && b[0] <= '9' {
			n, b = n*10+int(b[0]-'0'), b[1:]
		}
		all = append(all, n)
	}
}
