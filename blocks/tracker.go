package blocks

import (
	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// Tracker says which blocks a change touches, of one change after the other,
// from the beginning of a history. Of the document it keeps nothing but which
// object belongs to which block, so that it is many times faster than a Model;
// it does not know what shows: where clients contradict each other, a block is
// touched although what was written loses. The zero value is ready.
type Tracker struct {
	actors  map[kaijutsu.ActorID]uint32
	objects map[opID]tracked
	numbers map[ID]uint32
	ids     []ID

	mine  []uint32 // of each actor of the change at hand its number
	out   []TrackedTouch
	outAt []uint32 // of each block where it was in out last
}

// TrackedTouch is a block, by its number in IDs, and how it was touched.
type TrackedTouch struct {
	Block uint32
	How   Touch
}

// tracked is where an object stands.
type tracked struct {
	kind  placeKind
	field field
	block uint32 // of placeBlock and placeField; of placePage the page
}

// placePages is the map of pages, which only a Tracker looks for.
const placePages placeKind = 0xff

// IDs returns the blocks that were ever there, by their numbers. It only grows.
func (t *Tracker) IDs() []ID { return t.ids }

// Follow returns what the next change touched: the blocks, in the order in
// which it first did, and whether the title was. The slice is good until the
// next call.
func (t *Tracker) Follow(g *amfile.Glimpse) (touched []TrackedTouch, title bool) {
	if t.actors == nil {
		t.actors = make(map[kaijutsu.ActorID]uint32)
		t.objects = make(map[opID]tracked)
		t.numbers = make(map[ID]uint32)
	}
	t.mine, t.out = t.mine[:0], t.out[:0]
	for _, a := range g.Actors {
		n, ok := t.actors[kaijutsu.ActorID(a)]
		if !ok {
			n = uint32(len(t.actors))
			t.actors[kaijutsu.ActorID(a)] = n
		}
		t.mine = append(t.mine, n)
	}
	var last amfile.OpID
	var at tracked
	for i := range g.Ops {
		op := &g.Ops[i]
		if i == 0 || op.Obj != last { // a text is written character by character
			last, at = op.Obj, t.find(op.Obj)
		}
		made := t.op(at, op)
		title = title || made.kind == placeTitle || at.kind == placeTitle
		if made.kind != placeOutside && makes(op.Action) {
			t.objects[opID{uint32(g.StartOp) + uint32(i), t.mine[0]}] = made
		}
	}
	return t.out, title
}

// find returns where an object stands.
func (t *Tracker) find(id amfile.OpID) tracked {
	if id.Counter == 0 {
		return tracked{kind: placeRoot}
	}
	return t.objects[opID{uint32(id.Counter), t.mine[id.Actor]}]
}

// op notes what an operation touches, and returns where the object stands that
// it makes, if it makes one.
func (t *Tracker) op(at tracked, op *amfile.GlimpseOp) tracked {
	switch at.kind {
	case placeRoot:
		switch op.Key {
		case keyTitle:
			return tracked{kind: placeTitle}
		case keyPages:
			return tracked{kind: placePages}
		}
	case placePages:
		if n, ok := pageNumber(op.Key); ok {
			return tracked{kind: placePage, block: uint32(n)}
		}
	case placePage:
		return t.inPage(at, op)
	case placeBlock:
		return t.inBlock(at, op)
	case placeField:
		t.touch(at.block, fieldTouches[at.field])
		return at
	}
	return tracked{}
}

// inPage notes that a block is made or taken out.
func (t *Tracker) inPage(at tracked, op *amfile.GlimpseOp) tracked {
	if op.Seq || !isID(op.Key) || uint32(pageOf(op.Key)) != at.block {
		return tracked{}
	}
	n, ok := t.numbers[ID(op.Key)]
	if !ok {
		n = uint32(len(t.ids))
		t.ids = append(t.ids, ID(op.Key))
		t.numbers[ID(op.Key)] = n
		t.outAt = append(t.outAt, 0)
	}
	if op.Action == amfile.MakeMap {
		t.touch(n, TouchInserted)
		return tracked{kind: placeBlock, block: n}
	}
	t.touch(n, TouchDeleted)
	return tracked{}
}

// inBlock notes a write to a key of a block.
func (t *Tracker) inBlock(at tracked, op *amfile.GlimpseOp) tracked {
	f, ok := fieldOf(op.Key)
	switch {
	case !ok || op.Seq:
		return tracked{}
	case f == fieldDeleted && op.True:
		t.touch(at.block, TouchDeleted)
	case f == fieldDeleted:
		t.touch(at.block, TouchRestored)
	default:
		t.touch(at.block, fieldTouches[f])
	}
	return tracked{kind: placeField, field: f, block: at.block}
}

// touch notes that a block was touched. One that the change makes is inserted,
// whatever is written into it.
func (t *Tracker) touch(block uint32, how Touch) {
	if k := t.outAt[block]; int(k) < len(t.out) && t.out[k].Block == block {
		if t.out[k].How&TouchInserted == 0 {
			t.out[k].How |= how
		}
		return
	}
	t.outAt[block] = uint32(len(t.out))
	t.out = append(t.out, TrackedTouch{block, how})
}
