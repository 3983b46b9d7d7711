package changegraph

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

var histories = []int{1_000, 10_000, 100_000}

// typed is one text typed in so many changes, a character each.
var typed = sync.OnceValue(func() []*amfile.Change {
	w := newWriter(silent{}, actorID(1))
	changes := make([]*amfile.Change, histories[len(histories)-1])
	for i := range changes {
		changes[i] = w.write("x")
	}
	return changes
})

// silent is a tester for what cannot fail.
type silent struct{}

func (silent) Helper() {}
func (silent) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}

// grown returns a graph of the first n changes and a writer that goes on.
func grown(n int) *writer {
	w := newWriter(silent{}, actorID(2))
	for _, c := range typed()[:n] {
		if err := w.g.RestoreChange(c); err != nil {
			panic(err)
		}
	}
	w.reread()
	return w
}

// synced returns the states of n peers that hold all of the graph.
func synced(g *Graph, n int) []*SyncState {
	states := make([]*SyncState, n)
	for i := range states {
		states[i] = NewSyncState()
		g.Receive(states[i], ack(g), nil, ReceiveOptions{})
		g.Generate(states[i])
	}
	return states
}

// ack is what a peer says that holds all of the graph.
func ack(g *Graph) *amfile.SyncMessage {
	return &amfile.SyncMessage{Version: 1, Heads: g.Heads(), Have: []amfile.Have{{LastSync: g.Heads()}}}
}

// eachHistory runs f for graphs of growing length.
func eachHistory(b *testing.B, f func(b *testing.B, w *writer)) {
	for _, n := range histories {
		b.Run(fmt.Sprintf("history=%d", n), func(b *testing.B) {
			w := grown(n)
			b.ReportAllocs()
			f(b, w)
		})
	}
}

const benchPeers = 256

// BenchmarkGenerate is the message of one new change to one of many peers in
// sync. With encode=each no message is reused.
func BenchmarkGenerate(b *testing.B) {
	for _, each := range []bool{true, false} {
		b.Run(map[bool]string{true: "encode=each", false: "encode=once"}[each], func(b *testing.B) {
			eachHistory(b, func(b *testing.B, w *writer) {
				states := synced(w.g, benchPeers)
				for i := 0; b.Loop(); i++ {
					if i%benchPeers == 0 {
						b.StopTimer()
						w.put("k", amfile.IntValue(1))
						b.StartTimer()
					}
					if each {
						w.g.sent.clear()
					}
					if _, ok := w.g.Generate(states[i%benchPeers]); !ok {
						b.Fatal("nothing to say about a new change")
					}
				}
			})
		})
	}
}

// BenchmarkGenerateNothing asks for a message when there is nothing to say.
func BenchmarkGenerateNothing(b *testing.B) {
	eachHistory(b, func(b *testing.B, w *writer) {
		s := synced(w.g, 1)[0]
		for b.Loop() {
			if _, ok := w.g.Generate(s); ok {
				b.Fatal("said something twice")
			}
		}
	})
}

// BenchmarkReceiveAck is a peer's answer to a new change.
func BenchmarkReceiveAck(b *testing.B) {
	eachHistory(b, func(b *testing.B, w *writer) {
		states := synced(w.g, benchPeers)
		m := ack(w.g)
		for i := 0; b.Loop(); i++ {
			if i%benchPeers == 0 {
				b.StopTimer()
				w.put("k", amfile.IntValue(1))
				for _, s := range states {
					w.g.Generate(s)
				}
				m = ack(w.g)
				b.StartTimer()
			}
			w.g.Receive(states[i%benchPeers], m, nil, ReceiveOptions{})
		}
	})
}

// BenchmarkReceiveChange is a keystroke from one peer and the acknowledgement
// to it, with everything between the frames but decoding.
func BenchmarkReceiveChange(b *testing.B) {
	eachHistory(b, func(b *testing.B, w *writer) {
		s := synced(w.g, 1)[0]
		shadow := newWriter(silent{}, actorID(3))
		for i := range w.g.Len() {
			shadow.g.Restore(w.g.Raw(i))
		}
		shadow.reread()
		const batch = 256
		messages := make([]*amfile.SyncMessage, batch)
		changes := make([][]*amfile.Change, batch)
		for i := 0; b.Loop(); i++ {
			k := i % batch
			if k == 0 {
				b.StopTimer()
				for k := range messages {
					before := shadow.g.Heads()
					c := shadow.write("y")
					changes[k] = []*amfile.Change{c}
					messages[k] = &amfile.SyncMessage{
						Version: 1, Heads: shadow.g.Heads(), Changes: [][]byte{c.Raw},
						Have: []amfile.Have{{LastSync: before, Bloom: amfile.NewBloom([]kaijutsu.ChangeHash{c.Hash})}},
					}
				}
				b.StartTimer()
			}
			got := w.g.Receive(s, messages[k], changes[k], ReceiveOptions{})
			if _, ok := w.g.Generate(s); !ok || len(got.Added) != 1 {
				b.Fatalf("acknowledged: %v, added %d, refused %v", ok, len(got.Added), got.Refused)
			}
		}
	})
}

