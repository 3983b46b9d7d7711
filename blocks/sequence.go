package blocks

import (
	"slices"
	"unicode/utf8"
)

// sequence is a text or a list: the elements that were ever inserted, in their
// order, each known by the id of its insert operation. Neighbours that one
// actor typed one after the other are kept as one span, so that a text costs
// little more than its characters. Deleted elements show nothing and keep their
// place: others may be inserted after them.
type sequence struct {
	id     opID
	field  field
	list   bool
	owner  *blockMap // nil: the title
	parent *sequence // of a text in a list

	first, last *span
	index       []*span // ascending by actor, then counter

	// special holds, of each element that is or was more than the string it
	// was inserted with, the visible values, ascending.
	special map[opID][]entry

	joined  string // the content; spans share its bytes
	clean   bool   // joined is up to date
	counted bool   // runes is up to date
	pinned  bool   // spans may not be joined: a transaction names them
	runes   int    // code points of the content
	size    int64  // estimate of what spans and special hold

	past *archive // nil: the spans tell all
}

// spanKind says what the elements of a span are.
type spanKind uint8

const (
	spanRun     spanKind = iota // one code point each
	spanString                  // one element: a string of any length
	spanMark                    // one element: the begin or end of a mark, of no width
	spanOther                   // one element: its values are in special
	spanDeleted                 // without value for ever; its text holds graves
)

// span is a number of neighbours with ascending ids of one actor.
type span struct {
	prev, next *span
	id         opID // of the first element
	n          uint32
	kind       spanKind
	mark       markEdge // of spanMark
	text       string   // of spanRun and spanString
}

// markEdge says which end of a mark an element is.
type markEdge uint8

const (
	markEnd    markEdge = 1 << iota
	markSticky          // what is typed next to it goes behind it: a begin that grows, or an end that does not
)

// maxTyped is up to how many bytes a span grows by typing, which copies it.
const maxTyped = 256

// insert puts the elements of a new span after an element, HEAD being the zero
// id. Automerge's order: what was inserted at the same place by operations
// with higher ids, and what hangs on that, comes first.
func (s *sequence) insert(m *Model, after opID, ins span) {
	var left, right *span
	if after.counter == 0 {
		right = s.first
	} else {
		var ok bool
		if left, right, ok = s.after(m, after, ins.id); !ok {
			return // its past is not here
		}
	}
	for right != nil && m.less(ins.id, right.id) {
		m.Stop.Check()
		left, right = right, right.next
	}
	if left != nil && left.takes(ins) {
		left.text += ins.text
		left.n += ins.n
		s.grow(m, len(ins.text))
		return
	}
	sp := &span{prev: left, next: right, id: ins.id, n: ins.n, kind: ins.kind, mark: ins.mark, text: ins.text}
	if left == nil {
		s.first = sp
	} else {
		left.next = sp
	}
	if right != nil {
		right.prev = sp
	} else {
		s.last = sp
	}
	s.enter(sp)
	s.grow(m, spanBytes+len(sp.text))
}

// after returns the spans on both sides of the place right behind an element,
// splitting the span that holds it if the operation id is to go there.
func (s *sequence) after(m *Model, elem, id opID) (left, right *span, ok bool) {
	sp, at, ok := s.find(elem)
	if !ok {
		return nil, nil, false
	}
	if at+1 < sp.n && m.less(sp.id.plus(at+1), id) {
		s.split(m, sp, at+1)
	}
	// Otherwise the rest of the span has higher ids and stays in front.
	return sp, sp.next, true
}

// takes reports whether a span may take in what was typed right behind it.
func (sp *span) takes(ins span) bool {
	return sp.kind == spanRun && ins.kind == spanRun && ins.id == sp.id.plus(sp.n) && len(sp.text)+len(ins.text) <= maxTyped
}

// find returns the span that holds an element, and which one of it it is.
func (s *sequence) find(elem opID) (sp *span, at uint32, ok bool) {
	i, exact := slices.BinarySearchFunc(s.index, elem, func(sp *span, id opID) int { return orderOf(sp.id, id) })
	if !exact {
		i--
	}
	if i < 0 {
		return nil, 0, false
	}
	sp = s.index[i]
	if sp.id.actor != elem.actor || elem.counter-sp.id.counter >= sp.n {
		return nil, 0, false
	}
	return sp, elem.counter - sp.id.counter, true
}

// orderOf is the order of the index: by actor, then counter. It is not
// Automerge's order.
func orderOf(a, b opID) int {
	switch {
	case a.actor < b.actor || a.actor == b.actor && a.counter < b.counter:
		return -1
	case a == b:
		return 0
	}
	return 1
}

// enter and leave keep the index.
func (s *sequence) enter(sp *span) {
	i, _ := slices.BinarySearchFunc(s.index, sp.id, func(sp *span, id opID) int { return orderOf(sp.id, id) })
	s.index = slices.Insert(s.index, i, sp)
}

