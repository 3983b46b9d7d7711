package blocks

import (
	"slices"
	"strings"
	"unicode/utf8"

	"kaijutsu/internal/amfile"
)

// textDraft is a Text or list as a transaction sees it: a piece table over the
// elements that the model holds and those of the transaction. Elements that
// were deleted keep their place in it, as they do in a sequence.
type textDraft struct {
	seq    *sequence // of a new one: without elements
	pieces []stretch
	edited bool
	count  int // what size returns, once it was asked
	known  bool
	last   cursor
	near   int // the piece where insertAfter inserted last, or about there
}

// cursor is where the last splice ended: edits mostly go from front to back.
type cursor struct {
	piece int  // comes next; 0: nothing is known
	pos   int  // code points that show in front of it
	left  opID // the last element in front of it that shows
}

// stretch is a piece of it: a part of a sequence's spans, or what the transaction inserted.
// A stretch begins with element at of span from and ends in front of element
// end of span to; nil is the end of the sequence.
type stretch struct {
	from, to *span
	at, end  uint32
	dead     bool // deleted by the transaction

	id   opID // of the first inserted element; counter 0: a stretch
	n    int
	text string // inserted: one code point each, or the string of a list's element
}

// run is a number of neighbours in a piece that are alike.
type run struct {
	piece int
	sp    *span // nil: inserted by the transaction
	at    uint32
	id    opID // of the first
	n     int
	shown int // code points that each shows, 0 for what is deleted or a mark
}

// text returns the draft of a Text or list.
func (tx *Tx) text(s *sequence) *textDraft {
	if t := tx.texts[s.id]; t != nil {
		return t
	}
	s.pinned = true // until the transaction is over
	t := &textDraft{seq: s}
	if s.first != nil {
		t.pieces = []stretch{{from: s.first}}
	}
	if tx.texts == nil {
		tx.texts = make(map[opID]*textDraft)
	}
	tx.texts[s.id] = t
	return t
}

// runs yields the elements from piece i on.
func (t *textDraft) runs(i int) func(yield func(run) bool) {
	return func(yield func(run) bool) {
		for ; i < len(t.pieces); i++ {
			p := &t.pieces[i]
			if p.id.counter > 0 {
				r := run{piece: i, id: p.id, n: p.n}
				if !p.dead {
					r.shown = 1
				}
				if !yield(r) {
					return
				}
				continue
			}
			to, end, dead := p.to, p.end, p.dead
			for sp, at := p.from, p.at; sp != nil && (sp != to || at < end); sp, at = sp.next, 0 {
				r := run{piece: i, sp: sp, at: at, id: sp.id.plus(at), n: int(sp.n - at)}
				if sp == to {
					r.n = int(end - at)
				}
				if !dead {
					r.shown = t.seq.shows(sp)
				}
				if !yield(r) {
					return
				}
				if sp == to {
					break
				}
			}
		}
	}
}

// shows returns how many places each element of a span takes: code points of a
// text, one of a list.
func (s *sequence) shows(sp *span) int {
	switch sp.kind {
	case spanRun:
		return 1
	case spanString:
		if s.list {
			return 1
		}
		return utf8.RuneCountInString(sp.text)
	case spanOther:
		entries := s.special[sp.id]
		if s.list {
			return min(1, len(entries))
		}
		return utf8.RuneCountInString(s.specialValue(entries))
	}
	return 0
}

// value returns what a run contributes to the content.
func (t *textDraft) value(r run) string {
	switch {
	case r.shown == 0:
		return ""
	case r.sp == nil:
		return t.pieces[r.piece].text
	case r.sp.kind == spanRun:
		return cutRunes(r.sp.text, int(r.sp.n), int(r.at), int(r.at)+r.n)
	}
	return t.seq.value(r.sp)
}

// cutRunes returns the code points from … to of a text that has n.
func cutRunes(text string, n, from, to int) string {
	lo := byteOffset(text, n, from)
	if to == n {
		return text[lo:]
	}
	return text[lo : lo+byteOffset(text[lo:], n-from, to-from)]
}

// content returns the characters of a text, or the strings of a list joined.
func (t *textDraft) content() string {
	if !t.edited {
		return t.seq.content()
	}
	var b strings.Builder
	for r := range t.runs(0) {
		b.WriteString(t.value(r))
	}
	return b.String()
}

