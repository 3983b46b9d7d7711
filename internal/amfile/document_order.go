package amfile

import (
	"cmp"
	"slices"
	"strings"
)

// objectRow is an operation that has a row, and the object it is on.
type objectRow struct {
	obj opKey
	op  uint32 // index in documentEncoder.ops, which ascends by id
}

// orderRows returns the operations that have a row, as indexes of e.ops, in
// document order: objects by id, ROOT first; in a map by key, in a sequence in
// reading order by element; operations in one slot by id.
func (e *documentEncoder) orderRows() ([]uint32, error) {
	rows := make([]objectRow, 0, len(e.ops))
	for i, p := range e.ops {
		if op := e.op(p); op.Action != Delete {
			rows = append(rows, objectRow{e.key(p.change, op.Obj), uint32(i)})
		}
	}
	slices.SortFunc(rows, func(a, b objectRow) int {
		if c := cmp.Compare(a.obj, b.obj); c != 0 {
			return c
		}
		return cmp.Compare(a.op, b.op)
	})
	out := make([]uint32, 0, len(rows))
	var seq sequence
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].obj == rows[0].obj {
			n++
		}
		from := len(out)
		for _, row := range rows[:n] {
			out = append(out, row.op)
		}
		rows = rows[n:]
		slots := out[from:]
		inSequence, err := e.sameKind(slots)
		switch {
		case err != nil:
			return nil, err
		case !inSequence:
			e.orderMap(slots)
		default:
			if err := seq.order(e, slots); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// sameKind reports whether the operations, all on one object, are on elements;
// it fails when only some are.
func (e *documentEncoder) sameKind(ops []uint32) (bool, error) {
	inSequence := e.op(e.ops[ops[0]]).Seq
	for _, op := range ops {
		if e.op(e.ops[op]).Seq != inSequence {
			return false, broken(18, "object with both keys and elements")
		}
	}
	return inSequence, nil
}

// orderMap sorts operations on one map.
func (e *documentEncoder) orderMap(ops []uint32) {
	slices.SortFunc(ops, func(a, b uint32) int {
		if c := strings.Compare(e.op(e.ops[a]).Key, e.op(e.ops[b]).Key); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
}

// sequence orders the operations on one list or text after the other. The
// elements are a tree: each is a child of the one it was inserted after. They
// are read depth first, children by descending id. Numbers of elements are
// indexes of inserts plus 1; 0 is HEAD, or none.
type sequence struct {
	inserts []uint32 // the operations that make elements, ascending by id
	updates []uint32 // the others, ascending by id
	child   []uint32 // of each element: its last child
	sibling []uint32 // of each element: the child of its parent before it
	update  []uint32 // of each element: its first update, an index of updates plus 1
	later   []uint32 // of each update: the next of the same element, likewise
	open    []uint32 // elements whose siblings are still to come
}

// order sorts ops, which ascend by id.
func (s *sequence) order(e *documentEncoder, ops []uint32) error {
	s.inserts, s.updates = s.inserts[:0], s.updates[:0]
	for _, op := range ops {
		if e.op(e.ops[op]).Insert {
			s.inserts = append(s.inserts, op)
		} else {
			s.updates = append(s.updates, op)
		}
	}
	s.child = zeroed(s.child, len(s.inserts)+1)
	s.sibling = zeroed(s.sibling, len(s.inserts)+1)
	s.update = zeroed(s.update, len(s.inserts)+1)
	s.later = zeroed(s.later, len(s.updates)+1)
	for i, op := range s.inserts {
		parent, ok := s.element(e, op, uint32(i))
		if !ok {
			return broken(19, "insertion after an unknown or later element")
		}
		s.sibling[i+1] = s.child[parent]
		s.child[parent] = uint32(i) + 1
	}
	for i := len(s.updates) - 1; i >= 0; i-- {
		elem, ok := s.element(e, s.updates[i], uint32(len(s.inserts)))
		if !ok || elem == 0 {
			return broken(19, "update of an unknown element")
		}
		s.later[i+1] = s.update[elem]
		s.update[elem] = uint32(i) + 1
	}
	s.walk(ops[:0])
	return nil
}

// element returns the element that an operation is keyed to, among the first n.
func (s *sequence) element(e *documentEncoder, op, n uint32) (uint32, bool) {
	p := e.ops[op]
	id := e.key(p.change, e.op(p).Elem)
	if id == 0 {
		return 0, true
	}
	if n > 0 && e.ops[s.inserts[n-1]].id == id { // as when typing
		return n, true
	}
	place, found := slices.BinarySearchFunc(s.inserts[:n], id, func(insert uint32, id opKey) int {
		return cmp.Compare(e.ops[insert].id, id)
	})
	return uint32(place) + 1, found
}

// walk appends the operations to out in document order. Every element is below
// HEAD, because parents come before their children.
func (s *sequence) walk(out []uint32) {
	s.open = s.open[:0]
	for elem := s.child[0]; elem != 0; {
		out = append(out, s.inserts[elem-1])
		for update := s.update[elem]; update != 0; update = s.later[update] {
			out = append(out, s.updates[update-1])
		}
		if s.sibling[elem] != 0 {
			s.open = append(s.open, s.sibling[elem])
		}
		elem = s.child[elem]
		if elem == 0 && len(s.open) > 0 {
			elem = s.open[len(s.open)-1]
			s.open = s.open[:len(s.open)-1]
		}
	}
}

// zeroed returns a slice of n zeros, in the room of list when there is enough.
func zeroed(list []uint32, n int) []uint32 {
	if cap(list) < n {
		return make([]uint32, n)
	}
	list = list[:n]
	clear(list)
	return list
}
