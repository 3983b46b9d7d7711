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

// readOthers reads them.
func (r *reverting) readOthers() error {
	r.others = others{make(map[opID]bool), make(map[slotKey]bool), make(map[elementKey]bool)}
	return r.since(r.numbers[0], func(c *amfile.Change) {
		if !r.unit.hashes[c.Hash] {
			r.readOther(c)
		}
	})
}

// since calls f with the changes of the model that are not behind a change,
// nor it: from the end of the log to where all is behind it.
func (r *reverting) since(first int, f func(c *amfile.Change)) error {
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
		if !behind[i] {
			delete(open, i)
			f(c)
		}
	}
	return nil
}

// standing returns the changes in whose place a unit shows: of each that was
// taken back, what did it again last, or nothing. It fails if all of it stands
// taken back.
func (r *reverting) standing(unit []kaijutsu.ChangeHash) ([]kaijutsu.ChangeHash, error) {
	first := r.log.Len()
	for _, h := range unit {
		i, ok := r.log.Index(h)
		if !ok {
			return nil, fmt.Errorf("change %v: %w", h, kaijutsu.ErrNotFound)
		}
		if i == 0 {
			return nil, fmt.Errorf("change %v: the first of a document cannot be taken back: %w", h, kaijutsu.ErrInvalid)
		}
		first = min(first, i)
	}
	if len(unit) == 0 {
		return nil, fmt.Errorf("no changes are named: %w", kaijutsu.ErrInvalid)
	}
	all := make(undoing)
	if err := r.since(first, func(c *amfile.Change) { all.note(c) }); err != nil {
		return nil, err
	}
	var out []kaijutsu.ChangeHash
	for _, h := range unit {
		switch now := all[h]; {
		case now.times == 0:
			out = append(out, h)
		case now.times%2 == 0:
			out = append(out, now.last.Hash)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("it was taken back already: %w", kaijutsu.ErrConflict)
	}
	return out, nil
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
