package blocks

import (
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
)

const (
	spreadChanges = 100_000
	spreadBlocks  = 2_000
)

// spread is a context of 100,000 changes, to one of 2,000 blocks each: words
// appended, and words taken away in the midst.
var spread = sync.OnceValues(func() (*changegraph.Graph, *Model) {
	rng := rand.New(rand.NewSource(1))
	g, m := changegraph.New(), NewModel()
	commit := func(f func(*Tx) error) {
		c := must(m.Commit(CommitOptions{Actor: "amy", Time: testTime, Deps: g.Heads()}, f))
		if err := g.RestoreChange(c); err != nil {
			panic(err)
		}
		m.Apply(c)
	}
	genesis := must(amfile.DecodeChange(Genesis().Raw))
	if err := g.RestoreChange(genesis); err != nil {
		panic(err)
	}
	m.Apply(genesis)
	for i := range spreadBlocks {
		commit(func(tx *Tx) error { return tx.InsertBlock(BlockSpec{ID: testID(i)}) })
	}
	for g.Len() < spreadChanges {
		id := testID(rng.Intn(spreadBlocks))
		commit(func(tx *Tx) error {
			if b, _ := m.Block(id); len(b.Content) > 20 && rng.Intn(4) == 0 {
				return tx.SpliceText(id, rng.Intn(len(b.Content)-5), 5, "")
			}
			return tx.AppendText(id, strings.Repeat("x", rng.Intn(8))+"\n")
		})
	}
	return g, m
})

// typedIn is one text, typed by 100,000 keys.
var typedIn = sync.OnceValues(func() (*changegraph.Graph, *Model) { return typing(40_000, 100_000) })

// shapes are the contexts of the benchmarks, of 100,000 changes each.
var shapes = []struct {
	name   string
	make   func() (*changegraph.Graph, *Model)
	blocks []int // ids from, to
}{
	{"one text", typedIn, []int{1, 2}},
	{"many blocks", spread, []int{0, spreadBlocks}},
}

// eachShape runs f with heads that were not asked for before: near the end of
// the history, in its midst, and near its beginning.
func eachShape(b *testing.B, f func(b *testing.B, g *changegraph.Graph, m *Model, heads func() kaijutsu.Heads, id func() ID)) {
	for _, shape := range shapes {
		for _, at := range []struct {
			name     string
			from, to float64
		}{{"recent", 0.98, 0.999}, {"middle", 0.4, 0.6}, {"old", 0.03, 0.1}} {
			b.Run(fmt.Sprintf("%s/%s", shape.name, at.name), func(b *testing.B) {
				g, m := shape.make()
				rng := rand.New(rand.NewSource(1))
				heads := func() kaijutsu.Heads {
					n := float64(g.Len())
					return kaijutsu.Heads{g.Hash(int(n*at.from) + rng.Intn(int(n*(at.to-at.from))))}
				}
				id := func() ID { return testID(shape.blocks[0] + rng.Intn(shape.blocks[1]-shape.blocks[0])) }
				b.ReportAllocs()
				f(b, g, m, heads, id)
			})
		}
	}
}

// cpu returns the processor time of the process: what is measured is the same
// when others are busy.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkContentAt reads a block at heads that nobody asked for before.
func BenchmarkContentAt(b *testing.B) {
	eachShape(b, func(b *testing.B, g *changegraph.Graph, m *Model, heads func() kaijutsu.Heads, id func() ID) {
		bytes := 0
		began := cpu()
		for b.Loop() {
			then, exact, err := m.ContentAt(id(), g.AncestryOf(heads()), graphLog{g})
			if err != nil || !exact {
				b.Fatal(exact, err)
			}
			bytes += len(then.Content)
		}
		b.ReportMetric(float64((cpu()-began).Microseconds())/float64(b.N), "cpu-µs/op")
		b.ReportMetric(float64(bytes)/float64(b.N), "bytes/answer")
	})
}

// BenchmarkFate asks what became of a line.
func BenchmarkFate(b *testing.B) {
	eachShape(b, func(b *testing.B, g *changegraph.Graph, m *Model, heads func() kaijutsu.Heads, id func() ID) {
		stale := 0
		began := cpu()
		for b.Loop() {
			f, exact, err := m.Fate(id(), g.AncestryOf(heads()), graphLog{g}, 1, 1)
			if errors.Is(err, kaijutsu.ErrInvalid) {
				continue // it was empty then
			}
			if err != nil || !exact {
				b.Fatal(exact, err)
			}
			if f.Stale {
				stale++
			}
		}
		b.ReportMetric(float64((cpu()-began).Microseconds())/float64(b.N), "cpu-µs/op")
		b.ReportMetric(float64(stale)/float64(b.N), "stale/op")
	})
}

// BenchmarkModelSize tells what the past takes: what a model of these changes
// holds for each of them.
func BenchmarkModelSize(b *testing.B) {
	for _, shape := range shapes {
		b.Run(shape.name, func(b *testing.B) {
			g, m := shape.make()
			for b.Loop() {
				graves, spans := 0, 0
				for _, o := range m.objects {
					if s, ok := o.(*sequence); ok {
						for sp := s.first; sp != nil; sp = sp.next {
							if spans++; sp.kind == spanDeleted {
								graves += len(sp.text)
							}
						}
					}
				}
				b.ReportMetric(float64(graves), "grave-bytes")
				b.ReportMetric(float64(spans), "spans")
				b.ReportMetric(float64(m.Bytes()), "model-bytes")
				b.ReportMetric(float64(g.Bytes()), "graph-bytes")
			}
		})
	}
}
