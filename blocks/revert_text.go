package blocks

import (
	"unicode/utf8"

	"kaijutsu/internal/amfile"
)

// sequences takes back what the unit did inside of texts and lists.
func (r *reverting) sequences() error {
	for _, s := range r.edited {
		if r.texts[s].whole || s.owner != nil && r.made[s.owner] == fateGone {
			continue
		}
		if err := r.sequence(s); err != nil {
			return err
		}
	}
	return nil
}

// comeback is what comes back behind an element.
type comeback struct {
	after opID
	text  string
	runes int
}

func (r *reverting) sequence(s *sequence) error {
	wrote, err := r.wrote(s)
	if err != nil {
		return err
	}
	s.content() // which joins spans: not while a transaction names them
	gone := make(map[opID]bool)
	var back []comeback
	previous := false // the element in front comes back too
	bytes, ops := 0, 0
	for sp := s.first; sp != nil; sp = sp.next {
		for i := range sp.n {
			elem := sp.id.plus(i)
			text, deleted := "", sp.kind == spanDeleted
			if over := r.overwritten(s, sp); over || deleted {
				if text, err = r.before(s, elem, wrote); err != nil {
					return err
				}
				if over && text != "" {
					gone[elem] = true
				}
			}
			if !deleted && wrote(elem) && r.showsOurs(s, sp, elem) {
				gone[elem] = true
			}
			if text == "" {
				previous = false
				continue
			}
			n := utf8.RuneCountInString(text)
			bytes, ops = bytes+len(text), ops+n
			if previous && !s.list {
				b := &back[len(back)-1]
				b.after, b.text, b.runes = elem, b.text+text, b.runes+n
			} else {
				back = append(back, comeback{elem, text, n})
			}
			previous = true
		}
	}
	if len(gone) == 0 && len(back) == 0 {
		return nil
	}
	kind := KindText
	if s.owner != nil {
		kind = r.tx.kind(r.tx.draft(s.owner.key))
	}
	if err := r.tx.useIn(kind, bytes, ops+len(gone)); err != nil {
		return err
	}
	t := r.tx.text(s)
	if len(gone) > 0 {
		t.deleteWhere(r.tx, func(elem opID) bool { return gone[elem] })
	}
	for _, b := range back {
		t.insertAfter(r.tx, b.after, b.text)
	}
	return nil
}

// wrote returns which elements of a text or list are the unit's work: those
// that it inserted, but for those that came from another form of the content.
func (r *reverting) wrote(s *sequence) (func(elem opID) bool, error) {
	if !r.holds(s.id) {
		return r.holds, nil
	}
	from, err := r.of(s.id, 0)
	if err != nil {
		return nil, err
	}
	elements := 0
	if from.pieces != nil {
		elements = newCutter(from).elements()
	}
	return func(elem opID) bool {
		at := int(elem.counter) - int(s.id.counter)
		return r.holds(elem) && (elem.actor != s.id.actor || at < 1 || at > elements)
	}, nil
}

// overwritten reports whether what shows of an element is only what the unit
// put over it.
func (r *reverting) overwritten(s *sequence, sp *span) bool {
	if sp.kind != spanOther {
		return false
	}
	for _, e := range s.special[sp.id] {
		if e.id == sp.id || !r.holds(e.id) {
			return false
		}
	}
	return len(s.special[sp.id]) > 0
}

// showsOurs reports whether what shows of an element is the unit's.
func (r *reverting) showsOurs(s *sequence, sp *span, elem opID) bool {
	switch sp.kind {
	case spanRun, spanString:
		return true
	case spanOther:
		entries := s.special[elem]
		return len(entries) > 0 && r.holds(entries[len(entries)-1].id)
	}
	return false
}

// before returns the string that an element showed before the unit deleted or
// overwrote it; "" if it did not, if it had written the element itself, or if
// others have deleted or overwritten it as well.
func (r *reverting) before(s *sequence, elem opID, wrote func(opID) bool) (string, error) {
	was := r.texts[s].before[elem]
	if was.counter == 0 || wrote(elem) || r.others.elements[elementKey{s.id, elem}] {
		return "", nil
	}
	c, k, err := r.operation(was)
	if err != nil {
		return "", err
	}
	op := &c.Ops[k]
	if op.Action != amfile.Put || op.Value.Type != amfile.String {
		return "", nil
	}
	return string(op.Value.Raw), nil
}
