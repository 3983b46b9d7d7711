package blocks

import "kaijutsu/internal/amfile"

// maxDeletedRun bounds the elements that are deleted at once, and so the span
// that a later insertion among them has to split.
const maxDeletedRun = 1 << 12

// deleteRun carries out operation i and those behind it that delete one
// character after the other, as far as one span holds them, and returns how
// many; 0 when there are not at least two. A long deletion would take its time
// if each of them was cut out and joined with the one in front.
func (a *applying) deleteRun(s *sequence, i int) int {
	first := &a.c.Ops[i]
	if a.m.tracing != nil || !deletesOne(first) || i+1 == len(a.c.Ops) || !deletesNext(first, &a.c.Ops[i+1], 1) {
		return 0
	}
	elem := a.id(first.Elem)
	sp, at, ok := s.find(elem)
	if !ok || sp.kind != spanRun {
		return 0
	}
	n, most := 1, min(int(sp.n-at), len(a.c.Ops)-i, maxDeletedRun)
	for n < most && deletesNext(first, &a.c.Ops[i+n], uint64(n)) {
		n++
	}
	if n < 2 {
		return 0
	}
	if at > 0 {
		sp = s.split(a.m, sp, at)
	}
	if sp.n > uint32(n) {
		s.split(a.m, sp, uint32(n))
	}
	g := grave{kind: graveRun, step: 1, n: uint32(n), by: opID{uint32(a.c.StartOp) + uint32(i), a.actors[0]}, text: sp.text}
	s.grow(a.m, -len(sp.text))
	sp.kind = spanDeleted
	s.bury(a.m, sp, g)
	s.tidy(a.m, sp)
	return n
}

// deletesOne reports whether an operation deletes an element that holds nothing
// but what it was inserted with.
func deletesOne(op *amfile.Op) bool {
	return !op.Insert && op.Seq && op.Action == amfile.Delete && len(op.Pred) == 1 && op.Pred[0] == op.Elem
}

// deletesNext reports whether an operation deletes the n-th element behind that
// which the first one deletes.
func deletesNext(first, op *amfile.Op, n uint64) bool {
	return deletesOne(op) && op.Obj == first.Obj && op.Elem == amfile.OpID{Counter: first.Elem.Counter + n, Actor: first.Elem.Actor}
}
