package amfile

import (
	"testing"

	"kaijutsu"
)

func TestCountOps(t *testing.T) {
	small := &Change{Actors: []kaijutsu.ActorID{"\xaa"}, Seq: 1, StartOp: 1, Ops: []Op{{Action: Put, Key: "x", Value: IntValue(1)}, {Action: MakeText, Key: "t"}}}
	if err := EncodeChange(small); err != nil {
		t.Fatal(err)
	}
	bomb := &Change{Actors: []kaijutsu.ActorID{"\xaa"}, Seq: 1, StartOp: 1, Ops: []Op{{Action: MakeList, Key: "l"}}}
	for range FreeOps {
		bomb.Ops = append(bomb.Ops, Op{Action: Put, Obj: OpID{Counter: 1}, Seq: true, Insert: true})
	}
	if err := EncodeChange(bomb); err != nil {
		t.Fatal(err)
	}
	deflated := append([]byte(nil), small.Raw...)
	deflated[chunkPrefixBytes-1] = byte(ChunkDeflated)
	tests := []struct {
		name  string
		chunk []byte
		want  int
	}{
		{"two operations", small.Raw, 2},
		{"many in a few bytes", bomb.Raw, FreeOps + 1},
		{"nothing", nil, MaxOps},
		{"cut off", small.Raw[:len(small.Raw)-3], MaxOps},
		{"deflated", deflated, MaxOps},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := CountOps(test.chunk); got != test.want {
				t.Errorf("CountOps of %d bytes = %d, want %d", len(test.chunk), got, test.want)
			}
		})
	}
}

// TestDensity refuses changes that make far more than they have bytes for, and
// takes those that delete as much.
func TestDensity(t *testing.T) {
	elements := func(n int, op Op) []Op {
		ops := []Op{{Action: MakeList, Key: "l"}}
		for range n {
			ops = append(ops, op)
		}
		return ops
	}
	null := Op{Action: Put, Obj: OpID{Counter: 1}, Seq: true, Insert: true}
	one := null
	one.Value = IntValue(1)
	deletes := []Op{}
	for i := range 300_000 {
		id := OpID{Counter: uint64(2 + i), Actor: 1}
		deletes = append(deletes, Op{Action: Delete, Obj: OpID{Counter: 1, Actor: 1}, Seq: true, Elem: id, Pred: []OpID{id}})
	}
	tests := []struct {
		name string
		ops  []Op
		want bool
	}{
		{"a few nulls", elements(FreeOps, null), true},
		{"many nulls", elements(FreeOps+500, null), false},
		{"as many numbers", elements(300_000, one), true},
		{"as many deletes", deletes, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := &Change{Actors: []kaijutsu.ActorID{"\xaa", "\xbb"}, Seq: 1, StartOp: 400_000, Ops: test.ops}
			for i := range c.Ops {
				if c.Ops[i].Obj.Counter == 1 && c.Ops[i].Obj.Actor == 0 {
					c.Ops[i].Obj.Counter = c.StartOp
				}
			}
			err := EncodeChange(c)
			if err == nil {
				_, err = DecodeChange(c.Raw)
			}
			if (err == nil) != test.want {
				t.Errorf("%d operations: %v, want taken %v", len(test.ops), err, test.want)
			}
		})
	}
}

func BenchmarkCountOps(b *testing.B) {
	c := &Change{Actors: []kaijutsu.ActorID{"\xaa"}, Seq: 1, StartOp: 1, Ops: []Op{{Action: Put, Key: "x", Value: IntValue(1)}}}
	if err := EncodeChange(c); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		CountOps(c.Raw)
	}
}
