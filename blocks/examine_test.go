package blocks

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// checkExamined holds what Examine says of a change against what Apply does.
func checkExamined(t *testing.T, e Effects, d Delta) {
	t.Helper()
	if e.Outside {
		return
	}
	if d.Title {
		t.Fatalf("change %v touched the title, Examine = %+v", d.Change, e)
	}
	for _, b := range d.Blocks {
		i := slices.IndexFunc(e.Blocks, func(x Effect) bool { return x.ID == b.ID })
		if i < 0 || b.How&^e.Blocks[i].How != 0 {
			t.Fatalf("change %v touched block %s: %s, Examine = %+v", d.Change, b.ID, b.How, e)
		}
	}
}

func TestExamineMissesNothing(t *testing.T) {
	rounds(t, func(t *testing.T, h jsHistory) {
		m := NewModel()
		inside := 0
		for _, c := range h.changes {
			e := m.Examine(c)
			if !e.Outside {
				inside++
			}
			checkExamined(t, e, m.Apply(c))
		}
		if len(h.changes) > 100 && inside < len(h.changes)/4 {
			t.Errorf("only %d of %d changes are about blocks", inside, len(h.changes))
		}
	})
}

func TestExamineMissesNothingOfAnyChange(t *testing.T) {
	inside, taken := 0, 0
	for seed := range envInt("KJ_ROUNDS", 30) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			h := newHandmade(t)
			var e Effects
			h.examined = func(c *amfile.Change) { e = h.model.Examine(c) }
			h.applied = func(c *amfile.Change, d Delta) {
				taken++
				if !e.Outside {
					inside++
				}
				checkExamined(t, e, d)
			}
			rng := rand.New(rand.NewSource(int64(seed)))
			for range 1500 {
				if rng.Intn(200) == 0 {
					h.applySoup(rng)
				} else {
					h.applyNear(rng)
				}
			}
		})
	}
	if inside < taken/12 {
		t.Errorf("only %d of %d changes were about blocks", inside, taken)
	}
}

