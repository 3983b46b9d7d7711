package blocks

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// large is a context of 10,000 blocks of 200 characters, half of them records.
var large = sync.OnceValue(func() (raws [][]byte) {
	m := NewModel()
	m.Apply(Genesis())
	raws = append(raws, Genesis().Raw)
	deps := []kaijutsu.ChangeHash{Genesis().Hash}
	content := strings.Repeat("0123456789", 20)
	for change := range 100 {
		opt := CommitOptions{Actor: "builder", Time: testTime, Deps: deps}
		c := must(m.Commit(opt, func(tx *Tx) error {
			for i := range 100 {
				spec := BlockSpec{ID: NewID(testTime.Add(time.Duration(change*100+i) * time.Millisecond)), Content: content}
				if i%2 == 0 {
					spec.Kind, spec.Role = KindToolResult, RoleTool
				}
				if err := tx.InsertBlock(spec); err != nil {
					return err
				}
			}
			return nil
		}))
		raws = append(raws, c.Raw)
		deps = []kaijutsu.ChangeHash{c.Hash}
		m.Apply(c)
	}
	return raws
})

// largeModel returns the model of the large context and its text blocks.
func largeModel() (*Model, []ID) {
	m := NewModel()
	for _, raw := range large() {
		m.Apply(must(amfile.DecodeChange(raw)))
	}
	var texts []ID
	for _, b := range m.Blocks() {
		if b.Form == FormText {
			texts = append(texts, b.ID)
		}
	}
	return m, texts
}

// textOf returns the text of a block.
func textOf(m *Model, id ID) *sequence {
	return last(m.blocks[id].fields, fieldText).seq
}

// reportPercentiles adds the 50th and 99th percentile to a benchmark.
func reportPercentiles(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e3, "p50-µs")
	b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds())/1e3, "p99-µs")
}

// BenchmarkModelApply applies keystrokes: one character at the end of a text,
// one change each.
func BenchmarkModelApply(b *testing.B) {
	for _, where := range []string{"in a large context", "into a text of 100,000 characters"} {
		b.Run(where, func(b *testing.B) {
			m, texts := largeModel()
			at := texts[len(texts)/2]
			text := textOf(m, at)
			id, last := text.id, text.first
			op := amfile.Op{
				Action: amfile.Put, Obj: amfile.OpID{Counter: uint64(id.counter), Actor: 1}, Seq: true, Insert: true,
				Elem: amfile.OpID{Counter: uint64(last.id.counter + last.n - 1), Actor: 1}, Value: amfile.StringValue("x"),
			}
			c := &amfile.Change{Actors: []kaijutsu.ActorID{"typist", "builder"}, Seq: 1, StartOp: 2_000_000, Ops: []amfile.Op{op}}
			m.Apply(c)
			key := 0
			type1 := func() {
				key++
				op.Elem = amfile.OpID{Counter: c.StartOp}
				c = &amfile.Change{Actors: c.Actors, Seq: c.Seq + 1, StartOp: c.StartOp + 1, Ops: []amfile.Op{op}}
				m.Apply(c)
			}
			if strings.HasPrefix(where, "into") {
				for range 100_000 {
					type1()
				}
			}
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				type1()
			}
		})
	}
}

// BenchmarkModelFill decodes and applies a large context from the beginning.
func BenchmarkModelFill(b *testing.B) {
	raws := large()
	for b.Loop() {
		m := NewModel()
		for _, raw := range raws {
			m.Apply(must(amfile.DecodeChange(raw)))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000/1e3, "µs/block")
}

// BenchmarkBlocks lists the 10,000 blocks of a large context.
func BenchmarkBlocks(b *testing.B) {
	m, texts := largeModel()
	b.Run("unchanged", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m.Blocks()
		}
	})
	b.Run("after a keystroke", func(b *testing.B) {
		s := textOf(m, texts[0])
		for b.Loop() {
			s.clean = false
			m.Blocks()
		}
	})
	b.Run("after an insert", func(b *testing.B) {
		for b.Loop() {
			m.tree.invalid = true
			m.Blocks()
		}
	})
}

// BenchmarkModelMemory measures the heap that the model of a large context
// takes, before and after its content was read, and what Bytes says.
func BenchmarkModelMemory(b *testing.B) {
	raws := large()
	heap := func() float64 {
		runtime.GC()
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return float64(s.HeapAlloc)
	}
	for b.Loop() {
		before := heap()
		m := NewModel()
		for _, raw := range raws {
			m.Apply(must(amfile.DecodeChange(raw)))
		}
		filled := heap()
		for _, block := range m.Blocks() {
			_ = block
		}
		read := heap()
		b.ReportMetric((filled-before)/1e6, "MB-filled")
		b.ReportMetric((read-before)/1e6, "MB-read")
		b.ReportMetric(float64(m.Bytes())/1e6, "MB-estimate")
		runtime.KeepAlive(m)
	}
}
