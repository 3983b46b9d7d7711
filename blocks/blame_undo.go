package blocks

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// An undo brings back what a unit of work deleted by writing it again. It is
// still the work of those who wrote it first: characters that an undo put
// right behind the ones that the unit had deleted, and that are the same,
// keep their authors.

// noteUndo keeps which operations are those of undos.
func (m *Model) noteUndo(author uint32, c *amfile.Change) {
	if len(c.Ops) > 0 && strings.HasPrefix(c.Message, UndoMessage+" ") {
		m.undos[author] = append(m.undos[author], opSpan{uint32(c.StartOp), uint32(c.MaxOp())})
	}
}

// undone replaces, among the pieces of a text or list, those that undos brought
// back by what they brought back.
func (o *origins) undone(s *sequence, pieces []piece) ([]piece, error) {
	if len(o.m.undos) == 0 {
		return pieces, nil
	}
	back := comebacks{origins: o, s: s}
	var out []piece
	for _, p := range pieces {
		if len(o.m.undos[p.id.actor]) == 0 {
			out = append(out, p)
			continue
		}
		if !p.run {
			id, err := back.source(p.id, 0)
			if err != nil {
				return nil, err
			}
			out = append(out, piece{id, p.n, false})
			continue
		}
		for i := range p.n {
			id, err := back.source(p.id.plus(uint32(i)), 0)
			if err != nil {
				return nil, err
			}
			if n := len(out); n > 0 && out[n-1].run && out[n-1].id.plus(uint32(out[n-1].n)) == id {
				out[n-1].n++
			} else {
				out = append(out, piece{id, 1, true})
			}
		}
	}
	return out, nil
}

// comebacks finds what undos brought back in one text or list.
type comebacks struct {
	*origins
	s     *sequence
	order map[*span]int // places of the spans
	works map[kaijutsu.ChangeHash]*undoWork
}

// undoWork is what an undo had before it: what the changes that it names
// deleted of the text or list.
type undoWork struct {
	deleted []opID        // elements, in their order
	place   map[opID]int  // their indexes
	before  map[opID]opID // of each, the operation whose value showed

	first, end int // the run of the undo's operations that was looked at last
}

// source returns the operation that first wrote what an element's insertion
// shows: itself, unless an undo brought it back.
func (b *comebacks) source(id opID, hops int) (opID, error) {
	for ; hops <= maxHops; hops++ {
		was, err := b.former(id)
		if err != nil || was == id {
			return id, err
		}
		id = was
	}
	return id, nil
}

// former returns the operation whose value an element's insertion brought back:
// itself, unless it is of an undo.
func (b *comebacks) former(id opID) (opID, error) {
	if !holds(b.m.undos[id.actor], id.counter) {
		return id, nil
	}
	c, k, err := b.operation(id)
	if err != nil {
		return id, err
	}
	op := &c.Ops[k]
	if !op.Insert || b.name(c, op.Obj) != b.s.id {
		return id, nil
	}
	w := b.works[c.Hash]
	if w == nil {
		if w, err = b.read(c); err != nil {
			return id, err
		}
		if b.works == nil {
			b.works = make(map[kaijutsu.ChangeHash]*undoWork)
		}
		b.works[c.Hash] = w
	}
	// The run of characters that it is part of was put behind the last of the
	// elements that came back.
	if k < w.first || k >= w.end {
		w.first, w.end = k, k+1
		for w.first > 0 && b.follows(c, w.first) {
			w.first--
		}
		for w.end < len(c.Ops) && b.follows(c, w.end) {
			w.end++
		}
	}
	at, ok := w.place[b.name(c, c.Ops[w.first].Elem)]
	if !ok || at-(w.end-1-k) < 0 {
		return id, nil
	}
	was := w.before[w.deleted[at-(w.end-1-k)]]
	by, i, err := b.operation(was)
	if err != nil {
		return id, err
	}
	if from := &by.Ops[i]; from.Action != amfile.Put || from.Value.Type != op.Value.Type || !bytes.Equal(from.Value.Raw, op.Value.Raw) {
		return id, nil
	}
	return was, nil
}

// follows reports whether operation k inserts right behind what the operation
// in front of it inserted.
func (b *comebacks) follows(c *amfile.Change, k int) bool {
	op, prev := &c.Ops[k], &c.Ops[k-1]
	return op.Insert && prev.Insert && op.Obj == prev.Obj && op.Elem == amfile.OpID{Counter: c.StartOp + uint64(k-1)}
}

// read gathers what the changes that an undo names deleted.
func (b *comebacks) read(c *amfile.Change) (*undoWork, error) {
	w := &undoWork{place: make(map[opID]int), before: make(map[opID]opID)}
	var changes []*amfile.Change
	spans := make(map[uint32][]opSpan)
	for _, h := range Undone(c.Message) {
		i, ok := b.log.Index(h)
		if !ok {
			continue
		}
		named, err := b.log.Change(i)
		if err != nil {
			return nil, fmt.Errorf("read change %d: %w", i, err)
		}
		if author, ok := b.m.actorIndex[named.Author()]; ok && len(named.Ops) > 0 && b.knows(named) {
			changes = append(changes, named)
			spans[author] = append(spans[author], opSpan{uint32(named.StartOp), uint32(named.MaxOp())})
		}
	}
	for _, all := range spans {
		slices.SortFunc(all, func(x, y opSpan) int { return cmp.Compare(x.first, y.first) })
	}
	for _, named := range changes {
		for i := range named.Ops {
			op := &named.Ops[i]
			if op.Seq && !op.Insert && b.name(named, op.Obj) == b.s.id {
				elem := b.name(named, op.Elem)
				for _, p := range op.Pred {
					id := b.name(named, p)
					if was := w.before[elem]; (id == elem || !holds(spans[id.actor], id.counter)) && (was.counter == 0 || b.m.less(was, id)) {
						w.before[elem] = id
					}
				}
			}
		}
	}
	b.sort(w)
	return w, nil
}

// sort brings the deleted elements into their order.
func (b *comebacks) sort(w *undoWork) {
	if b.order == nil {
		b.order = make(map[*span]int)
		for sp := b.s.first; sp != nil; sp = sp.next {
			b.order[sp] = len(b.order)
		}
	}
	type placed struct {
		elem  opID
		order int
		at    uint32
	}
	var all []placed
	for elem := range w.before {
		if sp, at, ok := b.s.find(elem); ok {
			all = append(all, placed{elem, b.order[sp], at})
		}
	}
	slices.SortFunc(all, func(x, y placed) int { return cmp.Or(cmp.Compare(x.order, y.order), cmp.Compare(x.at, y.at)) })
	for i, p := range all {
		w.deleted = append(w.deleted, p.elem)
		w.place[p.elem] = i
	}
}
