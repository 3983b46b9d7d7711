package blocks

import "strings"

// objectReplacement stands in a text for what is no character.
const objectReplacement = "\uFFFC"

// content returns the characters of a text, or the strings of a list joined.
// It costs time in proportion to the content once after each change to it.
func (s *sequence) content() string {
	if s.clean {
		return s.joined
	}
	s.joined, s.clean = s.join(), true
	return s.joined
}

// join builds the content and lets the spans share its bytes, so that a text
// that is read takes no more memory than one that is not. Spans that have
// become neighbours of one kind become one.
func (s *sequence) join() string {
	only, size, parts := "", 0, 0
	for sp := s.first; sp != nil; sp = sp.next {
		if v := s.value(sp); v != "" {
			only = v
			size += len(v)
			parts++
		}
	}
	if parts <= 1 {
		return only
	}
	var b strings.Builder
	b.Grow(size)
	for sp := s.first; sp != nil; sp = sp.next {
		b.WriteString(s.value(sp))
	}
	s.repoint(b.String())
	return b.String()
}

// repoint makes the spans share the joined content.
func (s *sequence) repoint(joined string) {
	at, merged := 0, false
	var last *span
	for sp := s.first; sp != nil; sp = sp.next {
		size := len(s.value(sp))
		if sp.kind == spanRun || sp.kind == spanString {
			sp.text = joined[at : at+size]
		}
		if !s.pinned && last != nil && last.kind == spanRun && sp.kind == spanRun && last.id.plus(last.n) == sp.id {
			last.text = joined[at-len(last.text) : at+size]
			last.n += sp.n
			last.next = sp.next
			if sp.next != nil {
				sp.next.prev = last
			} else {
				s.last = last
			}
			sp.n, merged = 0, true
		} else {
			last = sp
		}
		at += size
	}
	if merged {
		s.reindex()
	}
}

// reindex takes the spans that were merged away out of the index.
func (s *sequence) reindex() {
	kept := s.index[:0]
	for _, sp := range s.index {
		if sp.n > 0 {
			kept = append(kept, sp)
		}
	}
	clear(s.index[len(kept):])
	s.index = kept
}

// value returns what the elements of a span contribute to the content.
func (s *sequence) value(sp *span) string {
	switch sp.kind {
	case spanRun, spanString:
		return sp.text
	case spanOther:
		return s.specialValue(s.special[sp.id])
	}
	return ""
}

// specialValue returns what an element contributes whose visible values these
// are: the last one wins.
func (s *sequence) specialValue(entries []entry) string {
	if len(entries) == 0 {
		return ""
	}
	e := entries[len(entries)-1]
	switch {
	case e.kind == valueString:
		return e.str
	case !s.list:
		return objectReplacement
	case e.seq != nil:
		return e.seq.content()
	}
	return ""
}
