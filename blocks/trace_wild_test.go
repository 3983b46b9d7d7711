package blocks

import (
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// wild makes changes of several operations on the tree and the contents of a
// few blocks: legal ones that no editor would make. Three actors write, and
// supersede what they happen to know of.
type wild struct {
	below func(n int) int
	ids   []ID
	next  uint64
	seq   map[kaijutsu.ActorID]uint64
	puts  map[string][]amfile.OpID // by object and key: every operation; Actor as in wildActors
	maps  map[ID][]amfile.OpID     // the blocks made under an id
	seqs  map[ID][]amfile.OpID     // the texts and lists of a block
	elems map[amfile.OpID][]amfile.OpID
}

var wildActors = []kaijutsu.ActorID{"aa", "mm", "zz", genesisActor}

func newWild(blocks int, below func(n int) int) *wild {
	w := &wild{
		below: below, next: Genesis().MaxOp() + 1, seq: make(map[kaijutsu.ActorID]uint64), puts: make(map[string][]amfile.OpID),
		maps: make(map[ID][]amfile.OpID), seqs: make(map[ID][]amfile.OpID), elems: make(map[amfile.OpID][]amfile.OpID),
	}
	for i := range blocks {
		w.ids = append(w.ids, testID(i))
	}
	return w
}

// change makes one; nil when its operations do not fit together.
func (w *wild) change(maxOps int) *amfile.Change {
	author := w.below(3)
	var ops []amfile.Op
	for range 1 + w.below(maxOps) {
		id := amfile.OpID{Counter: w.next + uint64(len(ops)), Actor: uint32(author)}
		ops = append(ops, w.op(id, w.ids[w.below(len(w.ids))]))
	}
	actors := []kaijutsu.ActorID{wildActors[author]}
	index := make([]uint32, 4)
	for i, a := range wildActors {
		if i != author {
			index[i] = uint32(len(actors))
			actors = append(actors, a)
		}
	}
	for i := range ops {
		op := &ops[i]
		op.Obj.Actor, op.Elem.Actor = index[op.Obj.Actor], index[op.Elem.Actor]
		if op.Obj.Counter == 0 {
			op.Obj.Actor = 0
		}
		if op.Elem.Counter == 0 {
			op.Elem.Actor = 0
		}
		op.Pred = slices.Clone(op.Pred)
		for j := range op.Pred {
			op.Pred[j].Actor = index[op.Pred[j].Actor]
		}
	}
	a := wildActors[author]
	c := &amfile.Change{Actors: actors, Seq: w.seq[a] + 1, StartOp: w.next, Time: int64(w.next), Ops: ops}
	w.next += uint64(len(ops)) // also of what is not made: others may name it
	if amfile.EncodeChange(c) != nil {
		return nil
	}
	w.seq[a]++
	return c
}

// op makes an operation on a block.
func (w *wild) op(id amfile.OpID, block ID) amfile.Op {
	page := amfile.OpID{Counter: 4 + uint64(pageOf(string(block))), Actor: 3}
	if len(w.maps[block]) == 0 || w.below(30) == 0 {
		op := amfile.Op{Action: amfile.MakeMap, Obj: page, Key: string(block)}
		w.supersede(&op, id)
		w.maps[block], w.seqs[block] = append(w.maps[block], id), nil
		return op
	}
	recent := func(all []amfile.OpID) amfile.OpID {
		if w.below(6) > 0 {
			return all[len(all)-1]
		}
		return all[len(all)-1-w.below(min(3, len(all)))]
	}
	obj := recent(w.maps[block])
	put := func(key string, v amfile.Value) amfile.Op {
		op := amfile.Op{Action: amfile.Put, Obj: obj, Key: key, Value: v}
		w.supersede(&op, id)
		return op
	}
	word := []string{"", "a", "b", "aa", "é", "😀x", "abab"}[w.below(7)]
	switch n := w.below(40); {
	case n < 8:
		return put("parent", amfile.StringValue(string(w.ids[w.below(len(w.ids))])))
	case n < 10:
		return put("parent", amfile.StringValue([]string{"", "nowhere", "elsewhere"}[w.below(3)]))
	case n < 14:
		return put("order", amfile.StringValue(string(orderDigits[w.below(6)])))
	case n < 17:
		return put("deleted", amfile.BoolValue(w.below(5) < 2))
	case n < 18:
		return put([]string{"status", "kind", "role", "meta"}[w.below(4)], amfile.StringValue([]string{"running", "done", "x", ""}[w.below(4)]))
	case n < 19:
		return put([]string{"collapsed", "excluded", "ephemeral"}[w.below(3)], amfile.BoolValue(w.below(2) == 0))
	case n < 20:
		op := amfile.Op{Action: amfile.Delete, Obj: page, Key: string(block)}
		w.supersede(&op, id)
		if w.below(2) == 0 {
			w.maps[block] = nil
		}
		return op
	case n < 21:
		op := put([]string{"body", "text", "chunks", "parent", "order"}[w.below(5)], amfile.Value{})
		if op.Action = amfile.Delete; len(op.Pred) == 0 {
			return put("body", amfile.StringValue(word))
		}
		return op
	case n < 22:
		return put("body", amfile.StringValue(word))
	case n < 24 || len(w.seqs[block]) == 0:
		op := put([]string{"text", "chunks", "body", "meta", "order"}[w.below(5)], amfile.Value{})
		if op.Action = amfile.MakeText; op.Key == "chunks" {
			op.Action = amfile.MakeList
		}
		w.seqs[block] = append(w.seqs[block], id)
		return op
	}
	seq := recent(w.seqs[block])
	op := amfile.Op{Action: amfile.Put, Obj: seq, Seq: true, Value: amfile.StringValue(word)}
	if w.below(12) == 0 {
		op.Action, op.Value = amfile.MakeText, amfile.Value{}
		w.seqs[block] = append(w.seqs[block], id)
	}
	elems := w.elems[seq]
	if w.below(3) > 0 || len(elems) == 0 {
		op.Insert = true
		if len(elems) > 0 && w.below(6) > 0 {
			op.Elem = recent(elems)
		}
		w.elems[seq] = append(elems, id)
		return op
	}
	op.Elem = elems[w.below(len(elems))]
	name := fmt.Sprint(op.Obj, op.Elem)
	if w.puts[name] == nil {
		w.puts[name] = []amfile.OpID{op.Elem}
	}
	w.some(&op, name)
	if w.below(3) > 0 && len(op.Pred) > 0 {
		op.Action, op.Value = amfile.Delete, amfile.Value{}
	} else {
		w.puts[name] = append(w.puts[name], id)
	}
	return op
}

// supersede lets an operation on a key supersede some of those before it.
func (w *wild) supersede(op *amfile.Op, id amfile.OpID) {
	name := fmt.Sprint(op.Obj, op.Key)
	w.some(op, name)
	w.puts[name] = append(w.puts[name], id)
}

// some fills in predecessors: mostly all there are.
func (w *wild) some(op *amfile.Op, name string) {
	all, mostly := w.puts[name], w.below(4) > 0
	for i, p := range all {
		if mostly || i >= len(all)-3 && w.below(2) == 0 {
			op.Pred = append(op.Pred, p)
		}
	}
	slices.SortFunc(op.Pred, func(a, b amfile.OpID) int {
		if a.Counter != b.Counter {
			return int(a.Counter) - int(b.Counter)
		}
		return int(a.Actor) - int(b.Actor)
	})
	if len(op.Pred) > 40 {
		op.Pred = op.Pred[len(op.Pred)-40:]
	}
}

// TestStepsOfWildTrees traces moves that run in circles, parents that come and
// go, blocks that are made again under their id, and fields in conflict.
func TestStepsOfWildTrees(t *testing.T) {
	for seed := range envInt("KJ_ROUNDS", 60) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rng := rand.New(rand.NewSource(int64(seed)))
			if n := followWild(t, rng.Intn, 600); n < 300 {
				t.Errorf("only %d changes were well formed", n)
			}
		})
	}
}

