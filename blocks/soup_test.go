package blocks

import (
	"fmt"
	"math/rand"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// TestModelSurvivesAnyChange applies operations that are well formed each by
// itself and nonsense together: unknown objects, elements and predecessors,
// fields of every type, keys of lists and elements of maps.
func TestModelSurvivesAnyChange(t *testing.T) {
	for seed := range envInt("KJ_ROUNDS", 40) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rng := rand.New(rand.NewSource(int64(seed)))
			h := newHandmade(t)
			applied := 0
			for range 1500 {
				if h.applySoup(rng) {
					applied++
				}
				if rng.Intn(20) == 0 {
					for _, b := range h.model.Blocks() {
						if one, ok := h.model.Block(b.ID); !ok || one != b {
							t.Fatalf("Block(%s) = %+v, %v, want %+v", b.ID, one, ok, b)
						}
					}
					checkModel(t, h.model)
				}
			}
			if applied < 500 || h.model.Title() == "never" {
				t.Errorf("only %d changes were well formed", applied)
			}
		})
	}
}

// applySoup applies one random operation, if it is well formed.
func (h *handmade) applySoup(rng *rand.Rand) bool {
	others := []kaijutsu.ActorID{"aa", "mm", "zz", genesisActor}
	author := others[rng.Intn(3)]
	actors := []kaijutsu.ActorID{author}
	for _, a := range others {
		if a != author {
			actors = append(actors, a)
		}
	}
	anyOp := func() amfile.OpID {
		if rng.Intn(3) == 0 {
			return amfile.OpID{Counter: 1 + uint64(rng.Intn(67)), Actor: 3}
		}
		return amfile.OpID{Counter: h.next - min(h.next-1, 1+uint64(rng.Intn(60))), Actor: uint32(rng.Intn(3))}
	}
	ids := []ID{testID(1), testID(2), testID(3)}
	id := ids[rng.Intn(len(ids))]
	keys := append([]string{"schema", "title", "pages", "foreign", id.Page(), string(id), string(id), string(id)}, fieldKeys[:]...)
	values := []amfile.Value{
		amfile.StringValue("a"), amfile.StringValue(""), amfile.StringValue("long é"), amfile.StringValue(string(ids[rng.Intn(3)])),
		amfile.BoolValue(true), amfile.NullValue(), amfile.UintValue(1), amfile.FloatValue(1), amfile.CounterValue(1), amfile.StringValue("done"),
	}
	op := amfile.Op{
		Action: []amfile.Action{amfile.Put, amfile.Put, amfile.Put, amfile.MakeMap, amfile.MakeMap, amfile.MakeList, amfile.MakeText, amfile.Delete, amfile.Increment}[rng.Intn(9)],
	}
	switch rng.Intn(8) {
	case 0: // the root map
	case 1:
		op.Obj = amfile.OpID{Counter: 3, Actor: 3}
	case 2, 3:
		op.Obj = amfile.OpID{Counter: 4 + uint64(pageOf(string(id))), Actor: 3}
	default:
		op.Obj = anyOp()
	}
	if rng.Intn(2) == 0 && op.Obj.Counter != 0 {
		op.Seq, op.Insert = true, rng.Intn(3) > 0
		if !op.Insert || rng.Intn(4) > 0 {
			op.Elem = anyOp()
		}
	} else {
		op.Key = keys[rng.Intn(len(keys))]
	}
	if op.Action == amfile.Put {
		op.Value = values[rng.Intn(len(values))]
	}
	if op.Action == amfile.Increment {
		op.Value = amfile.IntValue(1)
	}
	for n := rng.Intn(3); n > 0 && !op.Insert; n-- {
		op.Pred = append(op.Pred, anyOp())
	}
	h.seq[author]++
	c := &amfile.Change{Actors: actors, Seq: h.seq[author], StartOp: h.next, Time: 1, Ops: []amfile.Op{op}}
	if amfile.EncodeChange(c) != nil {
		h.seq[author]--
		return false
	}
	h.next++
	h.take(c)
	return true
}
