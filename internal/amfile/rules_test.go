package amfile

import (
	"bytes"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"kaijutsu"
)

// wantRule demands that err is a RuleError for the rule.
func wantRule(t *testing.T, err error, rule int) {
	t.Helper()
	var broken *RuleError
	if !errors.As(err, &broken) || broken.Rule != rule {
		t.Errorf("error = %v, want rule %d", err, rule)
	}
	if err != nil && !errors.Is(err, kaijutsu.ErrInvalid) && !errors.Is(err, kaijutsu.ErrTooLarge) {
		t.Errorf("error = %v, want ErrInvalid or ErrTooLarge", err)
	}
}

// The operations of the document that the rules are tried on, all by "past".
const (
	aMap = iota + 1
	aList
	aText
	aKey         // put 1 under "x" of the root
	aCounter     // counter under "n" of the root
	anElement    // 1 in the list
	aChar        // "a" in the text
	anotherChar  // "b" after it
	aMark        // begins before "a"
	aMarkEnd     // ends after "b"
	aDeletion    // of the key "gone"
	anIncrement  // of the counter
	anUpdate     // of the element
	somethingOff // by "off", not in the past of what is tried
)

const past = 1 // index of the actor "past" in the changes below

func id(counter uint64) OpID { return OpID{counter, past} }

func tryOn(t *testing.T) (*history, *Change) {
	h := newHistory()
	first := &Change{
		Actors: []kaijutsu.ActorID{"past"}, Seq: 1, StartOp: 1,
		Ops: []Op{
			{Action: MakeMap, Key: "map"},
			{Action: MakeList, Key: "list"},
			{Action: MakeText, Key: "text"},
			{Action: Put, Key: "x", Value: IntValue(1)},
			{Action: Put, Key: "n", Value: CounterValue(1)},
			{Action: Put, Obj: OpID{aList, 0}, Seq: true, Insert: true, Value: IntValue(1)},
			{Action: Put, Obj: OpID{aText, 0}, Seq: true, Insert: true, Value: StringValue("a")},
			{Action: Put, Obj: OpID{aText, 0}, Seq: true, Elem: OpID{aChar, 0}, Insert: true, Value: StringValue("b")},
			{Action: Mark, Obj: OpID{aText, 0}, Seq: true, Insert: true, MarkBegin: true, MarkName: "bold", Value: BoolValue(true)},
			{Action: Mark, Obj: OpID{aText, 0}, Seq: true, Elem: OpID{anotherChar, 0}, Insert: true, Expand: true},
			{Action: Delete, Key: "x", Pred: []OpID{{aKey, 0}}},
			{Action: Increment, Key: "n", Value: IntValue(2), Pred: []OpID{{aCounter, 0}}},
			{Action: Put, Obj: OpID{aList, 0}, Seq: true, Elem: OpID{anElement, 0}, Value: IntValue(2), Pred: []OpID{{anElement, 0}}},
		},
	}
	off := &Change{
		Actors: []kaijutsu.ActorID{"off", "past"}, Seq: 1, StartOp: somethingOff,
		Ops: []Op{
			{Action: MakeMap, Key: "off"},
			{Action: Put, Obj: id(aText), Seq: true, Insert: true, Value: StringValue("o")},
			{Action: Mark, Obj: id(aText), Seq: true, Elem: id(aChar), Insert: true, MarkBegin: true, MarkName: "off", Value: BoolValue(true)},
			{Action: Mark, Obj: id(aText), Seq: true, Elem: id(anotherChar), Insert: true},
		},
	}
	for _, c := range []*Change{first, off} {
		if c == off {
			c.Deps = []kaijutsu.ChangeHash{first.Hash}
		}
		if err := EncodeChange(c); err != nil {
			t.Fatal(err)
		}
		if err := h.add(c); err != nil {
			t.Fatal(err)
		}
	}
	return h, &Change{
		Actors: []kaijutsu.ActorID{"new", "past", "off"}, Seq: 1, StartOp: 100,
		Deps: []kaijutsu.ChangeHash{first.Hash},
		Ops:  []Op{{Action: Put, Obj: id(aMap), Key: "k", Value: IntValue(1)}},
	}
}