// size returns the number of code points of a text, or elements of a list.
// It is counted once.
func (t *textDraft) size() int {
	if !t.known {
		t.count, t.known = 0, true
		for r := range t.runs(0) {
			t.count += r.n * r.shown
		}
	}
	return t.count
}

// splice replaces del code points at pos with s. Both must be in range.
//
// It makes the operations that Automerge for JavaScript makes. Characters go
// right behind the one in front of them; where marks begin or end between that
// one and the next, they go outside of what does not grow and inside of what
// does.
func (t *textDraft) splice(tx *Tx, pos, del int, s string) {
	i, left, pos := t.seek(pos)
	if s != "" {
		i, left = t.passMarks(i, left)
		n := len(tx.ops)
		t.insert(tx, i, left, s)
		p := &t.pieces[i]
		i, pos, left = i+1, pos+p.n, p.id.plus(uint32(len(tx.ops)-n-1))
	}
	t.deleteFrom(tx, i, del)
	t.last = cursor{i, pos, left}
}

// seek returns the piece that begins right behind the first pos code points,
// which it may have to cut, the last element in front of it that shows, and
// how many code points there are in front of it: more than pos in the midst of
// an element.
func (t *textDraft) seek(pos int) (i int, left opID, at int) {
	if pos == 0 {
		return 0, opID{}, 0
	}
	from := t.last
	if from.piece == 0 || pos < from.pos {
		from = cursor{}
	} else if pos == from.pos {
		return from.piece, from.left, pos
	}
	at = from.pos
	for r := range t.runs(from.piece) {
		if r.shown == 0 {
			continue
		}
		if n := r.n * r.shown; pos-at > n {
			at += n
			continue
		}
		k := (pos - at + r.shown - 1) / r.shown
		return t.cut(r, k), r.id.plus(uint32(k - 1)), at + k*r.shown
	}
	return len(t.pieces), left, at
}

// cut makes a piece begin behind the first k elements of a run, and returns
// its number.
func (t *textDraft) cut(r run, k int) int {
	p := t.pieces[r.piece]
	left, right := p, p
	if r.sp == nil {
		if k == p.n {
			return r.piece + 1
		}
		if k == 0 {
			return r.piece
		}
		at := byteOffset(p.text, p.n, k)
		left.n, left.text = k, p.text[:at]
		right.id, right.n, right.text = p.id.plus(uint32(k)), p.n-k, p.text[at:]
	} else {
		sp, at := r.sp, r.at+uint32(k)
		if at == sp.n {
			sp, at = sp.next, 0
		}
		if sp == p.from && at == p.at {
			return r.piece
		}
		if sp == p.to && at == p.end {
			return r.piece + 1
		}
		left.to, left.end = sp, at
		right.from, right.at = sp, at
	}
	t.pieces[r.piece] = left
	t.enter(r.piece+1, right)
	return r.piece + 1
}

// enter puts a piece into the table as number i.
func (t *textDraft) enter(i int, p stretch) {
	t.last = cursor{}
	t.pieces = slices.Insert(t.pieces, i, p)
}

// deleteFrom deletes the next del code points from piece i on.
func (t *textDraft) deleteFrom(tx *Tx, i, del int) {
	if del == 0 {
		return
	}
	end := len(t.pieces)
	for r := range t.runs(i) {
		if r.shown == 0 {
			continue
		}
		k := min(r.n, (del+r.shown-1)/r.shown)
		t.stageDeletes(tx, r, k)
		t.count -= k * r.shown
		if del -= k * r.shown; del <= 0 {
			end = t.cut(r, k)
			break
		}
	}
	for ; i < end; i++ {
		t.pieces[i].dead = true
	}
	t.edited = true
}

// stageDeletes deletes the first k elements of a run.
func (t *textDraft) stageDeletes(tx *Tx, r run, k int) {
	obj := tx.name(t.seq.id)
	op := amfile.Op{Action: amfile.Delete, Obj: obj, Seq: true}
	if r.sp != nil && r.sp.kind == spanOther {
		ids := make([]opID, 0, 1)
		for _, e := range t.seq.special[r.id] {
			ids = append(ids, e.id)
		}
		op.Elem, op.Pred = tx.name(r.id), tx.pred(ids...)
		tx.stage(op)
		return
	}
	for j := range k {
		op.Pred = tx.pred(r.id.plus(uint32(j)))
		op.Elem = op.Pred[0]
		tx.stage(op)
	}
}