// FuzzSteps does so with changes made of bytes.
func FuzzSteps(f *testing.F) {
	for seed := range 8 {
		data := make([]byte, 300*(1+seed%4))
		rand.New(rand.NewSource(int64(seed))).Read(data)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		followWild(t, func(n int) int {
			if len(data) == 0 {
				return 0
			}
			b := data[0]
			data = data[1:]
			return int(b) % n
		}, min(len(data)/10, 400))
	})
}

// followWild traces so many changes, next to a model that is traced now and
// then, and returns how many were well formed.
func followWild(t testing.TB, below func(n int) int, count int) int {
	w, x, sometimes := newWild(4+below(12), below), newFollowed(t), NewModel()
	changes := []*amfile.Change{Genesis()}
	x.take(Genesis())
	sometimes.Apply(Genesis())
	most := 1 + below(8)
	for range count {
		c := w.change(most)
		if c == nil {
			continue
		}
		changes = append(changes, c)
		want := x.take(c)
		if below(3) == 0 {
			sometimes.Apply(c)
		} else if _, got := sometimes.Trace(c); !reflect.DeepEqual(got, want) {
			t.Fatalf("traced now and then: %s\nwant %s", show(got), show(want))
		}
	}
	checkModel(t, x.unread)
	x.done(changes)
	return len(changes) - 1
}
