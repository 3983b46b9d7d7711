package peer_test

import (
	"fmt"
	"net"
	"runtime"
	"testing"

	"kaijutsu/internal/amfile"
	"kaijutsu/internal/peer"
	"kaijutsu/internal/wire"
)

// BenchmarkIdleConnections measures what 2,000 joined connections that say
// nothing cost the server: heap and stacks, the kernel's buffers apart. The
// clients are bare sockets.
func BenchmarkIdleConnections(b *testing.B) {
	const n = 2000
	for b.Loop() {
		s := start(b, nil)
		before := inUse()
		conns := make([]net.Conn, n)
		for i := range conns {
			conns[i] = s.handshake()
			if _, err := conns[i].Write(masked(wire.Encode(wire.Join{SenderID: fmt.Sprint("idle-", i), Versions: []string{"1"}}))); err != nil {
				b.Fatal(err)
			}
			if _, _, err := readServerFrame(conns[i]); err != nil {
				b.Fatal(err)
			}
		}
		after := inUse()
		if got := s.hub.Stats().Peers; got != n {
			b.Fatalf("%d peers, want %d", got, n)
		}
		b.ReportMetric(float64(after.heap-before.heap)/n/1024, "heap-KB/conn")
		b.ReportMetric(float64(after.stack-before.stack)/n/1024, "stack-KB/conn")
		b.ReportMetric(float64(after.goroutines-before.goroutines)/n, "goroutines/conn")
		for _, nc := range conns {
			_ = nc.Close()
		}
	}
}

type usage struct {
	heap, stack int64
	goroutines  int
}

func inUse() usage {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return usage{int64(m.HeapInuse), int64(m.StackInuse), runtime.NumGoroutine()}
}

// BenchmarkEditToVisible is one edit at a time, from the frame of one editor
// to the replica of another, durable first.
func BenchmarkEditToVisible(b *testing.B) {
	s := start(b, nil)
	doc := newDocument()
	from, to := s.join("from").replica(doc), s.join("to").replica(doc)
	h := from.edit("k", amfile.IntValue(0))
	to.open().has(h)
	for b.Loop() {
		to.has(from.edit("k", amfile.IntValue(1)))
	}
}

// BenchmarkEphemeral is one ephemeral message at a time, relayed to one other.
func BenchmarkEphemeral(b *testing.B) {
	s := start(b, func(c *peer.Config) { c.Limits.EphemeralRate = 1e6 })
	doc := newDocument()
	to := s.join("to").replica(doc)
	to.acked(to.edit("k", amfile.IntValue(0)))
	from := s.join("from")
	n := uint64(0)
	for b.Loop() {
		n++
		from.say(doc, n)
		to.until("the message", func() bool {
			last, ok := to.got[len(to.got)-1].(wire.Ephemeral)
			return ok && last.Count == n
		})
	}
}