// BenchmarkAdd adds the changes of one typist, and those of two who merge now
// and then.
func BenchmarkAdd(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	left, right := newWriter(silent{}, actorID(1)), newWriter(silent{}, actorID(2))
	var concurrent []*amfile.Change
	for len(concurrent) < 20_000 {
		var one, two []*amfile.Change
		for range 1 + r.IntN(10) {
			one, two = append(one, left.edit(r)), append(two, right.edit(r))
		}
		for k := range one {
			concurrent = append(concurrent, one[k], two[k])
			right.take(one[k])
			left.take(two[k])
		}
	}
	for name, changes := range map[string][]*amfile.Change{"typing": typed(), "concurrent": concurrent} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			g, k := New(), 0
			for b.Loop() {
				if k == len(changes) {
					b.StopTimer()
					g, k = New(), 0
					b.StartTimer()
				}
				if _, err := g.Add(changes[k]); err != nil {
					b.Fatal(err)
				}
				k++
			}
		})
	}
}

// BenchmarkSince asks for the last ten changes, of a log that has grown since
// it was asked last, so that nothing is remembered.
func BenchmarkSince(b *testing.B) {
	eachHistory(b, func(b *testing.B, w *writer) {
		heads := []kaijutsu.ChangeHash{w.g.Hash(w.g.Len() - 11)}
		for b.Loop() {
			w.g.recent.clear()
			if got := len(w.g.Since(heads)); got != 10 {
				b.Fatalf("%d changes, want 10", got)
			}
		}
	})
}

// BenchmarkRandomErase deletes single characters all over a long text that was
// typed a character at a time: each deletion refers to another old change.
func BenchmarkRandomErase(b *testing.B) {
	for _, n := range histories[:2] {
		b.Run(fmt.Sprintf("history=%d", n), func(b *testing.B) {
			w := grown(n)
			r := rand.New(rand.NewPCG(1, 1))
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				if i%n == 0 && i > 0 {
					w = grown(n)
				}
				c := w.begin()
				id := w.chars[r.IntN(n)]
				c.add(amfile.Op{Action: amfile.Delete, Obj: c.id(w.text), Seq: true, Elem: c.id(id), Pred: []amfile.OpID{c.id(id)}})
				made := c.encode(silent{})
				b.StartTimer()
				if _, err := w.g.Add(made); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRestore opens a document: the cost and the memory of each change.
func BenchmarkRestore(b *testing.B) {
	changes := typed()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var g *Graph
	k := len(changes)
	for b.Loop() {
		if k == len(changes) {
			b.StopTimer()
			g, k = New(), 0
			b.StartTimer()
		}
		if err := g.Restore(changes[k].Raw); err != nil {
			b.Fatal(err)
		}
		k++
	}
	for ; k < len(changes); k++ {
		if err := g.Restore(changes[k].Raw); err != nil {
			b.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(len(changes)), "heap-B/change")
	b.ReportMetric(float64(g.Bytes())/float64(len(changes)), "estimate-B/change")
	b.ReportMetric(float64(len(changes[len(changes)-1].Raw)), "raw-B/change")
	runtime.KeepAlive(g)
}

// BenchmarkColdJoin sends the whole document to an empty peer, encoded once.
func BenchmarkColdJoin(b *testing.B) {
	w := grown(10_000)
	hello := &amfile.SyncMessage{Version: 1, Have: []amfile.Have{{}}}
	for b.Loop() {
		s := NewSyncState()
		w.g.Receive(s, hello, nil, ReceiveOptions{})
		data, ok := w.g.Generate(s)
		if !ok {
			b.Fatal("nothing for an empty peer")
		}
		b.SetBytes(int64(len(data)))
	}
}
