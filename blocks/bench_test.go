package blocks

import (
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/automerge/automerge-go"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// large is a context of 10,000 blocks of 200 characters, half of them records;
// live the same with texts only.
var (
	large = sync.OnceValue(func() [][]byte { return makeLarge(2) })
	live  = sync.OnceValue(func() [][]byte { return makeLarge(0) })
)

// makeLarge makes every block in so many a record, none if it is zero.
func makeLarge(every int) (raws [][]byte) {
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
				if every > 0 && i%every == 0 {
					spec.Kind, spec.Role = KindShellOutput, RoleSystem
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
}

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

// BenchmarkCommit makes changes in a large context and lets the model follow.
// The percentiles are of Commit and Apply together.
func BenchmarkCommit(b *testing.B) {
	bodies := func(m *Model) (ids []ID) {
		for _, block := range m.Blocks() {
			if block.Form == FormBody {
				ids = append(ids, block.ID)
			}
		}
		return ids
	}
	for _, bb := range []struct {
		name string
		f    func(tx *Tx, i int, texts []ID) error
	}{
		{"append a word", func(tx *Tx, i int, texts []ID) error { return tx.AppendText(texts[i*7919%len(texts)], " word") }},
		{"splice in the middle", func(tx *Tx, i int, texts []ID) error {
			return tx.SpliceText(texts[i*7919%len(texts)], 100, 5, "five!")
		}},
		{"edit a line", func(tx *Tx, i int, texts []ID) error {
			return tx.EditLines(texts[i*7919%len(texts)], []LineEdit{{Op: LineInsert, Content: "a line"}})
		}},
		{"insert a record at the end", func(tx *Tx, i int, texts []ID) error {
			return tx.InsertBlock(BlockSpec{ID: NewID(testTime), Role: RoleModel, Content: "a record of some length"})
		}},
		{"insert a text in the middle", func(tx *Tx, i int, texts []ID) error {
			return tx.InsertBlock(BlockSpec{ID: NewID(testTime), Content: "a text of some length", Position: After(texts[len(texts)/2])})
		}},
		{"move a block", func(tx *Tx, i int, texts []ID) error {
			return tx.Move(texts[i*7919%len(texts)], "", After(texts[(i*7919+3001)%len(texts)]))
		}},
	} {
		b.Run(bb.name, func(b *testing.B) { benchmarkCommit(b, bb.f) })
	}
	b.Run("thaw and splice a record", func(b *testing.B) {
		m, _ := largeModel()
		ids := bodies(m)
		benchmarkCommit(b, func(tx *Tx, i int, _ []ID) error { return tx.SpliceText(ids[i%len(ids)], 100, 0, "!") })
	})
	b.Run("append to a text of 100,000 characters", func(b *testing.B) {
		id := NewID(testTime)
		benchmarkCommit(b, func(tx *Tx, i int, _ []ID) error {
			if tx.draft(id) == nil {
				err := tx.InsertBlock(BlockSpec{ID: id, Content: strings.Repeat("x", maxTextRunes)})
				return errors.Join(err, tx.AppendText(id, strings.Repeat("y", maxTextRunes)))
			}
			return tx.AppendText(id, " word")
		})
	})
}

func benchmarkCommit(b *testing.B, f func(tx *Tx, i int, texts []ID) error) {
	m, texts := largeModel()
	last := must(amfile.DecodeChange(large()[len(large())-1]))
	deps := []kaijutsu.ChangeHash{last.Hash}
	var times []time.Duration
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		start := time.Now()
		c := must(m.Commit(CommitOptions{Actor: "agent", Time: testTime, Deps: deps}, func(tx *Tx) error { return f(tx, i, texts) }))
		m.Apply(c)
		times = append(times, time.Since(start))
		deps[0] = c.Hash
		i++
	}
	reportPercentiles(b, times)
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

// BenchmarkMemory measures what the large context takes in the model, whose
// content was read, and in the engine of automerge-go, half of it records and
// all of it live. The engine's is the growth of the process.
func BenchmarkMemory(b *testing.B) {
	for _, doc := range []struct {
		name string
		raws func() [][]byte
	}{{"half records", large}, {"all live", live}} {
		raws := doc.raws()
		b.Run(doc.name+"/model", func(b *testing.B) {
			for b.Loop() {
				before := heap()
				m := NewModel()
				for _, raw := range raws {
					m.Apply(must(amfile.DecodeChange(raw)))
				}
				filled := heap()
				m.Blocks()
				read := heap()
				b.ReportMetric((filled-before)/1e6, "MB-filled")
				b.ReportMetric((read-before)/1e6, "MB-read")
				b.ReportMetric(float64(m.Bytes())/1e6, "MB-estimate")
				runtime.KeepAlive(m)
			}
		})
		b.Run(doc.name+"/engine", func(b *testing.B) {
			for b.Loop() {
				before := resident(b)
				e := must(automerge.Load(slices.Concat(raws...)))
				b.ReportMetric((resident(b)-before)/1e6, "MB")
				runtime.KeepAlive(e)
			}
		})
	}
}

// heap returns the bytes of live objects.
func heap() float64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return float64(s.HeapAlloc)
}

// resident returns the memory of the process, Go's free memory given back.
func resident(b *testing.B) float64 {
	debug.FreeOSMemory()
	fields := strings.Fields(string(readFile(b, "/proc/self/statm")))
	return float64(must(strconv.Atoi(fields[1])) * os.Getpagesize())
}
