package blocks

import "kaijutsu/internal/amfile"

// Effects says what the operations of a change are about, judged without
// applying them, for those who decide whether its author may. It errs on the
// side of more: whatever Apply would say is touched is in it, or Outside is
// set.
type Effects struct {
	// Blocks are those that operations touch, in the order of the operations.
	Blocks []Effect
	// Outside says that some operation is about anything but blocks: the title,
	// other keys of the root, pages, objects that the model does not know or
	// that do not show.
	Outside bool
	// Title says that the title is touched; Outside is set too.
	Title bool
	// Root are the writes to keys of the root map; Outside is set too.
	Root []RootWrite
}

// Effect is what a change does to one block.
type Effect struct {
	ID ID
	// How is every way in which it may be touched. A block that the change
	// makes is TouchInserted only, whatever is written into it.
	How Touch
	// Foreign says that it writes keys of the block that the schema does not
	// have.
	Foreign bool
	// Kinds are the kinds that the change writes, each as often as it does; a
	// value that is no plain string counts as "". A new block without any is a
	// KindText.
	Kinds []Kind
	// Parents are the parents that the change writes, likewise.
	Parents []ID
}

// RootWrite is a write to a key of the root map.
type RootWrite struct {
	Key string
	// Value is what a put writes; of another type than String when Action is
	// not amfile.Put.
	Action amfile.Action
	Value  amfile.Value
}

// Examine says what a change would touch. The model holds what the change
// depends on, and may hold more; it stays as it is.
func (m *Model) Examine(c *amfile.Change) Effects {
	x := examining{m: m, c: c, index: make(map[ID]int), made: make(map[uint64]place), fresh: make(map[ID]bool)}
	for i := range c.Ops {
		op := &c.Ops[i]
		if made := x.examine(op); makes(op.Action) {
			x.made[c.StartOp+uint64(i)] = made
		}
	}
	return x.out
}

// examining is a change that is examined.
type examining struct {
	m     *Model
	c     *amfile.Change
	out   Effects
	index map[ID]int       // indexes in out.Blocks
	made  map[uint64]place // the objects that the change makes, by counter
	fresh map[ID]bool      // the blocks that it makes where there was nothing
}

// makes reports whether an action makes an object.
func makes(a amfile.Action) bool {
	switch a {
	case amfile.MakeMap, amfile.MakeList, amfile.MakeText, amfile.MakeTable:
		return true
	}
	return false
}

// place is where an object stands.
type place struct {
	kind  placeKind
	page  *pageMap // of placePage
	block ID       // of placeBlock, placeField, placeForeign
	field field    // of placeField
}

type placeKind uint8

const (
	placeOutside placeKind = iota // anywhere else, or unknown
	placeRoot
	placeTitle
	placePage
	placeBlock
	placeField   // a text or list in a field of a block
	placeForeign // anything else inside of a block
)

// find returns the place of an object that an operation names.
func (x *examining) find(id amfile.OpID) place {
	if id.Counter == 0 {
		return place{kind: placeRoot}
	}
	if p, ok := x.made[id.Counter]; ok && id.Actor == 0 {
		return p
	}
	actor, ok := x.m.actorIndex[x.c.Actors[id.Actor]]
	if !ok {
		return place{}
	}
	switch o := x.m.objects[opID{uint32(id.Counter), actor}].(type) {
	case *pageMap:
		if x.m.showsPage(o) {
			return place{kind: placePage, page: o}
		}
	case *blockMap:
		return x.inside(o, place{kind: placeBlock})
	case *sequence:
		if o.owner == nil {
			return place{kind: placeTitle}
		}
		return x.inside(o.owner, place{kind: placeField, field: o.field})
	}
	return place{}
}

// inside completes the place of an object of a block.
func (x *examining) inside(b *blockMap, p place) place {
	if !x.m.shows(b) {
		return place{}
	}
	p.block = b.key
	return p
}

