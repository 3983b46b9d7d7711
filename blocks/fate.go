package blocks

import (
	"fmt"
	"strings"

	"kaijutsu"
)

// Fate is what became of some lines of a block.
type Fate struct {
	// Stale reports that the lines do not stand any more as they were.
	Stale bool
	// Reason is FateChanged or FateDeleted; "" when they stand.
	Reason string
	// Then is what the lines said, Now the lines that stand in their place: the
	// same when they stand, but for a line feed at the end of the text. Of a
	// block that is deleted Now is "".
	Then, Now string
	// NowFirst and NowLast are the lines of Now, from 1. When nothing stands
	// there NowLast is the line in front and NowFirst the one behind it; both
	// are 0 when the block is deleted.
	NowFirst, NowLast int
}

// The reasons of a Fate.
const (
	FateChanged = "changed"
	FateDeleted = "deleted"
)

// Fate says what became of lines first to last of what a block said in a past
// of the model, counted from 1; 0 and 0 is the whole block.
//
// A line ends with a line feed, which a carriage return in front belongs to, or
// with the text; what is behind the last line feed is a line if it is not
// empty. The lines stand, and are not stale, in these cases, and only in these:
//
//  1. The block is not deleted, and says what it said then.
//  2. It is not deleted, and its text has a place where the lines stand: whole,
//     one right behind the other, each with the characters it had and, but for
//     the last one where the text ends or ended, with the line feed it had. And
//     the place lies where they stood: behind the nearest line in front of them
//     that remains, and in front of the nearest one behind them that does.
//
// A line remains where a line says the same and holds at least one of its
// characters, which is known by the identity of elements, not by what they look
// like; an empty one has its line feed.
//
// So edits elsewhere, lines that come in before or behind and others that move
// leave lines as they are, and what was changed or deleted is back when it
// stands there again, by whatever way. Lines that are cut and pasted behind
// others that remain do not stand where they stood.
//
// Between the lines that remain there may be copies. Where a place holds a
// character of the lines themselves, it is theirs. Otherwise no copy kept
// any; when as many places as there were copies are there again, the lines are
// among them; when fewer are, a line diff of what was and is between the lines
// that remain tells which: the one of package textdiff. Of more than 20,000 lines
// no diff is made: none is told from its copies.
//
// Of a record that is no list of chunks, and of content that took on another
// form, no element has remained: everything lies between the beginning and the
// end, and case 2 goes by lines alone. The whole block stands in case 1 only.
//
// Exact is as that of ContentAt; when it is false, FateSince has the answer.
// The error wraps kaijutsu.ErrNotFound when there was no such block, and
// ErrInvalid when it had no such lines.
func (m *Model) Fate(id ID, past Past, log Log, first, last int) (f Fate, exact bool, err error) {
	v := m.viewAt(past)
	b, exact := v.block(id)
	switch {
	case !exact:
		return Fate{}, false, nil
	case b == nil:
		return Fate{}, true, fmt.Errorf("block %s then: %w", id, kaijutsu.ErrNotFound)
	}
	_, e, exact := v.read(b)
	if !exact {
		return Fate{}, false, nil
	}
	c := comparison{gone: b.deleted}
	if _, current := formsOf(b.fields).form(); current != nil {
		c.now, _ = current.content()
	}
	switch seq := m.contentOf(id); {
	case e == nil:
	case e.seq != nil && e.seq == seq:
		c.was.Grow(len(c.now))
		exact = v.elements(seq, c.add)
		c.then = c.was.String()
	default:
		c.then, exact, err = v.holding(b, e, log)
	}
	if !exact || err != nil {
		return Fate{}, exact, err
	}
	f, err = c.fate(id, first, last)
	return f, true, err
}

// FateSince is Fate by what a model of the past holds, as ModelAt makes it.
func (m *Model) FateSince(then *Model, id ID, first, last int) (Fate, error) {
	was, ok := then.Then(id)
	if !ok {
		return Fate{}, fmt.Errorf("block %s then: %w", id, kaijutsu.ErrNotFound)
	}
	now, ok := m.Then(id)
	c := comparison{then: was.Content, now: now.Content, gone: !ok || now.Deleted}
	c.match(then, m, id)
	return c.fate(id, first, last)
}

// comparison is the content of a block then and now, and what of the one is
// still in the other.
type comparison struct {
	then, now string
	gone      bool // the block is deleted
	kept      []stretchKept
	was       strings.Builder // of the elements that were added, what they held
	atNow     int             // bytes of now that they hold
}

// stretchKept is a number of bytes that are in both texts.
type stretchKept struct{ then, now, n int }

// add takes in the next elements of a text or list.
func (c *comparison) add(p part) {
	if p.then && p.now {
		c.keep(c.was.Len(), c.atNow, len(p.text))
	}
	if p.then {
		c.was.WriteString(p.text)
	}
	if p.now {
		c.atNow += len(p.text)
	}
}

