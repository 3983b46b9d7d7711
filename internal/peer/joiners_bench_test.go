package peer_test

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"testing"
	"time"

	"kaijutsu/internal/amfile"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/wire"
)

// BenchmarkJoiners is 500 editors that open a document of 4 MB at once. peak-MB is
// how much more memory the process takes than before, the clients' 8 KB each
// within it.
func BenchmarkJoiners(b *testing.B) {
	s := startOn(b, repo.Config{SnapshotChanges: 1}, nil)
	doc := newDocument()
	from := s.join("from").replica(doc)
	for i := range 100 {
		raw := make([]byte, 30<<10)
		rand.Read(raw)
		from.acked(from.edit(fmt.Sprint(i), amfile.StringValue(base64.StdEncoding.EncodeToString(raw))))
	}
	eventually(b, "a snapshot", func() bool { return s.repo.Stats().Snapshots > 0 })
	const n = 500
	for b.Loop() {
		b.StopTimer()
		debug.FreeOSMemory()
		before, peak, watched := resident(), uint64(0), make(chan struct{})
		conns := make([]net.Conn, n)
		for i := range conns {
			conns[i] = s.handshake()
			_, _ = conns[i].Write(masked(wire.Encode(wire.Join{SenderID: fmt.Sprint("joiner-", i), Versions: []string{"1"}})))
			if _, _, err := readServerFrame(conns[i]); err != nil {
				b.Fatal(err)
			}
		}
		over := make(chan struct{})
		go func() {
			defer close(watched)
			tick := time.NewTicker(5 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-over:
					return
				case <-tick.C:
					peak = max(peak, resident())
				}
			}
		}()
		b.StartTimer()
		var took sync.Map
		var all sync.WaitGroup
		var size int64
		for i, nc := range conns {
			all.Go(func() {
				began := time.Now()
				ask := (&amfile.SyncMessage{Version: 1, Have: []amfile.Have{{}}, Flags: &amfile.SyncFlags{}}).Encode()
				_, _ = nc.Write(masked(wire.Encode(wire.Request{SenderID: fmt.Sprint("joiner-", i), TargetID: serverID, DocumentID: doc.String(), Data: ask})))
				if got := discardFrame(nc); i == 0 {
					size = got
				}
				took.Store(i, time.Since(began))
			})
		}
		all.Wait()
		b.StopTimer()
		close(over)
		<-watched
		var times []time.Duration
		took.Range(func(_, d any) bool { times = append(times, d.(time.Duration)); return true })
		slices.Sort(times)
		b.ReportMetric(float64(size)/1e6, "MB")
		b.ReportMetric(times[n/2].Seconds(), "p50-s")
		b.ReportMetric(times[n*99/100].Seconds(), "p99-s")
		b.ReportMetric(float64(peak-before)/1e6, "peak-MB")
		for _, nc := range conns {
			_ = nc.Close()
		}
		b.StartTimer()
	}
}

// discardFrame reads a frame and returns how long it was.
func discardFrame(nc net.Conn) int64 {
	head := make([]byte, 10)
	if _, err := io.ReadFull(nc, head); err != nil || head[1] != 127 {
		return -1
	}
	n := int64(0)
	for _, v := range head[2:] {
		n = n<<8 | int64(v)
	}
	buf := make([]byte, 8<<10)
	for left := n; left > 0; {
		got, err := nc.Read(buf[:min(left, int64(len(buf)))])
		if err != nil {
			return -1
		}
		left -= int64(got)
	}
	return n
}

// resident is what the process has of the system's memory and has not given back.
func resident() uint64 {
	m := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(m)
	return m[0].Value.Uint64() - m[1].Value.Uint64()
}