// applyNear applies a few random operations on objects that the model knows,
// or that the change makes, over what stands there or beside it.
func (h *handmade) applyNear(rng *rand.Rand) {
	var known []opID
	for id, o := range h.model.objects {
		switch o.(type) {
		case *pagesMap:
			if rng.Intn(200) > 0 {
				continue
			}
		case *pageMap:
			if rng.Intn(20) > 0 {
				continue
			}
		}
		known = append(known, id)
	}
	page := pageID(testID(1))
	known = append(known, opID{uint32(page.Counter), 0}, opID{uint32(pageID(testID(2)).Counter), 0})
	slices.SortFunc(known, h.model.compare)
	c := &amfile.Change{Actors: slices.Clone(h.model.actors), StartOp: h.next, Time: 1}
	who := 1 + rng.Intn(3) // behind the genesis actor
	for _, a := range []kaijutsu.ActorID{"aa", "mm", "zz"} {
		if !slices.Contains(c.Actors, a) {
			c.Actors = append(c.Actors, a)
		}
	}
	c.Actors[0], c.Actors[who] = c.Actors[who], c.Actors[0]
	name := func(id opID) amfile.OpID {
		switch id.actor {
		case 0:
			id.actor = uint32(who)
		case uint32(who):
			id.actor = 0
		}
		return amfile.OpID{Counter: uint64(id.counter), Actor: id.actor}
	}
	values := []amfile.Value{amfile.StringValue("comment"), amfile.StringValue(string(testID(2))), amfile.BoolValue(true), amfile.BoolValue(false), amfile.StringValue("done")}
	var made []uint64
	for range 1 + rng.Intn(4) {
		op := amfile.Op{Action: []amfile.Action{amfile.Put, amfile.Put, amfile.Put, amfile.Delete, amfile.MakeMap, amfile.MakeText, amfile.MakeList}[rng.Intn(7)]}
		if op.Action == amfile.Put {
			op.Value = values[rng.Intn(len(values))]
		}
		var target object
		if len(made) > 0 && rng.Intn(2) == 0 {
			op.Obj, op.Key = own(made[rng.Intn(len(made))]), fieldKeys[rng.Intn(int(fieldCount))]
			if rng.Intn(3) == 0 {
				op.Key, op.Seq, op.Insert = "", true, op.Action != amfile.Delete
			}
		} else {
			at := known[rng.Intn(len(known))]
			op.Obj, target = name(at), h.model.objects[at]
		}
		var preds []opID
		switch o := target.(type) {
		case *pagesMap:
			op.Key = pageName(uint8(rng.Intn(pageCount)))
		case *pageMap:
			op.Key = string(testID(1 + rng.Intn(9)))
			for b := o.blocks[ID(op.Key)]; b != nil; b = b.next {
				preds = append(preds, b.id)
			}
		case *blockMap:
			op.Key = append(fieldKeys[:], "foreign")[rng.Intn(int(fieldCount)+1)]
			for _, e := range o.fields {
				if e.field.key() == op.Key {
					preds = append(preds, e.id)
				}
			}
		case *sequence:
			op.Seq = true
			if sp := o.first; sp != nil && rng.Intn(2) == 0 {
				op.Elem, preds = name(sp.id), []opID{sp.id}
			} else if op.Action != amfile.Delete {
				op.Insert = true
			}
		}
		for _, p := range preds {
			if !op.Insert && rng.Intn(5) > 0 {
				op.Pred = append(op.Pred, name(p))
			}
		}
		if op.Action == amfile.MakeMap || op.Action == amfile.MakeText || op.Action == amfile.MakeList {
			made = append(made, h.next+uint64(len(c.Ops)))
		}
		c.Ops = append(c.Ops, op)
	}
	h.seq[c.Actors[0]]++
	c.Seq = h.seq[c.Actors[0]]
	if amfile.EncodeChange(c) != nil {
		h.seq[c.Actors[0]]--
		return
	}
	h.next = c.MaxOp() + 1
	h.take(c)
}

