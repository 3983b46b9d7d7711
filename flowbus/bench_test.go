package flowbus_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"kaijutsu/flowbus"
)

// BenchmarkOpenEmbedded is what the bus adds to the start of a kernel.
func BenchmarkOpenEmbedded(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		bus, err := flowbus.Open(b.Context(), flowbus.Config{Log: slog.New(slog.DiscardHandler), Kernel: "main", Node: "n1", Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		bus.Close()
		b.StartTimer()
	}
}

func pair(b *testing.B) (asker, server *flowbus.Bus) {
	s := startNATS(b, serverOptions())
	asker, server = openBus(b, "a", s.ClientURL()), openBus(b, "b", s.ClientURL())
	settle(b, asker, server)
	return asker, server
}

// BenchmarkPublish is what a publisher waits.
func BenchmarkPublish(b *testing.B) {
	bus := openBus(b, "a")
	data := make([]byte, 256)
	for b.Loop() {
		for bus.Publish("ctx.a", data) != nil { // the queue is full: publishing is faster than writing
		}
	}
}

// BenchmarkPublishToSubscriber is one message to another node and one back.
func BenchmarkPublishToSubscriber(b *testing.B) {
	x, y := pair(b)
	back := make(chan bool, 1)
	data := make([]byte, 256)
	y.Subscribe("ctx.there", func(flowbus.Message) { y.Publish("ctx.back", data) }, func(int) {})
	x.Subscribe("ctx.back", func(flowbus.Message) { back <- true }, func(int) {})
	settle(b, x, y)
	for b.Loop() {
		x.Publish("ctx.there", data)
		<-back
	}
}

// BenchmarkAsk is a question with an answer in one part.
func BenchmarkAsk(b *testing.B) {
	x, y := pair(b)
	data := make([]byte, 256)
	serve(b, y, "node.ask.b", func(_ context.Context, _ flowbus.Message, send func([]byte) error) error { return send(data) })
	settle(b, x, y)
	for b.Loop() {
		if err := x.Ask(b.Context(), "node.ask.b", data, ignore); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAskLarge is an answer of 64 parts of 64 KiB.
func BenchmarkAskLarge(b *testing.B) {
	x, y := pair(b)
	part := make([]byte, 64<<10)
	serve(b, y, "node.ask.b", func(_ context.Context, _ flowbus.Message, send func([]byte) error) error {
		for range 64 {
			if err := send(part); err != nil {
				return err
			}
		}
		return nil
	})
	settle(b, x, y)
	b.SetBytes(64 * 64 << 10)
	for b.Loop() {
		if err := x.Ask(b.Context(), "node.ask.b", nil, ignore); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAppend is one record at a time, and BenchmarkAppendWindow many.
func BenchmarkAppend(b *testing.B) {
	x, _ := pair(b)
	x.Feed().Ready(b.Context())
	data := make([]byte, 256)
	n := 0
	for b.Loop() {
		n++
		if err := x.Feed().Append(b.Context(), 0, "d", fmt.Sprint(n), data).Err(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendWindow(b *testing.B) {
	x, _ := pair(b)
	x.Feed().Ready(b.Context())
	data := make([]byte, 256)
	var wg sync.WaitGroup
	n := 0
	for b.Loop() {
		n++
		ack := x.Feed().Append(b.Context(), 0, "d", fmt.Sprint(n), data)
		if n%256 == 0 {
			wg.Go(func() { ack.Err() })
		}
	}
	wg.Wait()
}

// BenchmarkConsume is the reading of records that are there, per record.
func BenchmarkConsume(b *testing.B) {
	const records = 20000
	x, y := pair(b)
	x.Feed().Ready(b.Context())
	data := make([]byte, 256)
	var acks []*flowbus.Ack
	for n := range records {
		acks = append(acks, x.Feed().Append(b.Context(), 0, "d", fmt.Sprint(n), data))
	}
	for _, ack := range acks {
		if err := ack.Err(); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		n := 0
		y.Feed().Consume(b.Context(), 0, flowbus.Cursor{}, func(flowbus.Record) error {
			if n++; n == records {
				return context.Canceled
			}
			return nil
		}, func(string) {})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*records), "ns/record")
}

// BenchmarkRenew is one renewal of a key with a time to live.
func BenchmarkRenew(b *testing.B) {
	bus := openBus(b, "a")
	rev, err := bus.Put(b.Context(), "k", nil, flowbus.LeaseTTL)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if rev, err = bus.Renew(b.Context(), "k", nil, rev, flowbus.LeaseTTL); err != nil {
			b.Fatal(err)
		}
	}
}
