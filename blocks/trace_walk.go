package blocks

import (
	"slices"
	"strings"
	"unicode/utf8"

	"kaijutsu/internal/textdiff"
)

// walking goes through the elements of a text or list from back to front, most
// edits being near the end, until it has seen all that the change has altered,
// and collects where content came and went.
type walking struct {
	t      *tracing
	s      *sequence
	x      *textTrace
	behind int      // code points behind, as they are now
	grown  int      // by how many there are more now
	del    []string // of the place at hand, the last part first
	ins    []string
	found  []replaced // the last one first
}

// replaced is a place where content came or went.
type replaced struct {
	behind     int // code points that are behind it now
	del, ins   string
	dels, inss int // code points
}

// walk returns what a change has done to a text or list, in code points, and
// the number of them now.
func (t *tracing) walk(s *sequence, x *textTrace) ([]textdiff.Splice, int) {
	slices.SortFunc(x.ids, orderOf)
	w := walking{t: t, s: s, x: x}
	for sp := s.last; sp != nil && (x.left > 0 || !x.counted); sp = sp.prev {
		t.m.Stop.Check()
		w.pass(sp)
	}
	w.close()
	length := w.behind
	if x.counted {
		length = x.runes + w.grown
	}
	s.runes, s.counted = length, true
	if w.grown == 0 && len(w.found) > 1 && w.before(s.content()) == s.content() {
		return nil, length
	}
	var out []textdiff.Splice
	for _, r := range slices.Backward(w.found) {
		out = append(out, textdiff.Splice{Pos: length - r.behind - r.inss, Del: r.dels, Ins: r.ins})
	}
	return out, length
}

// pass looks at a span: what is new of it is behind what was there before.
func (w *walking) pass(sp *span) {
	old := w.t.old(sp)
	if n := sp.n - old; n > 0 {
		w.x.left -= int(n)
		switch {
		case sp.kind == spanRun:
			w.insert(cutRunes(sp.text, int(sp.n), int(old), int(sp.n)))
		case sp.kind != spanDeleted:
			w.insert(w.s.value(sp))
		}
	}
	if old == 0 {
		return
	}
	was, updated := w.x.updated[sp.id]
	switch {
	case sp.kind == spanDeleted:
		for _, id := range slices.Backward(w.x.updatedIn(sp.id, old)) {
			w.x.left--
			w.delete(w.x.updated[id])
		}
	case sp.kind == spanRun:
		w.keep(int(old))
	case updated && was != w.s.value(sp):
		w.x.left--
		w.delete(was)
		w.insert(w.s.value(sp))
	default:
		if updated {
			w.x.left--
		}
		w.keep(utf8.RuneCountInString(w.s.value(sp)))
	}
}

func (w *walking) insert(s string) {
	if s != "" {
		w.ins = append(w.ins, s)
	}
}

func (w *walking) delete(s string) {
	if s != "" {
		w.del = append(w.del, s)
	}
}

// keep passes code points that were there and still are.
func (w *walking) keep(runes int) {
	if runes > 0 {
		w.close()
		w.behind += runes
	}
}

// close ends the place at hand.
func (w *walking) close() {
	if len(w.del)+len(w.ins) == 0 {
		return
	}
	del, ins := reversed(w.del), reversed(w.ins)
	w.del, w.ins = w.del[:0], w.ins[:0]
	size := utf8.RuneCountInString(ins)
	if s, ok := trim(del, ins); ok {
		r := replaced{ins: s.Ins, dels: s.Del, inss: utf8.RuneCountInString(s.Ins)}
		r.del = cutRunes(del, utf8.RuneCountInString(del), s.Pos, s.Pos+s.Del)
		r.behind = w.behind + size - s.Pos - r.inss
		w.found = append(w.found, r)
		w.grown += r.inss - r.dels
	}
	w.behind += size
}

// before returns what a text was that reads so now.
func (w *walking) before(now string) string {
	var b strings.Builder
	at, left := 0, utf8.RuneCountInString(now)
	for _, r := range slices.Backward(w.found) {
		n := byteOffset(now[at:], left, left-r.behind-r.inss)
		b.WriteString(now[at:at+n] + r.del)
		at, left = at+n+len(r.ins), r.behind
	}
	return b.String() + now[at:]
}

// reversed joins strings, the last one first.
func reversed(parts []string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	slices.Reverse(parts)
	return strings.Join(parts, "")
}
