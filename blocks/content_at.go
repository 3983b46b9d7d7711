package blocks

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kaijutsu"
)

// Then is what a block held at some heads.
type Then struct {
	Content string
	Form    Form // which field Content came from; "" when there was none
	Kind    Kind
	Deleted bool // a tombstone; the content is what it held
	// Author made the block, at the time Created.
	Author  kaijutsu.ActorID
	Created time.Time
}

// Past is what some heads have behind them, themselves included.
type Past interface {
	// UpTo returns the counter up to which an actor's operations are in it, 0
	// when none is.
	UpTo(actor kaijutsu.ActorID) uint64
}

// Then returns what a block holds now, also one that is deleted; false if there
// is none of this id.
func (m *Model) Then(id ID) (Then, bool) {
	b, ok := m.Block(id)
	return Then{Content: b.Content, Form: b.Form, Kind: b.Kind, Deleted: b.Deleted, Author: b.Author, Created: b.Created}, ok
}

// ContentAt returns what a block held in a past of the model, as ModelAt would
// show it, by what the model keeps of each element and field: which operation
// put it there and which took it away. It costs time in proportion to what the
// block ever held, not to the history. A body that was superseded is read from
// the log.
//
// The model does not keep all: not what became of elements that were
// overwritten, of a block that was made twice or taken out of its page, of a
// document whose pages were replaced, of fields that were superseded very
// often. Then exact is false, there is no answer, and ModelAt has it.
//
// The error wraps kaijutsu.ErrNotFound when there was no such block.
func (m *Model) ContentAt(id ID, past Past, log Log) (then Then, exact bool, err error) {
	v := m.viewAt(past)
	b, exact := v.block(id)
	switch {
	case !exact:
		return Then{}, false, nil
	case b == nil:
		return Then{}, true, fmt.Errorf("block %s then: %w", id, kaijutsu.ErrNotFound)
	}
	then, e, exact := v.read(b)
	if exact && e != nil {
		then.Content, exact, err = v.holding(b, e, log)
	}
	return then, exact, err
}

// holding returns what an entry held that held the content of a block.
func (v *viewing) holding(b *blockMap, e *entry, log Log) (content string, exact bool, err error) {
	if e.seq != nil {
		content, exact = v.content(e.seq)
		return content, exact, nil
	}
	if now := last(b.fields, e.field); now != nil && now.id == e.id {
		return now.str, true, nil
	}
	content, err = v.m.bodyOf(e.id, log)
	return content, true, err
}

// Made returns the operation that made a block, false if there is none of this
// id.
func (m *Model) Made(id ID) (actor kaijutsu.ActorID, counter uint64, ok bool) {
	b := m.blocks[id]
	if b == nil {
		return "", 0, false
	}
	return m.actors[b.id.actor], uint64(b.id.counter), true
}

// viewing looks at a model as it was in a past.
type viewing struct {
	m    *Model
	past Past
	upTo []uint32 // by actor index
	has  []bool   // upTo is known
}

func (m *Model) viewAt(past Past) *viewing {
	return &viewing{m: m, past: past, upTo: make([]uint32, len(m.actors)), has: make([]bool, len(m.actors))}
}

// limit returns the counter up to which an actor's operations are in the past.
func (v *viewing) limit(actor uint32) uint32 {
	if !v.has[actor] {
		v.upTo[actor], v.has[actor] = uint32(v.past.UpTo(v.m.actors[actor])), true
	}
	return v.upTo[actor]
}

// holds reports whether an operation is in the past.
func (v *viewing) holds(id opID) bool { return id.counter <= v.limit(id.actor) }

// block returns a block that was there then, nil if there was none.
func (v *viewing) block(id ID) (b *blockMap, exact bool) {
	if v.m.repaged || v.m.lost[id] {
		return nil, false
	}
	if b = v.m.blocks[id]; b == nil || !v.holds(b.id) {
		return nil, true
	}
	return b, true
}

// read returns what a block held but for the content, and the entry that held
// that, nil if none did.
func (v *viewing) read(b *blockMap) (then Then, content *entry, exact bool) {
	then = Then{Kind: KindText, Author: v.m.actors[b.id.actor], Created: time.Unix(b.created, 0).UTC()}
	fields := v.fields(b)
	if e := last(fields, fieldKind); e != nil {
		if e.seq != nil {
			return Then{}, nil, false // a text that may have been another
		}
		then.Kind = Kind(e.word(string(KindText)))
	}
	e := last(fields, fieldDeleted)
	then.Deleted = e != nil && e.kind == valueTrue
	then.Form, content = formsOf(fields).form()
	return then, content, true
}

// fields returns the entries, of those fields whose past is kept, that were
// visible.
func (v *viewing) fields(b *blockMap) []entry {
	var out []entry
	for _, e := range b.fields {
		if e.field.keepsFormer() && v.holds(e.id) {
			out = append(out, e)
		}
	}
	out = v.formers(out, v.m.formers[b])
	slices.SortFunc(out, func(x, y entry) int {
		if x.field != y.field {
			return int(x.field) - int(y.field)
		}
		return v.m.compare(x.id, y.id)
	})
	return out
}

