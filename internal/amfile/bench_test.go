package amfile

import (
	"testing"

	"kaijutsu"
)

// keystroke is one character typed at the end of a text by an actor with a
// usual id, after one other change.
func keystroke(tb testing.TB) *Change {
	actor := kaijutsu.ActorID("0123456789abcdef")
	other := kaijutsu.ActorID("ABCDEFGHIJKLMNOP")
	c := &Change{
		Actors: []kaijutsu.ActorID{actor, other}, Seq: 4711, StartOp: 123456, Time: 1700000000,
		Deps: []kaijutsu.ChangeHash{{1, 2, 3}},
		Ops: []Op{{
			Action: Put, Obj: OpID{17, 1}, Seq: true, Elem: OpID{123455, 0}, Insert: true, Value: StringValue("a"),
		}},
	}
	if err := EncodeChange(c); err != nil {
		tb.Fatal(err)
	}
	return c
}

func BenchmarkDecodeChangeKeystroke(b *testing.B) {
	raw := keystroke(b).Raw
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeChange(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeHeaderKeystroke(b *testing.B) {
	raw := keystroke(b).Raw
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeHeader(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeChangeKeystroke(b *testing.B) {
	c := keystroke(b)
	b.ReportAllocs()
	for b.Loop() {
		if err := EncodeChange(c); err != nil {
			b.Fatal(err)
		}
	}
}

// paste is n characters put into a text in one change.
func paste(tb testing.TB, n int) *Change {
	c := keystroke(tb)
	for i := 1; i < n; i++ {
		op := c.Ops[0]
		op.Elem, op.Value = OpID{c.StartOp + uint64(i) - 1, 0}, StringValue(string(rune('a'+i%26)))
		c.Ops = append(c.Ops, op)
	}
	if err := EncodeChange(c); err != nil {
		tb.Fatal(err)
	}
	return c
}

func BenchmarkDecodeChangePaste10k(b *testing.B) {
	raw := paste(b, 10_000).Raw
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeChange(raw); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCheck is what the rules on the causal past cost, with a past in a
// map.
func BenchmarkCheck(b *testing.B) {
	actor := kaijutsu.ActorID("0123456789abcdef")
	text := &Change{
		Actors: []kaijutsu.ActorID{actor}, Seq: 1, StartOp: 1,
		Ops: []Op{{Action: MakeText, Key: "text"}},
	}
	for i := range uint64(1000) {
		elem := OpID{i + 1, 0}
		if i == 0 {
			elem = OpID{}
		}
		text.Ops = append(text.Ops, Op{Action: Put, Obj: OpID{1, 0}, Seq: true, Elem: elem, Insert: true, Value: StringValue("x")})
	}
	h := newHistory()
	if err := EncodeChange(text); err != nil {
		b.Fatal(err)
	}
	if err := h.add(text); err != nil {
		b.Fatal(err)
	}
	past := testPast{h, h.clocks[text.Hash]}
	for _, bench := range []struct {
		name string
		ops  []Op
	}{
		{"keystroke", []Op{{Action: Put, Elem: OpID{900, 0}, Insert: true, Value: StringValue("x")}}},
		{"deletion", []Op{{Action: Delete, Elem: OpID{900, 0}, Pred: []OpID{{900, 0}}}}},
		{"mark over 100", []Op{
			{Action: Mark, Elem: OpID{500, 0}, Insert: true, MarkBegin: true, MarkName: "bold", Value: BoolValue(true)},
			{Action: Mark, Elem: OpID{600, 0}, Insert: true},
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			c := &Change{Actors: []kaijutsu.ActorID{actor}, Deps: []kaijutsu.ChangeHash{text.Hash}, Seq: 2, StartOp: 2000, Ops: bench.ops}
			for i := range c.Ops {
				c.Ops[i].Obj, c.Ops[i].Seq = OpID{1, 0}, true
			}
			if err := EncodeChange(c); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := c.Check(past); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