func (c *comparison) keep(then, now, n int) {
	if n == 0 {
		return
	}
	if k := len(c.kept); k > 0 {
		if last := &c.kept[k-1]; last.then+last.n == then && last.now+last.n == now {
			last.n += n
			return
		}
	}
	c.kept = append(c.kept, stretchKept{then, now, n})
}

// match finds by their ids the elements that a block's text or list shows in
// both of two models.
func (c *comparison) match(then, now *Model, id ID) {
	was, e := then.contentOf(id), now.contentOf(id)
	if was == nil || e == nil || then.rename(now, was.id) != e.id {
		return
	}
	at := make(map[opID]stretchKept) // of each element now: where, and how long
	place := 0
	for p, text := range e.shown() {
		for ; p.n > 0; p, text = p.next(text) {
			n := p.size(text)
			at[p.id] = stretchKept{now: place, n: n}
			place += n
		}
	}
	place = 0
	for p, text := range was.shown() {
		for ; p.n > 0; p, text = p.next(text) {
			n := p.size(text)
			if k, ok := at[then.rename(now, p.id)]; ok && k.n == n && c.now[k.now:k.now+n] == text[:n] && k.now >= c.atNow {
				c.keep(place, k.now, n)
				c.atNow = k.now + n
			}
			place += n
		}
	}
}

// contentOf returns the text or list that a block shows, nil if it shows none.
func (m *Model) contentOf(id ID) *sequence {
	b := m.blocks[id]
	if b == nil {
		return nil
	}
	if _, e := formsOf(b.fields).form(); e != nil {
		return e.seq
	}
	return nil
}

// rename returns what another model calls an operation; the zero id if it does
// not know the actor.
func (m *Model) rename(other *Model, id opID) opID {
	k, ok := other.actorIndex[m.actors[id.actor]]
	if !ok {
		return opID{}
	}
	return opID{id.counter, k}
}

// shown yields what elements show: the operation whose value it is, and it.
func (s *sequence) shown() func(func(piece, string) bool) {
	return func(yield func(piece, string) bool) {
		for sp := s.first; sp != nil; sp = sp.next {
			id, text := sp.id, s.value(sp)
			if entries := s.special[sp.id]; sp.kind == spanOther && len(entries) > 0 {
				id = entries[len(entries)-1].id
			}
			if text != "" && !yield(piece{id, int(sp.n), sp.kind == spanRun}, text) {
				return
			}
		}
	}
}

// size returns the bytes of the first element of a piece.
func (p piece) size(text string) int {
	if !p.run {
		return len(text)
	}
	return byteOffset(text, p.n, 1)
}

// next returns a piece without its first element.
func (p piece) next(text string) (piece, string) {
	text = text[p.size(text):]
	p.id, p.n = p.id.plus(1), p.n-1
	if !p.run {
		p.n = 0
	}
	return p, text
}

// fate says what became of the lines.
func (c *comparison) fate(id ID, first, last int) (Fate, error) {
	then := cutLines(c.then)
	whole := first == 0 && last == 0
	if !whole && (first < 1 || last < first || last > len(then)) {
		return Fate{}, fmt.Errorf("lines %d to %d: block %s had %d lines then: %w", first, last, id, len(then), kaijutsu.ErrInvalid)
	}
	if whole {
		first, last = 1, len(then)
	}
	f := Fate{Then: textOfLines(c.then, then, first-1, last)}
	switch {
	case c.gone:
		f.Stale, f.Reason = true, FateDeleted
		return f, nil
	case c.then == c.now:
		f.Now, f.NowFirst, f.NowLast = f.Then, first, last
		return f, nil
	case whole:
		f.Stale, f.Reason, f.Now, f.NowFirst, f.NowLast = true, FateChanged, c.now, 1, len(cutLines(c.now))
		return f, nil
	}
	p := newPlaces(c, then, first-1, last)
	lo, hi, stands := p.find()
	f.Now, f.NowFirst, f.NowLast = textOfLines(c.now, p.now, lo, hi), lo+1, hi
	if !stands {
		f.Stale, f.Reason = true, FateChanged
	}
	return f, nil
}

// line is where a line is in a text: [start, end), and behind that its line
// feed up to next.
type line struct{ start, end, next int }

// cutLines returns the lines of a text.
func cutLines(text string) []line {
	out := make([]line, 0, strings.Count(text, "\n")+1)
	for at := 0; at < len(text); {
		l := line{start: at, end: len(text), next: len(text)}
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			l.end, l.next = at+n, at+n+1
			if n > 0 && text[l.end-1] == '\r' {
				l.end--
			}
		}
		out = append(out, l)
		at = l.next
	}
	return out
}

// textOfLines returns lines from lo to in front of hi, with their line feeds.
func textOfLines(text string, lines []line, lo, hi int) string {
	if lo >= hi {
		return ""
	}
	return text[lines[lo].start:lines[hi-1].next]
}
