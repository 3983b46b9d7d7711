package blocks

import (
	"slices"
	"strings"
	"unicode/utf8"

	"kaijutsu/internal/textdiff"
)

// textTrace is what is kept of a text or list while a change alters it: what
// the elements that it updates contributed to the content before. Those that
// it inserts are known by their ids.
type textTrace struct {
	updated map[opID]string
	ids     []opID // of updated, as orderOf says once sort was called
	left    int    // elements that were inserted or updated
	runes   int    // code points of the content before
	counted bool   // runes is known
	whole   bool   // it is a list that holds texts: content is what it held
	content string
}

// keepSequence notes what a text or list holds, before the change first alters
// it. It returns nil unless a block shows it as its content.
func (t *tracing) keepSequence(s *sequence) *textTrace {
	root := s
	for root.parent != nil {
		root = root.parent
	}
	if root.owner == nil {
		return nil
	}
	w := t.keepRow(root.owner)
	if w == nil || w.seq != root {
		return nil
	}
	if w.text == nil {
		w.text = &textTrace{runes: root.runes, counted: root.counted}
		if root.list && len(root.special) > 0 {
			w.text.whole, w.text.content = true, root.content()
		}
	}
	if s != root {
		return nil // an element of the list shows it
	}
	return w.text
}

// inserts notes that a change has inserted elements into a text or list.
func (t *tracing) inserts(s *sequence, n int) {
	if x := t.keepSequence(s); x != nil {
		x.left += n
	}
}

// updates notes what an isolated element contributes, before it is updated.
func (t *tracing) updates(s *sequence, sp *span) {
	x := t.keepSequence(s)
	if x == nil || x.whole || t.isNew(sp.id) {
		return
	}
	if _, ok := x.updated[sp.id]; ok {
		return
	}
	if x.updated == nil {
		x.updated = make(map[opID]string)
	}
	x.updated[sp.id] = s.value(sp)
	x.ids = append(x.ids, sp.id)
	x.left++
}

// isNew reports whether the change at hand made an element.
func (t *tracing) isNew(id opID) bool { return id.actor == t.author && id.counter >= t.start }

// old returns how many elements of a span were there before the change: those
// that it made come behind them.
func (t *tracing) old(sp *span) uint32 {
	if sp.id.actor != t.author || sp.id.counter+sp.n <= t.start {
		return sp.n
	}
	return t.start - min(t.start, sp.id.counter)
}

// updatedIn returns the first n elements from one on that were updated.
func (x *textTrace) updatedIn(from opID, n uint32) []opID {
	lo, _ := slices.BinarySearchFunc(x.ids, from, orderOf)
	hi, _ := slices.BinarySearchFunc(x.ids, from.plus(n), orderOf)
	return x.ids[lo:hi]
}

// before returns what a text or list held before the change.
func (t *tracing) before(s *sequence, x *textTrace) string {
	switch {
	case x == nil:
		return s.content()
	case x.whole:
		return x.content
	}
	slices.SortFunc(x.ids, orderOf)
	var b strings.Builder
	for sp := s.first; sp != nil; sp = sp.next {
		n := t.old(sp)
		switch was, updated := x.updated[sp.id]; {
		case n == 0:
		case sp.kind == spanRun:
			b.WriteString(cutRunes(sp.text, int(sp.n), 0, int(n)))
		case sp.kind == spanDeleted:
			for _, id := range x.updatedIn(sp.id, n) {
				b.WriteString(x.updated[id])
			}
		case updated:
			b.WriteString(was)
		default:
			b.WriteString(s.value(sp))
		}
	}
	return b.String()
}

// splices says what has become of the content of a row, which an entry holds
// now, and of how many code points it is then.
func (t *tracing) splices(w *rowBefore, e *entry) ([]textdiff.Splice, int) {
	same := e != nil && e.seq != nil && e.seq == w.seq
	switch {
	case same && w.text == nil:
		return nil, 0
	case same && !w.text.whole:
		return t.walk(w.seq, w.text)
	}
	was, now := w.str, ""
	if w.seq != nil {
		was = t.before(w.seq, w.text)
	}
	if e != nil {
		now, _ = e.content()
	}
	s, ok := trim(was, now)
	if !ok {
		return nil, 0
	}
	return []textdiff.Splice{s}, utf8.RuneCountInString(now)
}

// trim returns the splice that makes one text of another, without what they
// have in common at both ends; false if they are the same.
func trim(was, now string) (textdiff.Splice, bool) {
	if was == now {
		return textdiff.Splice{}, false
	}
	n := 0
	for n < len(was) && n < len(now) && was[n] == now[n] {
		n++
	}
	for n > 0 && !(boundary(was, n) && boundary(now, n)) {
		n--
	}
	pos := utf8.RuneCountInString(now[:n])
	was, now = was[n:], now[n:]
	n = 0
	for n < len(was) && n < len(now) && was[len(was)-1-n] == now[len(now)-1-n] {
		n++
	}
	for n > 0 && !(boundary(was, len(was)-n) && boundary(now, len(now)-n)) {
		n--
	}
	return textdiff.Splice{Pos: pos, Del: utf8.RuneCountInString(was[:len(was)-n]), Ins: now[:len(now)-n]}, true
}

// boundary reports whether a code point begins at a byte, or the text ends.
func boundary(s string, at int) bool { return at == len(s) || utf8.RuneStart(s[at]) }