// passMarks looks behind element left, which shows, for the places between the
// marks that begin and end there in front of the next element that shows, and
// returns the one where characters are to go: the piece they come before, and
// the element they come after.
func (t *textDraft) passMarks(i int, left opID) (int, opID) {
	var places []run // the marks to go behind, if any
	for r := range t.runs(i) {
		if r.shown > 0 {
			break
		}
		if r.sp == nil || r.sp.kind != spanMark {
			continue
		}
		if r.sp.mark&markEnd != 0 {
			begin := slices.IndexFunc(places, func(p run) bool { return p.id.plus(1) == r.id })
			if begin >= 0 { // nothing shows between its begin and its end
				places = places[:begin]
				continue
			}
		}
		if r.sp.mark&markSticky != 0 {
			places = append(places, r)
		}
	}
	if len(places) == 0 {
		return i, left
	}
	r := places[len(places)-1]
	return t.cut(r, 1), r.id
}

// insert puts new elements in front of piece i and behind an element.
func (t *textDraft) insert(tx *Tx, i int, after opID, s string) {
	p := stretch{text: s, n: utf8.RuneCountInString(s)}
	op := amfile.Op{
		Action: amfile.Put, Obj: tx.name(t.seq.id), Seq: true, Elem: tx.name(after), Insert: true,
		Value: amfile.Value{Type: amfile.String, Raw: []byte(s)},
	}
	if t.seq.list {
		p.n = 1
		p.id = tx.stage(op)
	} else {
		raw := op.Value.Raw
		for at := 0; at < len(raw); {
			_, size := utf8.DecodeRune(raw[at:])
			op.Value.Raw = raw[at : at+size : at+size]
			id := tx.stage(op)
			if at == 0 {
				p.id = id
			}
			op.Elem = tx.name(id)
			at += size
		}
	}
	t.enter(i, p)
	t.count += p.n
	t.edited = true
}

// append adds s behind the last character, or as one more element of a list.
func (t *textDraft) append(tx *Tx, s string) {
	n := len(t.pieces)
	switch {
	case n > 0 && !t.pieces[n-1].dead && t.pieces[n-1].id.counter > 0:
		p := &t.pieces[n-1]
		t.insert(tx, n, p.id.plus(uint32(p.n-1)), s)
	case n == 1 && !t.edited:
		t.appendToBase(tx, s)
	default:
		t.splice(tx, t.size(), 0, s)
	}
}

// appendToBase appends to what the model holds, looking from its end.
func (t *textDraft) appendToBase(tx *Tx, s string) {
	sp := t.seq.last
	for sp != nil && t.seq.shows(sp) == 0 {
		sp = sp.prev
	}
	i, left := 0, opID{}
	if sp != nil {
		r := run{sp: sp, id: sp.id, n: int(sp.n)}
		i, left = t.cut(r, r.n), sp.id.plus(sp.n-1)
	}
	i, left = t.passMarks(i, left)
	t.insert(tx, i, left, s)
}

// insertAfter puts s right behind an element, also one that is deleted; the
// zero id is the beginning. It reports false if there is no such element.
func (t *textDraft) insertAfter(tx *Tx, elem opID, s string) bool {
	if s == "" {
		return true
	}
	if elem.counter == 0 {
		t.insert(tx, 0, elem, s)
		return true
	}
	for _, from := range [...]int{t.near, 0} { // the next one is mostly not far behind
		for r := range t.runs(from) {
			if r.id.actor == elem.actor && elem.counter >= r.id.counter && elem.counter-r.id.counter < uint32(r.n) {
				t.near = t.cut(r, int(elem.counter-r.id.counter)+1)
				t.insert(tx, t.near, elem, s)
				return true
			}
		}
	}
	return false
}

// deleteWhere deletes the elements that show and that gone names, and returns
// their number.
func (t *textDraft) deleteWhere(tx *Tx, gone func(elem opID) bool) int {
	type place struct{ pos, n int }
	var places []place // stretches of them, in code points
	pos, count := 0, 0
	for r := range t.runs(0) {
		for j := range r.n {
			if r.shown == 0 {
				break
			}
			if gone(r.id.plus(uint32(j))) {
				if k := len(places); k > 0 && places[k-1].pos+places[k-1].n == pos {
					places[k-1].n += r.shown
				} else {
					places = append(places, place{pos, r.shown})
				}
				count++
			}
			pos += r.shown
		}
	}
	before := 0 // that are gone already
	for _, p := range places {
		t.splice(tx, p.pos-before, p.n, "")
		before += p.n
	}
	return count
}
