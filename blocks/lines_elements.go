package blocks

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// errUntold is the error of what the spans of a sequence do not tell.
var errUntold = errors.New("the spans do not tell it")

// elements is a number of neighbours of a text or list that show, or that were
// deleted: a run of one code point each, or a single one of any length, known
// by the operations that put it there and took it away.
type elements struct {
	id   opID // put the first
	n    int
	run  bool
	text string
	gone bool
	by   opID  // took the first away
	step int32 // from each counter of those to the next

	since opID // it shows again since this operation; zero if that is id
}

// cut returns the n elements from the at-th on, of a run.
func (e elements) cut(at, n int) elements {
	e.text = cutRunes(e.text, e.n, at, at+n)
	e.id, e.n = e.id.plus(uint32(at)), n
	e.by.counter += uint32(e.step * int32(at))
	return e
}

// ever yields all elements that a text or list ever had, in their order, as
// far as they had something to show. It fails with errUntold where elements
// were overwritten.
func (s *sequence) ever(put func(elements) error) error {
	if s.past != nil && s.past.lost {
		return errUntold
	}
	for sp := s.first; sp != nil; sp = sp.next {
		var err error
		switch sp.kind {
		case spanRun:
			err = put(elements{id: sp.id, n: int(sp.n), run: true, text: sp.text})
		case spanString:
			err = put(elements{id: sp.id, n: 1, text: sp.text})
		case spanDeleted:
			err = buried(sp, put)
		case spanOther:
			entries := s.special[sp.id]
			switch {
			case len(entries) != 1 || entries[0].id != sp.id:
				err = errUntold
			case s.list && entries[0].seq != nil:
				err = entries[0].seq.ever(put)
			default:
				err = put(elements{id: sp.id, n: 1, text: s.specialValue(entries)})
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// buried yields the elements of a span that were deleted.
func buried(sp *span, put func(elements) error) error {
	elem := sp.id
	for graves := sp.text; graves != ""; {
		var g grave
		g, graves = nextGrave(graves)
		e := elements{id: elem, n: int(g.n), run: g.kind == graveRun, text: g.text, gone: true, by: g.by, step: g.step}
		elem = elem.plus(g.n)
		if g.kind == graveVoid {
			continue
		}
		if err := put(e); err != nil {
			return err
		}
	}
	return nil
}

// pastLines makes the atoms of a content: what its elements were, and when each
// came and went.
type pastLines struct {
	*origins
	changes *changeOrder
	from    *cutter // of what took on another form, nil if nothing did
	made    opID    // the text or list that did
	undo    *undoneElements
	again   map[opID][]opID // what else deleted an element
	atoms   []atom
}

// read takes in what a text or list ever held. The log is gone through if its
// spans do not tell it.
func (p *pastLines) read(s *sequence) error {
	p.note(s)
	if len(p.m.undos) > 0 {
		p.undo = newUndoneElements(p, s)
		if err := s.ever(p.undo.look); err != nil {
			return err
		}
	}
	return s.ever(p.put)
}

// note takes in which elements were deleted by several.
func (p *pastLines) note(s *sequence) {
	if s.past != nil {
		for _, a := range s.past.again {
			if p.again == nil {
				p.again = make(map[opID][]opID)
			}
			p.again[a.elem] = append(p.again[a.elem], a.by)
		}
	}
	for _, entries := range s.special {
		for _, e := range entries {
			if e.seq != nil && s.list {
				p.note(e.seq)
			}
		}
	}
}

// put adds elements: one by one where one of them may differ from its
// neighbours.
func (p *pastLines) put(e elements) error {
	single := !e.run || e.n == 1
	if !single && (e.gone && len(p.again) > 0 || p.undo.concerns(e)) {
		for i := range e.n {
			if err := p.put(e.cut(i, 1)); err != nil {
				return err
			}
		}
		return nil
	}
	if single {
		if err := p.settle(&e); err != nil {
			return err
		}
		if never, err := p.undo.never(e); never || err != nil {
			return err
		}
	}
	pieces := []piece{{e.id, e.n, e.run}}
	if !e.run {
		pieces[0].n = utf8.RuneCountInString(e.text)
	}
	if e.since.counter > 0 {
		pieces[0].id = e.since
		return p.atomsOf(e, pieces)
	}
	if p.undo != nil && single {
		id, err := p.undo.back.source(e.id, 0)
		if err != nil {
			return err
		}
		pieces[0].id = id
	}
	if p.from != nil {
		pieces = p.from.spread(p.made, pieces)
	}
	return p.atomsOf(e, pieces)
}

// settle makes by of an element the first operation, in the order of changes,
// that took it away.
func (p *pastLines) settle(e *elements) error {
	if !e.gone {
		return nil
	}
	for _, by := range p.again[e.id] {
		a, err := p.changes.of(e.by)
		if err != nil {
			return err
		}
		b, err := p.changes.of(by)
		if err != nil {
			return err
		}
		if p.changes.compare(b, a) < 0 {
			e.by = by
		}
	}
	return nil
}

// atomsOf adds elements whose characters were written by the operations of
// pieces.
func (p *pastLines) atomsOf(e elements, pieces []piece) error {
	text := e.text
	for _, piece := range pieces {
		for piece.n > 0 {
			ins, n := int32(0), piece.n
			var err error
			if piece.run {
				ins, n, err = p.changes.stretch(piece.id, 1, n)
			} else {
				ins, err = p.changes.of(piece.id)
			}
			del := int32(noDel)
			if err == nil && e.gone {
				if e.run {
					del, n, err = p.changes.stretch(e.by, e.step, n)
					e.by.counter += uint32(e.step * int32(n))
				} else {
					del, err = p.changes.of(e.by)
				}
			}
			if err != nil {
				return err
			}
			at := bytesOf(text, n)
			p.cutAtoms(text[:at], ins, del)
			text, piece = text[at:], piece.cut(n, piece.n-n)
		}
	}
	return nil
}

// bytesOf returns how many bytes the first n code points take.
func bytesOf(text string, n int) int {
	at := 0
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// cutAtoms adds characters that came and went by the same changes; those that
// went when they came never were.
func (p *pastLines) cutAtoms(text string, ins, del int32) {
	if ins == del {
		return
	}
	for text != "" {
		at := strings.IndexByte(text, '\n')
		if at < 0 {
			at = len(text)
		}
		if n := int32(utf8.RuneCountInString(text[:at])); n > 0 {
			if k := len(p.atoms); k > 0 && !p.atoms[k-1].feed && p.atoms[k-1].ins == ins && p.atoms[k-1].del == del {
				p.atoms[k-1].n += n
			} else {
				p.atoms = append(p.atoms, atom{ins, del, n, false})
			}
		}
		if text = text[at:]; text != "" {
			p.atoms = append(p.atoms, atom{ins, del, 1, true})
			text = text[1:]
		}
	}
}
