package blocks

import (
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// others is the work that the unit did not see: changes made since, and at the
// same time, but for its own.
type others struct {
	objects  map[opID]bool // texts and lists that they edited
	slots    map[slotKey]bool
	elements map[elementKey]bool // that they deleted or overwrote
}

// elementKey names an element of a text or list.
type elementKey struct{ obj, elem opID }

// readOthers reads the changes that are not behind the unit, from the end of
// the log to where all is behind it. It fails if one of them took the unit
// back and stands.
func (r *reverting) readOthers() error {
	r.others = others{make(map[opID]bool), make(map[slotKey]bool), make(map[elementKey]bool)}
	first := r.numbers[0]
	behind, open := map[int]bool{first: true}, make(map[int]bool)
	reach := func(h kaijutsu.ChangeHash, isBehind bool) {
		i, ok := r.log.Index(h)
		switch {
		case !ok || behind[i]:
		case isBehind:
			behind[i] = true
			delete(open, i)
		default:
			open[i] = true
		}
	}
	for _, h := range r.tx.deps {
		reach(h, false)
	}
	undone := make(map[kaijutsu.ChangeHash]bool)
	for i := r.log.Len() - 1; i >= 0 && len(open) > 0; i-- {
		if !behind[i] && !open[i] {
			continue // not in the model
		}
		c, err := r.log.Change(i)
		if err != nil {
			return fmt.Errorf("read change %d: %w", i, err)
		}
		for _, d := range c.Deps {
			reach(d, behind[i])
		}
		if behind[i] {
			continue
		}
		delete(open, i)
		if r.unit.hashes[c.Hash] {
			continue
		}
		r.readOther(c)
		if !undone[c.Hash] {
			for _, h := range Undone(c.Message) {
				undone[h] = true
			}
		}
	}
	for h := range r.unit.hashes {
		if !undone[h] {
			return nil
		}
	}
	return fmt.Errorf("it was taken back already: %w", kaijutsu.ErrConflict)
}

func (r *reverting) readOther(c *amfile.Change) {
	for _, a := range c.Actors {
		if _, ok := r.m.actorIndex[a]; !ok {
			return
		}
	}
	for i := range c.Ops {
		op := &c.Ops[i]
		if op.Obj.Counter == 0 {
			if op.Key == keyTitle {
				r.others.slots[slotKey{field: fieldText}] = true
			}
			continue
		}
		switch o := r.m.objects[r.name(c, op.Obj)].(type) {
		case *blockMap:
			if f, ok := fieldOf(op.Key); ok {
				r.others.slots[slotKey{o.id, f}] = true
			}
		case *sequence:
			for s := o; s != nil; s = s.parent {
				r.others.objects[s.id] = true
			}
			if !op.Insert {
				r.others.elements[elementKey{o.id, r.name(c, op.Elem)}] = true
			}
		}
	}
}