func TestRules(t *testing.T) {
	text := func(op Op) Op {
		op.Obj, op.Seq = id(aText), true
		return op
	}
	char := func(elem OpID, s string) Op {
		return text(Op{Action: Put, Elem: elem, Insert: true, Value: StringValue(s)})
	}
	begin := func(elem OpID) Op {
		return text(Op{Action: Mark, Elem: elem, Insert: true, MarkBegin: true, MarkName: "em", Value: BoolValue(true)})
	}
	end := func(elem OpID) Op { return text(Op{Action: Mark, Elem: elem, Insert: true}) }
	put := func(key string, pred ...OpID) Op {
		return Op{Action: Put, Key: key, Value: IntValue(1), Pred: pred}
	}
	ops := func(ops ...Op) func(*Change) { return func(c *Change) { c.Ops = ops } }
	own := func(i uint64) OpID { return OpID{100 + i, 0} }

	for _, c := range []struct {
		name string
		rule int // 0: accepted
		make func(*Change)
	}{
		{"a put", 0, func(*Change) {}},
		{"no operations", 0, ops()},
		{"empty key", 0, ops(put(""))},
		{"key with NUL", 0, ops(put("\x00"))},
		{"derived actor of 69 bytes", 0, func(c *Change) { c.Actors[0] = kaijutsu.ActorID(strings.Repeat("a", 69)) }},
		{"negative time", 0, func(c *Change) { c.Time = -5 }},
		{"author footer", 0, func(c *Change) { c.Extra = []byte{1, 2, 0xab, 0xcd} }},
		{"block marker", 0, ops(text(Op{Action: MakeMap, Insert: true, Elem: id(aChar)}))},
		{"mark", 0, ops(begin(id(aChar)), end(id(anotherChar)))},
		{"mark of nothing", 0, ops(begin(id(aChar)), end(own(0)))},
		{"mark over own text", 0, ops(char(id(anotherChar), "x"), begin(id(anotherChar)), end(own(0)))},
		{"after a mark", 0, ops(char(id(aMark), "x"))},
		{"after a mark outside the past", 0, ops(char(OpID{somethingOff + 2, 2}, "x"))},
		{"put, delete, put again", 0, ops(put("k"), Op{Action: Delete, Key: "k", Pred: []OpID{own(0)}}, put("k"))},
		{"increment of a counter among others", 0, ops(put("n"), Op{Action: Increment, Key: "n", Value: UintValue(2), Pred: []OpID{id(aCounter), own(0)}})},
		{"update of an updated element", 0, ops(Op{Action: Put, Obj: id(aList), Seq: true, Elem: id(anElement), Pred: []OpID{id(anUpdate)}})},
		{"delete of an element", 0, ops(Op{Action: Delete, Obj: id(aList), Seq: true, Elem: id(anElement), Pred: []OpID{id(anElement), id(anUpdate)}})},

		{"no actor bytes", 7, func(c *Change) { c.Actors[0] = "" }},
		{"long actor", 7, func(c *Change) { c.Actors[0] = kaijutsu.ActorID(strings.Repeat("a", MaxActorBytes+1)) }},
		{"seq 0", 9, func(c *Change) { c.Seq = 0 }},
		{"seq 2^53", 9, func(c *Change) { c.Seq = 1 << 53 }},
		{"many dependencies", 10, func(c *Change) {
			for i := range MaxDeps {
				c.Deps = append(c.Deps, kaijutsu.ChangeHash{1: byte(i >> 8), 2: byte(i), 31: 1})
			}
		}},
		{"startOp 0", 12, func(c *Change) { c.Ops, c.StartOp = nil, 0 }},
		{"counter 2^31", 12, func(c *Change) { c.StartOp = 1 << 31 }},
		{"time 2^53", 13, func(c *Change) { c.Time = 1 << 53 }},
		{"time -2^53", 13, func(c *Change) { c.Time = -1 << 53 }},
		{"long message", 14, func(c *Change) { c.Message = strings.Repeat("m", MaxMessageBytes+1) }},
		{"message not UTF-8", 14, func(c *Change) { c.Message = "\xff" }},
		{"key not UTF-8", 14, ops(put("\xed\xa0\x80"))},
		{"long key", 14, ops(put(strings.Repeat("k", MaxKeyBytes+1)))},
		{"string value not UTF-8", 14, ops(Op{Action: Put, Key: "k", Value: Value{String, []byte{0xc0}}})},
		{"long value", 14, ops(Op{Action: Put, Key: "k", Value: BytesValue(make([]byte, MaxValueBytes+1))})},
		{"table", 15, ops(Op{Action: MakeTable, Key: "k"})},
		{"action 8", 15, ops(Op{Action: 8, Key: "k"})},
		{"unknown value type", 16, ops(Op{Action: Put, Key: "k", Value: Value{Type: 10}})},
		{"null with a length", 16, ops(Op{Action: Put, Key: "k", Value: Value{Null, []byte{0}}})},
		{"short float", 16, ops(Op{Action: Put, Key: "k", Value: Value{Float, make([]byte, 7)}})},
		{"overlong uint", 16, ops(Op{Action: Put, Key: "k", Value: Value{Uint, []byte{0x80, 0}}})},
		{"int and more", 16, ops(Op{Action: Put, Key: "k", Value: Value{Int, []byte{1, 1}}})},
		{"empty int", 16, ops(Op{Action: Put, Key: "k", Value: Value{Int, nil}})},
		{"make with a value", 16, ops(Op{Action: MakeMap, Key: "k", Value: IntValue(1)})},
		{"delete with a value", 16, ops(Op{Action: Delete, Key: "x", Value: IntValue(1), Pred: []OpID{id(aKey)}})},
		{"increment by a float", 16, ops(Op{Action: Increment, Key: "n", Value: FloatValue(1), Pred: []OpID{id(aCounter)}})},
		{"unknown object", 17, ops(Op{Action: Put, Obj: id(50), Key: "k"})},
		{"object outside the past", 17, ops(Op{Action: Put, Obj: OpID{somethingOff, 2}, Key: "k"})},
		{"object that is a value", 17, ops(Op{Action: Put, Obj: id(aKey), Key: "k"})},
		{"object made later", 17, ops(Op{Action: Put, Obj: own(1), Key: "k"}, Op{Action: MakeMap, Key: "m"})},
		{"object is itself", 17, ops(Op{Action: MakeMap, Obj: own(0), Key: "k"})},
		{"key in a list", 18, ops(Op{Action: Put, Obj: id(aList), Key: "k"})},
		{"key in a text", 18, ops(Op{Action: Put, Obj: id(aText), Key: "k"})},
		{"element of a map", 18, ops(Op{Action: Put, Obj: id(aMap), Seq: true, Insert: true})},
		{"element of the root", 18, ops(Op{Action: Put, Seq: true, Insert: true})},
		{"insertion under a key", 18, ops(Op{Action: Put, Key: "k", Insert: true})},
		{"update of the head", 19, ops(Op{Action: Put, Obj: id(aList), Seq: true})},
		{"unknown element", 19, ops(char(id(60), "x"))},
		{"element of another object", 19, ops(char(id(anElement), "x"))},
		{"element that is an update", 19, ops(Op{Action: Put, Obj: id(aList), Seq: true, Insert: true, Elem: id(anUpdate)})},
		{"element outside the past", 19, ops(char(OpID{somethingOff + 1, 2}, "x"))},
		{"update of a mark outside the past", 19, ops(text(Op{Action: Delete, Elem: OpID{somethingOff + 2, 2}, Pred: []OpID{{somethingOff + 2, 2}}}))},
		{"element is itself", 19, ops(char(own(0), "x"))},
		{"insertion with a predecessor", 20, ops(text(Op{Action: Put, Insert: true, Value: StringValue("x"), Pred: []OpID{id(aChar)}}))},
		{"insertion that deletes", 20, ops(text(Op{Action: Delete, Insert: true}))},
		{"insertion that increments", 20, ops(text(Op{Action: Increment, Insert: true, Value: IntValue(1)}))},
		{"predecessor is itself", 21, ops(put("k", own(0)))},
		{"predecessor unknown", 21, ops(put("k", id(60)))},
		{"predecessor outside the past", 21, ops(put("off", OpID{somethingOff, 2}))},
		{"predecessor under another key", 21, ops(put("y", id(aKey)))},
		{"predecessor in another object", 21, ops(Op{Action: Put, Obj: id(aMap), Key: "x", Pred: []OpID{id(aKey)}})},
		{"predecessor at another element", 21, ops(text(Op{Action: Delete, Elem: id(aChar), Pred: []OpID{id(anotherChar)}}))},
		{"predecessor is a deletion", 21, ops(put("x", id(aDeletion)))},
		{"predecessor is an increment", 21, ops(put("n", id(anIncrement)))},
		{"predecessor is a mark", 21, ops(text(Op{Action: Delete, Elem: id(aMark), Pred: []OpID{id(aMark)}}))},
		{"predecessor twice", 21, ops(put("x", id(aKey), id(aKey)))},
		{"blind delete", 22, ops(Op{Action: Delete, Key: "x"})},
		{"blind increment", 22, ops(Op{Action: Increment, Key: "n", Value: IntValue(1)})},
		{"increment of a number", 22, ops(Op{Action: Increment, Key: "x", Value: IntValue(1), Pred: []OpID{id(aKey)}})},
		{"put twice", 23, ops(put("k"), put("k"))},
		{"put twice over the same", 23, ops(put("x", id(aKey)), put("x", id(aKey)))},
		{"make over a put", 23, ops(put("k"), Op{Action: MakeMap, Key: "k"})},
		{"element updated twice", 23, ops(
			text(Op{Action: Put, Elem: id(aChar), Value: StringValue("x"), Pred: []OpID{id(aChar)}}),
			text(Op{Action: Put, Elem: id(aChar), Value: StringValue("x"), Pred: []OpID{id(aChar)}}))},
		{"mark under a key", 24, ops(Op{Action: Mark, Key: "k", MarkBegin: true, MarkName: "m"})},
		{"mark that is not inserted", 24, ops(text(Op{Action: Mark, Elem: id(aChar), MarkBegin: true, MarkName: "m"}))},
		{"mark in a list", 24, ops(Op{Action: Mark, Obj: id(aList), Seq: true, Insert: true, MarkBegin: true, MarkName: "m"})},
		{"mark name on a put", 24, ops(Op{Action: Put, Key: "k", MarkBegin: true, MarkName: "m"})},
		{"expand on a put", 24, ops(Op{Action: Put, Key: "k", Expand: true})},
		{"lone mark end", 24, ops(end(id(aChar)))},
		{"mark end not after its begin", 24, ops(begin(OpID{}), char(id(aChar), "x"), end(own(1)))},
		{"mark end in another text", 24, ops(Op{Action: MakeText, Key: "t"}, begin(OpID{}), Op{Action: Mark, Obj: own(0), Seq: true, Insert: true})},
		{"mark end with a value", 24, ops(begin(OpID{}), func() Op { op := end(id(aChar)); op.Value = IntValue(1); return op }())},
		{"mark end before its begin", 24, ops(begin(id(anotherChar)), end(id(aChar)))},
		{"mark end beside its begin", 24, ops(begin(id(aChar)), end(id(aChar)))},
		{"list in a text", 25, ops(text(Op{Action: MakeList, Insert: true}))},
		{"number in a text", 25, ops(text(Op{Action: Put, Insert: true, Value: IntValue(1)}))},
		{"word in a text", 25, ops(char(OpID{}, "hello"))},
		{"nothing in a text", 25, ops(char(OpID{}, ""))},
		{"unknown footer", 26, func(c *Change) { c.Extra = []byte{2, 1, 0xff} }},
		{"footer cut short", 26, func(c *Change) { c.Extra = []byte{1, 2, 0xab} }},
		{"footer and more", 26, func(c *Change) { c.Extra = []byte{1, 1, 0xab, 0} }},
		{"long footer", 26, func(c *Change) { c.Extra = append([]byte{1, 0xff, 2}, make([]byte, 383)...) }},
		{"footer later", 26, func(c *Change) { c.Seq, c.Extra = 2, []byte{1, 1, 0xab} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, change := tryOn(t)
			c.make(change)
			want := func(err error) {
				t.Helper()
				if c.rule == 0 && err != nil {
					t.Error(err)
				}
				if c.rule != 0 {
					wantRule(t, err, c.rule)
				}
			}
			byEncoder := *change
			if byEncoder.Ops = slices.Clone(change.Ops); EncodeChange(&byEncoder) == nil {
				want(h.add(&byEncoder))
			} else {
				want(EncodeChange(&byEncoder))
			}
			if change.StartOp == 0 || !encodeUnchecked(change) {
				return
			}
			want(accept(h, change.Raw))
		})
	}
}

