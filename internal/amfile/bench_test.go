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