func (s *sequence) leave(sp *span) {
	i, ok := slices.BinarySearchFunc(s.index, sp.id, func(sp *span, id opID) int { return orderOf(sp.id, id) })
	if ok {
		s.index = slices.Delete(s.index, i, i+1)
	}
}

// split cuts a span in front of its element at, and returns the second part.
func (s *sequence) split(m *Model, sp *span, at uint32) *span {
	left, right := "", sp.text
	switch sp.kind {
	case spanRun:
		cut := byteOffset(sp.text, int(sp.n), int(at))
		left, right = sp.text[:cut], sp.text[cut:]
	case spanDeleted:
		left, right = splitGraves(sp.text, at)
	}
	s.grow(m, len(left)+len(right)-len(sp.text))
	rest := &span{prev: sp, next: sp.next, id: sp.id.plus(at), n: sp.n - at, kind: sp.kind, text: right}
	if rest.next != nil {
		rest.next.prev = rest
	} else {
		s.last = rest
	}
	sp.next, sp.n, sp.text = rest, at, left
	s.enter(rest)
	s.grow(m, spanBytes)
	return rest
}

// byteOffset returns where the code point at begins in a text of n of them.
func byteOffset(text string, n, at int) int {
	if len(text) == n {
		return at
	}
	offset := 0
	for range at {
		_, size := utf8.DecodeRuneInString(text[offset:])
		offset += size
	}
	return offset
}

// isolate returns the span of an element, made to hold nothing else.
func (s *sequence) isolate(m *Model, elem opID) (*span, bool) {
	sp, at, ok := s.find(elem)
	if !ok {
		return nil, false
	}
	if at > 0 {
		sp = s.split(m, sp, at)
	}
	if sp.n > 1 {
		s.split(m, sp, 1)
	}
	return sp, true
}

// drop takes a value that was superseded away from an isolated element.
func (s *sequence) drop(m *Model, sp *span, id opID) {
	if sp.kind != spanOther {
		if id == sp.id && (sp.kind == spanRun || sp.kind == spanString) {
			s.grow(m, -len(sp.text))
			sp.kind, sp.text = spanDeleted, ""
		}
		return
	}
	s.special[sp.id] = slices.DeleteFunc(s.special[sp.id], func(e entry) bool {
		if e.id != id {
			return false
		}
		m.forgetSequence(e.seq)
		return true
	})
}

// add gives an isolated element one more visible value.
func (s *sequence) add(m *Model, elem opID, e entry) {
	sp, _, ok := s.find(elem)
	if !ok || sp.kind == spanMark {
		return
	}
	if s.special == nil {
		s.special = make(map[opID][]entry)
	}
	entries := s.special[elem]
	switch sp.kind {
	case spanRun, spanString:
		entries = append(entries, entry{id: sp.id, kind: valueString, str: sp.text})
	case spanDeleted:
		s.grow(m, -len(sp.text))
	}
	sp.kind, sp.text = spanOther, ""
	at := len(entries)
	for at > 0 && m.less(e.id, entries[at-1].id) {
		at--
	}
	s.special[elem] = slices.Insert(entries, at, e)
	s.grow(m, 2*entryBytes+len(e.str))
}

// tidy makes one span of an element that is deleted and its neighbours that
// are. An element without visible values may get one again only from a value
// put at the same time as the last of them was taken away.
func (s *sequence) tidy(m *Model, sp *span) {
	if sp.kind == spanOther && len(s.special[sp.id]) == 0 {
		delete(s.special, sp.id)
		sp.kind = spanDeleted
	}
	if sp.kind != spanDeleted {
		return
	}
	if sp.text == "" {
		s.bury(m, sp, grave{kind: graveVoid, n: sp.n})
	}
	if p := sp.prev; p != nil && p.lies(sp) {
		s.absorb(m, p, sp)
		sp = p
	}
	if n := sp.next; n != nil && sp.lies(n) {
		s.absorb(m, sp, n)
	}
}

// lies reports whether the next span is to be part of this one, both being
// deleted.
func (sp *span) lies(next *span) bool {
	return sp.kind == spanDeleted && next.kind == spanDeleted && sp.id.plus(sp.n) == next.id && len(sp.text)+len(next.text) <= maxGraves
}

// absorb makes the span behind sp part of it.
func (s *sequence) absorb(m *Model, sp, next *span) {
	s.leave(next)
	graves := joinGraves(sp.text, next.text)
	s.grow(m, len(graves)-len(sp.text)-len(next.text))
	sp.text = graves
	sp.n += next.n
	sp.next = next.next
	if sp.next != nil {
		sp.next.prev = sp
	} else {
		s.last = sp
	}
	s.grow(m, -spanBytes)
}

func (s *sequence) grow(m *Model, n int) {
	s.size += int64(n)
	m.size += int64(n)
}