func TestExamine(t *testing.T) {
	id, comment := testID(1), testID(2)
	put := func(at uint64, key string, v amfile.Value) amfile.Op {
		return amfile.Op{Action: amfile.Put, Obj: own(at), Key: key, Value: v}
	}
	str := amfile.StringValue
	// The block is made by change 1 of actor mm, at counter 68, as is its text
	// at 71.
	theirs := func(counter uint64) amfile.OpID { return amfile.OpID{Counter: counter, Actor: 1} }
	tests := []struct {
		name string
		ops  func(at uint64) []amfile.Op
		want Effects
	}{
		{"a new comment", func(at uint64) []amfile.Op {
			return append(blockOps(at, comment, id, "b"), put(at, "kind", str("comment")), amfile.Op{Action: amfile.MakeText, Obj: own(at), Key: "text"},
				amfile.Op{Action: amfile.Put, Obj: own(at + 4), Seq: true, Insert: true, Value: str("x")})
		}, Effects{Blocks: []Effect{{ID: comment, How: TouchInserted, Kinds: []Kind{KindComment}, Parents: []ID{id}}}}},
		{"a kind that changes again", func(at uint64) []amfile.Op {
			again := put(at, "kind", str("text"))
			again.Pred = []amfile.OpID{own(at + 2)}
			return append(blockOps(at, comment, "", "b"), put(at, "kind", str("comment")), again)
		}, Effects{Blocks: []Effect{{ID: comment, How: TouchInserted, Kinds: []Kind{KindComment, KindText}}}}},
		{"a kind that is a text", func(at uint64) []amfile.Op {
			return append(blockOps(at, comment, "", "b"), amfile.Op{Action: amfile.MakeText, Obj: own(at), Key: "kind"})
		}, Effects{Blocks: []Effect{{ID: comment, How: TouchInserted, Kinds: []Kind{""}}}}},
		{"typing", func(at uint64) []amfile.Op {
			return []amfile.Op{{Action: amfile.Put, Obj: theirs(71), Seq: true, Insert: true, Value: str("x")}}
		}, Effects{Blocks: []Effect{{ID: id, How: TouchContent}}}},
		{"fields", func(at uint64) []amfile.Op {
			return []amfile.Op{
				{Action: amfile.Put, Obj: theirs(68), Key: "status", Value: str("done")},
				{Action: amfile.Put, Obj: theirs(68), Key: "parent", Value: str(string(comment))},
				{Action: amfile.Put, Obj: theirs(68), Key: "collapsed", Value: amfile.BoolValue(true)},
				{Action: amfile.Put, Obj: theirs(68), Key: "deleted", Value: amfile.BoolValue(true)},
			}
		}, Effects{Blocks: []Effect{{ID: id, How: TouchStatus | TouchMoved | TouchFlags | TouchDeleted, Parents: []ID{comment}}}}},
		{"a key of its own", func(at uint64) []amfile.Op {
			return []amfile.Op{
				{Action: amfile.MakeMap, Obj: theirs(68), Key: "mine"},
				{Action: amfile.Put, Obj: own(at), Key: "kind", Value: str("x")},
			}
		}, Effects{Blocks: []Effect{{ID: id, Foreign: true}}}},
		{"another block over it", func(at uint64) []amfile.Op {
			return []amfile.Op{{Action: amfile.MakeMap, Obj: amfile.OpID{Counter: pageID(id).Counter, Actor: 2}, Key: string(id)}}
		}, Effects{Blocks: []Effect{{ID: id, How: TouchInserted | TouchDeleted | TouchRestored | touchReplaced}}}},
		{"the title", func(at uint64) []amfile.Op {
			return []amfile.Op{{Action: amfile.Put, Obj: amfile.OpID{Counter: 2, Actor: 2}, Seq: true, Insert: true, Value: str("x")}}
		}, Effects{Outside: true, Title: true}},
		{"the context", func(at uint64) []amfile.Op {
			return []amfile.Op{{Action: amfile.Put, Key: "context", Value: str("me")}}
		}, Effects{Outside: true, Root: []RootWrite{{Key: "context", Action: amfile.Put, Value: str("me")}}}},
		{"a page", func(at uint64) []amfile.Op {
			return []amfile.Op{{Action: amfile.MakeMap, Obj: amfile.OpID{Counter: 3, Actor: 2}, Key: id.Page(), Pred: []amfile.OpID{{Counter: pageID(id).Counter, Actor: 2}}}}
		}, Effects{Outside: true}},
		{"a block in the wrong page", func(at uint64) []amfile.Op {
			return []amfile.Op{{Action: amfile.MakeMap, Obj: amfile.OpID{Counter: 4 + uint64(pageOf(string(id))+1)%64, Actor: 2}, Key: string(id)}}
		}, Effects{Outside: true}},
		{"an unknown object", func(at uint64) []amfile.Op {
			return []amfile.Op{{Action: amfile.Put, Obj: theirs(69), Key: "kind", Value: str("x")}}
		}, Effects{Outside: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHandmade(t)
			ops := append(blockOps(h.next, id, "", "a"), put(h.next, "kind", str("text")), amfile.Op{Action: amfile.MakeText, Obj: own(h.next), Key: "text"})
			h.apply(0, ops, "mm", genesisActor)
			var got Effects
			h.examined = func(c *amfile.Change) { got = h.model.Examine(c) }
			ops = tt.ops(h.next)
			for i := range ops {
				if ops[i].Obj == pageID(comment) {
					ops[i].Obj.Actor = 2
				}
			}
			checkExamined(t, got, h.apply(0, ops, "zz", "mm", genesisActor))
			if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", tt.want); g != w {
				t.Errorf("Examine = %s\nwant      %s", g, w)
			}
		})
	}
}
