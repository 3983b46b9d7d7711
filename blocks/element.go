package blocks

import (
	"slices"
	"unicode/utf8"

	"kaijutsu/internal/amfile"
)

// applyElement carries out operation i on a text or list. A run of characters
// typed one after the other goes in at once, and one that is deleted goes at once.
func (a *applying) applyElement(s *sequence, i int) int {
	if t := a.m.tracing; t != nil {
		t.keepSequence(s)
	}
	n := a.element(s, i)
	if t := a.m.tracing; t != nil && a.c.Ops[i].Insert {
		t.inserts(s, n)
	}
	a.m.touchSequence(s)
	return n
}

// element carries out operation i on a text or list, of which it may be one
// that nothing shows.
func (a *applying) element(s *sequence, i int) int {
	op := &a.c.Ops[i]
	id := opID{uint32(a.c.StartOp) + uint32(i), a.actors[0]}
	n := 1
	switch {
	case op.Insert && op.Action == amfile.Mark:
		s.insert(a.m, a.id(op.Elem), span{id: id, n: 1, kind: spanMark, mark: edgeOf(op)})
	case op.Insert && op.Action == amfile.Put && op.Value.Type == amfile.String:
		n = a.insertString(s, i, id)
	case op.Insert && op.Action != amfile.Delete && op.Action != amfile.Increment:
		s.insert(a.m, a.id(op.Elem), span{id: id, n: 1, kind: spanOther})
		a.setElement(s, id, op, id)
	case !op.Insert && op.Action != amfile.Increment && op.Action != amfile.Mark:
		if n = a.deleteRun(s, i); n == 0 {
			a.updateElement(s, op, id)
			n = 1
		}
	}
	return n
}

// edgeOf returns which end of a mark an operation makes.
func edgeOf(op *amfile.Op) markEdge {
	var edge markEdge
	if !op.MarkBegin {
		edge = markEnd
	}
	if op.Expand == op.MarkBegin {
		edge |= markSticky
	}
	return edge
}

// insertString inserts the string that operation i puts, and the characters
// that the operations behind it put one after the other.
func (a *applying) insertString(s *sequence, i int, id opID) int {
	op := &a.c.Ops[i]
	after := a.id(op.Elem)
	if s.list || !oneRune(op.Value.Raw) {
		s.insert(a.m, after, span{id: id, n: 1, kind: spanString, text: string(op.Value.Raw)})
		return 1
	}
	n, text := 1, op.Value.Raw
	for ; i+n < len(a.c.Ops); n++ {
		next := &a.c.Ops[i+n]
		if !a.continues(next, op.Obj, a.c.StartOp+uint64(i+n-1)) {
			break
		}
		if n == 1 {
			text = slices.Clone(text)
		}
		text = append(text, next.Value.Raw...)
	}
	s.insert(a.m, after, span{id: id, n: uint32(n), kind: spanRun, text: string(text)})
	return n
}

// continues reports whether an operation types one character into obj, right
// after the one that operation prev of this change typed.
func (a *applying) continues(op *amfile.Op, obj amfile.OpID, prev uint64) bool {
	return op.Insert && op.Seq && op.Action == amfile.Put && op.Value.Type == amfile.String &&
		op.Obj == obj && op.Elem == amfile.OpID{Counter: prev} && oneRune(op.Value.Raw)
}

func oneRune(b []byte) bool {
	if len(b) == 1 {
		return true
	}
	_, n := utf8.DecodeRune(b)
	return n == len(b) && n > 0
}

// updateElement overwrites or deletes an element.
func (a *applying) updateElement(s *sequence, op *amfile.Op, id opID) {
	elem := a.id(op.Elem)
	sp, ok := s.isolate(a.m, elem)
	if !ok {
		return
	}
	if t := a.m.tracing; t != nil {
		t.updates(s, sp)
	}
	was := *sp
	lone, known := s.lone(sp)
	for _, p := range op.Pred {
		s.drop(a.m, sp, a.id(p))
	}
	switch {
	case op.Action != amfile.Delete:
		s.lose()
		a.setElement(s, elem, op, id)
	case was.kind == spanDeleted:
		s.deleteAgain(a.m, elem, id)
	case sp.kind == spanDeleted:
		s.bury(a.m, sp, was.grave(id))
	case sp.kind == spanOther && known && len(s.special[elem]) == 0:
		s.bury(a.m, sp, grave{kind: graveString, n: 1, by: id, text: lone})
	case sp.kind == spanOther:
		s.lose()
	}
	s.tidy(a.m, sp)
}

// grave returns the grave of a span of one element that an operation deletes.
func (sp *span) grave(by opID) grave {
	g := grave{kind: graveRun, n: 1, by: by, text: sp.text}
	if sp.kind == spanString {
		g.kind = graveString
	}
	return g
}

// lone returns what an isolated element contributes that has one visible value,
// the one it was inserted with, and no text of its own.
func (s *sequence) lone(sp *span) (string, bool) {
	if sp.kind != spanOther {
		return "", false
	}
	entries := s.special[sp.id]
	if len(entries) != 1 || entries[0].id != sp.id || entries[0].seq != nil {
		return "", false
	}
	return s.specialValue(entries), true
}

// setElement adds a visible value to an element that holds more than a run of
// text does: a value put over it, or an object.
func (a *applying) setElement(s *sequence, elem opID, op *amfile.Op, id opID) {
	e := entry{id: id}
	switch {
	case op.Action == amfile.Put:
		e.kind, e.str = scalar(op.Value)
	case op.Action == amfile.MakeText && s.list:
		e.kind = valueObject
		e.seq = &sequence{id: id, field: s.field, owner: s.owner, parent: s}
		a.m.objects[id] = e.seq
		a.m.size += sequenceBytes
	}
	s.add(a.m, elem, e)
}
