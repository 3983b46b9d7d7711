package main

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// tidyEvery is how often is looked whether there is something to give back.
	tidyEvery = time.Second
	// restBytes is how much a process that rests allocates between two looks.
	restBytes = 256 << 10
	// tidyBytes is what it takes to be worth it: garbage, and memory that is free
	// and not given back.
	tidyBytes = 4 << 20
)

// tidyMemory collects garbage and gives memory back to the system when the process
// has come to rest, until ctx ends. The runtime collects when the heap has
// doubled: what a burst of work left, such as the handshakes of two thousand
// connections, would stay as long as nothing comes. While there is work it does
// nothing.
func tidyMemory(ctx context.Context) {
	tick := time.NewTicker(tidyEvery)
	defer tick.Stop()
	var before heapNow
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		now := readHeap()
		if now.allocated-before.allocated < restBytes && now.waste() > before.kept+max(tidyBytes, now.live/8) {
			debug.FreeOSMemory()
			now = readHeap()
			now.kept = now.waste()
		} else {
			now.kept = min(before.kept, now.waste())
		}
		before = now
	}
}

// heapNow is the state of the heap, in bytes.
type heapNow struct {
	allocated, live, objects, free uint64
	kept                           uint64 // waste that could not be given back the last time
}

// waste is what a collection could give back.
func (h heapNow) waste() uint64 { return h.objects - min(h.live, h.objects) + h.free }

func readHeap() heapNow {
	samples := []metrics.Sample{
		{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
	}
	metrics.Read(samples)
	value := func(i int) uint64 {
		if samples[i].Value.Kind() != metrics.KindUint64 {
			return 0
		}
		return samples[i].Value.Uint64()
	}
	return heapNow{allocated: value(0), live: value(1), objects: value(2), free: value(3)}
}