func TestRulesOnBytes(t *testing.T) {
	_, good := tryOn(t)
	if err := EncodeChange(good); err != nil {
		t.Fatal(err)
	}
	body := func(edit func([]byte) []byte) []byte {
		_, b, err := readChange(good.Raw)
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := appendChunk(nil, ChunkChange, edit(slices.Clone(b)))
		return raw
	}
	replace := func(old, new string) []byte {
		return body(func(b []byte) []byte {
			from, _ := hex.DecodeString(old)
			to, _ := hex.DecodeString(new)
			if bytes.Count(b, from) != 1 {
				t.Fatalf("%d times %s in %x", bytes.Count(b, from), old, b)
			}
			return bytes.Replace(b, from, to, 1)
		})
	}
	raw := func(edit func([]byte) []byte) []byte { return edit(slices.Clone(good.Raw)) }
	deflated := func(typ ChunkType, behind string) []byte {
		_, b, _ := readChange(good.Raw)
		var out bytes.Buffer
		deflate(&out, b)
		out.WriteString(behind)
		chunk, _ := appendChunk(nil, typ, out.Bytes())
		copy(chunk[4:8], good.Hash[:4])
		return chunk
	}
	bomb := func(size int) []byte {
		var out bytes.Buffer
		deflate(&out, make([]byte, size))
		chunk, _ := appendChunk(nil, ChunkDeflated, out.Bytes())
		return chunk
	}
	if _, err := DecodeChange(deflated(ChunkDeflated, "")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		rule  int
		chunk []byte
	}{
		{"nothing", 1, nil},
		{"magic", 1, raw(func(b []byte) []byte { b[0] ^= 1; return b })},
		{"checksum", 1, raw(func(b []byte) []byte { b[5] ^= 1; return b })},
		{"checksum of deflated", 1, func() []byte { b := deflated(ChunkDeflated, ""); b[5] ^= 1; return b }()},
		{"byte behind", 1, raw(func(b []byte) []byte { return append(b, 0) })},
		{"cut short", 3, raw(func(b []byte) []byte { return b[:len(b)-1] })},
		{"document", 1, raw(func(b []byte) []byte { b[8] = 0; return b })},
		{"bundle", 1, raw(func(b []byte) []byte { b[8] = 3; return b })},
		{"type 4", 1, raw(func(b []byte) []byte { b[8] = 4; return b })},
		{"garbage behind deflated", 2, deflated(ChunkDeflated, "x")},
		{"not deflated", 2, raw(func(b []byte) []byte { b[8] = 2; return b })},
		{"deflate bomb", 2, bomb(MaxChunkBytes + 1)},
		{"deflate ratio", 2, bomb(2 << 20)},
		{"overlong seq", 3, replace("036e657701", "036e65778100")},
		{"more others than bytes", 3, replace("010470617374", "ff7f0470617374")},
		{"unknown column", 4, replace("5701", "5801")},
		{"column twice", 4, replace("34014202", "34013402")},
		{"columns out of order", 4, replace("34014202", "42023401")},
		{"empty column", 4, replace("3401", "3400")},
		{"deflated column", 4, replace("1503", "1d03")},
		{"group without members", 21, replace("7f14017f00", "7f14017f01")},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := DecodeChange(c.chunk)
			wantRule(t, err, c.rule)
		})
	}
}

func TestAnElementMayComeLater(t *testing.T) {
	for _, c := range []struct {
		name string
		op   Op
		want GlobalID
	}{
		{"insertion", Op{Action: Put, Elem: OpID{60, past}, Insert: true, Value: StringValue("x")}, GlobalID{60, "past"}},
		{"deletion", Op{Action: Delete, Elem: OpID{60, past}, Pred: []OpID{{60, past}}}, GlobalID{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, change := tryOn(t)
			c.op.Obj, c.op.Seq = id(aText), true
			change.Ops = []Op{c.op}
			if err := EncodeChange(change); err != nil {
				t.Fatal(err)
			}
			var rule *RuleError
			if err := h.add(change); !errors.As(err, &rule) || rule.Rule != 19 || rule.Awaits != c.want {
				t.Errorf("error = %#v, want rule 19 that awaits %v", err, c.want)
			}
		})
	}
}
