package blocks

import (
	"fmt"
	"slices"
	"sort"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// unit is a set of changes.
type unit struct {
	numbers []int // in the log, ascending
	hashes  map[kaijutsu.ChangeHash]bool
	ops     map[uint32][]opSpan // what they hold, by actor, ascending
}

// opSpan are the operations from first to last of one actor.
type opSpan struct{ first, last uint32 }

// holds reports whether an operation is of the unit.
func (u *unit) holds(id opID) bool { return holds(u.ops[id.actor], id.counter) }

// holds reports whether a counter is in one of some spans, which ascend.
func holds(spans []opSpan, counter uint32) bool {
	k := sort.Search(len(spans), func(k int) bool { return spans[k].first > counter })
	return k > 0 && counter <= spans[k-1].last
}

// read notes what the changes of the unit did to what the model still knows.
func (r *reverting) read(hashes []kaijutsu.ChangeHash) error {
	r.unit.hashes, r.unit.ops = make(map[kaijutsu.ChangeHash]bool), make(map[uint32][]opSpan)
	for _, h := range hashes {
		i, ok := r.log.Index(h)
		if !ok {
			return fmt.Errorf("change %v: %w", h, kaijutsu.ErrNotFound)
		}
		if !r.unit.hashes[h] {
			r.unit.hashes[h] = true
			r.numbers = append(r.numbers, i)
		}
	}
	slices.Sort(r.numbers)
	for _, i := range r.numbers {
		c, err := r.log.Change(i)
		if err != nil {
			return fmt.Errorf("read change %d: %w", i, err)
		}
		if author, ok := r.m.actorIndex[c.Author()]; ok && len(c.Ops) > 0 {
			r.unit.ops[author] = append(r.unit.ops[author], opSpan{uint32(c.StartOp), uint32(c.MaxOp())})
		}
	}
	for _, i := range r.numbers {
		c, err := r.log.Change(i)
		if err != nil {
			return fmt.Errorf("read change %d: %w", i, err)
		}
		for _, a := range c.Actors {
			if _, ok := r.m.actorIndex[a]; !ok {
				return fmt.Errorf("change %v is not in the model: %w", c.Hash, kaijutsu.ErrInvalid)
			}
		}
		for k := range c.Ops {
			r.readOp(c, k)
		}
	}
	return nil
}

func (r *reverting) readOp(c *amfile.Change, k int) {
	op := &c.Ops[k]
	if op.Obj.Counter == 0 {
		if op.Key == keyTitle {
			r.readWrite(slotKey{field: fieldText}, nil, c, op)
		}
		return
	}
	switch o := r.m.objects[r.name(c, op.Obj)].(type) {
	case *pageMap:
		made := opID{uint32(c.StartOp) + uint32(k), r.m.actorIndex[c.Author()]}
		if b, ok := r.m.objects[made].(*blockMap); ok && r.m.shows(b) {
			r.made[b] = fateUnknown
			r.madeOrder = append(r.madeOrder, b)
		}
	case *blockMap:
		if f, ok := fieldOf(op.Key); ok && r.m.shows(o) {
			r.readWrite(slotKey{o.id, f}, o, c, op)
		}
	case *sequence:
		if o.owner == nil || r.m.shows(o.owner) {
			r.readElement(o, c, op)
		}
	}
}

// readWrite notes a write to a field, and what showed there before the unit.
func (r *reverting) readWrite(key slotKey, b *blockMap, c *amfile.Change, op *amfile.Op) {
	w := r.writes[key]
	if w == nil {
		w = &slotWrite{block: b}
		r.writes[key] = w
		r.slots = append(r.slots, key)
	}
	for _, p := range op.Pred {
		if id := r.name(c, p); !r.holds(id) {
			w.all = append(w.all, id)
			if w.before.counter == 0 || r.m.less(w.before, id) {
				w.before, w.by = id, c
			}
		}
	}
}

// readElement notes what is done to an element. Its own insertion counts as
// what showed before, also when the unit made it: the elements of a text that
// was made of a record are not the unit's work.
func (r *reverting) readElement(s *sequence, c *amfile.Change, op *amfile.Op) {
	w := r.texts[s]
	if w == nil {
		w = &textWrite{before: make(map[opID]opID)}
		r.texts[s] = w
		r.edited = append(r.edited, s)
	}
	if op.Insert {
		return
	}
	elem := r.name(c, op.Elem)
	for _, p := range op.Pred {
		if id := r.name(c, p); !r.holds(id) || id == elem {
			if was := w.before[elem]; was.counter == 0 || r.m.less(was, id) {
				w.before[elem] = id
			}
		}
	}
}