// formers adds those values that nothing had superseded.
func (v *viewing) formers(out []entry, list []former) []entry {
	if len(list) == 0 {
		return out
	}
	settled := make(map[opID]bool)
	for _, o := range list {
		if v.holds(o.by) {
			settled[o.id] = true
		}
	}
	for _, o := range list {
		if v.holds(o.id) && !settled[o.id] {
			settled[o.id] = true // it may be there again
			out = append(out, o.entry)
		}
	}
	return out
}

// bodyOf returns the string that an operation put.
func (m *Model) bodyOf(id opID, log Log) (string, error) {
	i, ok := m.findChange(log, id)
	if !ok {
		return "", fmt.Errorf("operation %d of actor %s is not in the log: %w", id.counter, m.actors[id.actor], kaijutsu.ErrNotFound)
	}
	c, err := log.Change(i)
	if err != nil {
		return "", fmt.Errorf("read change %d: %w", i, err)
	}
	return string(c.Ops[uint64(id.counter)-c.StartOp].Value.Raw), nil
}

// content returns what a text or list held.
func (v *viewing) content(s *sequence) (string, bool) {
	var out strings.Builder
	out.Grow(len(s.joined))
	exact := v.elements(s, func(p part) {
		if p.then {
			out.WriteString(p.text)
		}
	})
	return out.String(), exact
}

// part is a number of neighbouring elements of a text or list: a run of one
// code point each, or a single one of any length.
type part struct {
	text      string
	then, now bool // it shows
}

// elements hands over what the elements of a text or list hold or held, in their
// order.
func (v *viewing) elements(s *sequence, put func(part)) (exact bool) {
	dead, exact := v.dead(s)
	for sp := s.first; sp != nil && exact; sp = sp.next {
		n := v.inserted(sp)
		switch sp.kind {
		case spanRun:
			if n == sp.n {
				put(part{sp.text, true, true})
				continue
			}
			old := cutRunes(sp.text, int(sp.n), 0, int(n))
			put(part{old, true, true})
			put(part{sp.text[len(old):], false, true})
		case spanString:
			put(part{sp.text, n > 0, true})
		case spanDeleted:
			v.dug(sp, n, dead, put)
		case spanOther:
			exact = v.special(s, sp, n > 0, put)
		}
	}
	return exact
}

// inserted returns how many elements of a span, from its first on, were there.
func (v *viewing) inserted(sp *span) uint32 {
	limit := v.limit(sp.id.actor)
	if sp.id.counter > limit {
		return 0
	}
	return min(sp.n, limit-sp.id.counter+1)
}

// dead returns the elements that were deleted by one of several who deleted
// them, not knowing of each other, the first one's grave aside.
func (v *viewing) dead(s *sequence) (dead map[opID]bool, exact bool) {
	if s.past == nil {
		return nil, true
	}
	for _, a := range s.past.again {
		if v.holds(a.by) {
			if dead == nil {
				dead = make(map[opID]bool)
			}
			dead[a.elem] = true
		}
	}
	return dead, !s.past.lost
}

// special hands over what an element holds that is more than a string; it must
// never have been overwritten.
func (v *viewing) special(s *sequence, sp *span, then bool, put func(part)) (exact bool) {
	entries := s.special[sp.id]
	if len(entries) != 1 || entries[0].id != sp.id {
		return false
	}
	now, old := s.specialValue(entries), ""
	if nested := entries[0].seq; !s.list || nested == nil {
		old = now
	} else if then {
		if old, exact = v.content(nested); !exact {
			return false
		}
	}
	if !then || old == now {
		put(part{now, then, true})
		return true
	}
	put(part{old, true, false})
	put(part{now, false, true})
	return true
}

// dug hands over what was not deleted yet of the first n elements of a span
// that is.
func (v *viewing) dug(sp *span, n uint32, dead map[opID]bool, put func(part)) {
	elem := sp.id
	for graves := sp.text; graves != "" && n > 0; {
		var g grave
		g, graves = nextGrave(graves)
		count := min(g.n, n)
		n -= count
		first := elem
		elem = elem.plus(g.n)
		if g.kind == graveVoid {
			continue
		}
		lo, hi := v.spared(g, count)
		switch {
		case lo >= hi:
		case g.kind == graveString:
			if !dead[first] {
				put(part{then: true, text: g.text})
			}
		case len(dead) == 0:
			put(part{then: true, text: cutRunes(g.text, int(g.n), int(lo), int(hi))})
		default:
			for i := lo; i < hi; i++ {
				if !dead[first.plus(i)] {
					put(part{then: true, text: cutRunes(g.text, int(g.n), int(i), int(i)+1)})
				}
			}
		}
	}
}

// spared returns which of the first count elements of a grave had not been
// deleted by it: those from lo to hi.
func (v *viewing) spared(g grave, count uint32) (lo, hi uint32) {
	limit := v.limit(g.by.actor)
	if g.step < 0 {
		if g.by.counter <= limit {
			return 0, 0 // the first was deleted last
		}
		return 0, min(count, g.by.counter-limit) // from where on the counters are within
	}
	if g.by.counter > limit {
		return 0, count
	}
	return min(count, limit-g.by.counter+1), count
}