// examine notes what an operation is about, and returns the place of the
// object that it makes, if it makes one.
func (x *examining) examine(op *amfile.Op) (made place) {
	at := x.find(op.Obj)
	switch at.kind {
	case placeRoot:
		return x.root(op)
	case placePage:
		return x.page(at.page, op)
	case placeBlock:
		return x.blockField(at.block, op)
	case placeField:
		return x.element(at, op)
	case placeForeign:
		x.touch(at.block, 0).Foreign = true
		return at
	case placeTitle:
		x.out.Title, x.out.Outside = true, true
		return at
	}
	x.out.Outside = true
	return place{}
}

// touch returns what is noted of a block, and adds to it.
func (x *examining) touch(id ID, how Touch) *Effect {
	i, ok := x.index[id]
	if !ok {
		i = len(x.out.Blocks)
		x.index[id] = i
		x.out.Blocks = append(x.out.Blocks, Effect{ID: id})
	}
	e := &x.out.Blocks[i]
	if x.fresh[id] {
		how = TouchInserted
	}
	e.How |= how
	return e
}

func (x *examining) root(op *amfile.Op) place {
	x.out.Outside = true
	x.out.Root = append(x.out.Root, RootWrite{Key: op.Key, Action: op.Action, Value: op.Value})
	if op.Key == keyTitle {
		x.out.Title = true
		return place{kind: placeTitle}
	}
	return place{}
}

// page notes a write to a key of a page. Where a block stands, or several do
// that were made at the same time, another one may show afterwards.
func (x *examining) page(p *pageMap, op *amfile.Op) place {
	if op.Seq || !isID(op.Key) || pageOf(op.Key) != p.number {
		x.out.Outside = true
		return place{}
	}
	id := ID(op.Key)
	here := p.blocks[id]
	switch {
	case here != nil || op.Action != amfile.MakeMap:
		x.touch(id, TouchInserted|TouchDeleted|TouchRestored|touchReplaced)
	default:
		x.fresh[id] = true
		x.touch(id, TouchInserted)
	}
	switch op.Action {
	case amfile.MakeMap:
		return place{kind: placeBlock, block: id}
	case amfile.Delete:
	default:
		x.out.Outside = true // no block, and nothing that the schema has
	}
	return place{}
}

// blockField notes a write to a key of a block.
func (x *examining) blockField(id ID, op *amfile.Op) place {
	f, ok := fieldOf(op.Key)
	if !ok || op.Seq {
		x.touch(id, 0).Foreign = true
		return place{kind: placeForeign, block: id}
	}
	how := fieldTouches[f]
	if f == fieldDeleted {
		how = x.tombstone(id, op)
	}
	word := ""
	if op.Action == amfile.Put && op.Value.Type == amfile.String {
		word = string(op.Value.Raw)
	}
	x.word(x.touch(id, how), f, word)
	if op.Action == amfile.MakeText || op.Action == amfile.MakeList && f == fieldChunks {
		return place{kind: placeField, block: id, field: f}
	}
	return place{kind: placeForeign, block: id}
}

// tombstone says how a write to the field deleted touches a block.
func (x *examining) tombstone(id ID, op *amfile.Op) Touch {
	conflict := false
	if b := x.m.blocks[id]; b != nil {
		values := 0
		for i := range b.fields {
			if b.fields[i].field == fieldDeleted {
				values++
			}
		}
		conflict = values > 1
	}
	switch {
	case conflict:
		return TouchDeleted | TouchRestored
	case op.Action == amfile.Put && op.Value.Type == amfile.True:
		return TouchDeleted
	}
	return TouchRestored
}

// word notes what is written into a field that access depends on.
func (x *examining) word(e *Effect, f field, word string) {
	switch f {
	case fieldKind:
		e.Kinds = append(e.Kinds, Kind(word))
	case fieldParent:
		e.Parents = append(e.Parents, ID(word))
	}
}

// element notes an operation inside of a text or list of a block.
func (x *examining) element(at place, op *amfile.Op) place {
	e := x.touch(at.block, fieldTouches[at.field])
	x.word(e, at.field, "")
	if !op.Seq {
		e.Foreign = true
	}
	if op.Action == amfile.MakeText {
		return at
	}
	return place{kind: placeForeign, block: at.block}
}
