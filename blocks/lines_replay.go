package blocks

import (
	"fmt"
	"math"
	"slices"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// replayed is a text or list as the log tells it: all that its elements ever
// held.
type replayed struct {
	list     bool
	elements map[opID]*replayedElement
	behind   map[opID][]opID // the elements that were inserted behind one, the zero id being HEAD
}

// replayedElement is an element and the values that were put into it.
type replayedElement struct {
	mark   bool
	values []replayedValue
}

// replayedValue is what an operation put into an element.
type replayedValue struct {
	id     opID
	text   string
	nested *replayed // nil: text is what it shows
	by     []opID    // superseded it
}

// replay takes in what a text or list ever held from the changes of the log
// that the model holds.
func (p *pastLines) replay(s *sequence) error {
	objects := map[opID]*replayed{s.id: newReplayed(s.list)}
	for i := range p.log.Len() {
		if p.scans--; p.scans < 0 {
			return fmt.Errorf("read what %d changes did: %w", i, kaijutsu.ErrTooLarge)
		}
		c, err := p.log.Change(i)
		if err != nil {
			return fmt.Errorf("read change %d: %w", i, err)
		}
		k, ok := p.m.actorIndex[c.Author()]
		if !ok || c.Seq > p.m.applied[k] || c.MaxOp() > math.MaxUint32 || !p.knows(c) {
			continue
		}
		for k := range c.Ops {
			if c.Ops[k].Seq {
				if r := objects[p.name(c, c.Ops[k].Obj)]; r != nil {
					p.carryOut(r, c, k, objects)
				}
			}
		}
	}
	top := objects[s.id]
	if len(p.m.undos) > 0 {
		p.undo = newUndoneElements(p, s)
		if err := p.replayElements(top, []lifetime{always}, p.undo.look); err != nil {
			return err
		}
	}
	return p.replayElements(top, []lifetime{always}, p.put)
}

func newReplayed(list bool) *replayed {
	return &replayed{list: list, elements: make(map[opID]*replayedElement), behind: make(map[opID][]opID)}
}

// carryOut takes in an operation on an element.
func (p *pastLines) carryOut(r *replayed, c *amfile.Change, k int, objects map[opID]*replayed) {
	op := &c.Ops[k]
	id, at := opID{uint32(c.StartOp) + uint32(k), p.m.actorIndex[c.Author()]}, p.name(c, op.Elem)
	if at.counter == 0 {
		at = opID{}
	}
	if op.Insert {
		if op.Action == amfile.Delete || op.Action == amfile.Increment || at.counter > 0 && r.elements[at] == nil {
			return
		}
		r.elements[id] = &replayedElement{mark: op.Action == amfile.Mark}
		r.behind[at] = append(r.behind[at], id)
		at = id
	}
	e := r.elements[at]
	if e == nil || op.Action == amfile.Mark || op.Action == amfile.Increment {
		return
	}
	for _, pred := range op.Pred {
		was := p.name(c, pred)
		if i := slices.IndexFunc(e.values, func(v replayedValue) bool { return v.id == was }); i >= 0 {
			e.values[i].by = append(e.values[i].by, id)
		}
	}
	if op.Action == amfile.Delete || e.mark {
		return
	}
	v := replayedValue{id: id}
	switch {
	case op.Action == amfile.Put && op.Value.Type == amfile.String:
		v.text = string(op.Value.Raw)
	case !r.list:
		v.text = objectReplacement
	case op.Action == amfile.MakeText:
		v.nested = newReplayed(false)
		objects[id] = v.nested
	}
	e.values = append(e.values, v)
}

// lifetime is a part of the order of changes, from one operation to another,
// that something showed in.
type lifetime struct {
	from, to opID // the zero ids are the beginning and the end
}

var always lifetime

// replayElements hands over what elements showed, once for each time that they
// did, in their order. A list's texts show no longer than their element.
func (p *pastLines) replayElements(r *replayed, within []lifetime, put func(elements) error) error {
	stack := slices.Clone(p.behind(r, opID{}))
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		stack = append(stack[:len(stack)-1], p.behind(r, id)...)
		e := r.elements[id]
		if e.mark {
			continue
		}
		slices.SortFunc(e.values, func(a, b replayedValue) int { return p.m.compare(a.id, b.id) })
		for i := range e.values {
			lives, err := p.lifetimes(e.values[i:], within)
			if err != nil {
				return err
			}
			v := e.values[i]
			if v.nested != nil {
				err = p.replayElements(v.nested, lives, put)
			} else {
				err = p.putLives(v, lives, put)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// behind returns what was inserted behind an element, that which comes first
// last.
func (p *pastLines) behind(r *replayed, id opID) []opID {
	list := r.behind[id]
	slices.SortFunc(list, p.m.compare)
	return list
}

// putLives hands over a value, once for each time that it showed.
func (p *pastLines) putLives(v replayedValue, lives []lifetime, put func(elements) error) error {
	for _, l := range lives {
		e := elements{id: v.id, n: 1, text: v.text, gone: l.to.counter > 0, by: l.to}
		order, err := p.order(l.from, v.id)
		if err != nil {
			return err
		}
		if order != 0 {
			e.since = l.from
		}
		if err := put(e); err != nil {
			return err
		}
	}
	return nil
}

// lifetimes returns when the first of some values showed: while it was there
// and none of the others, which are later, was.
func (p *pastLines) lifetimes(values []replayedValue, within []lifetime) ([]lifetime, error) {
	alive, err := p.alive(values[0])
	if err != nil {
		return nil, err
	}
	// What went with the change that put it may have come from another form of
	// the content, and was there before.
	if over, err := p.reached(alive.to, alive.from); over || err != nil {
		return []lifetime{alive}, err
	}
	out, err := p.both(within, []lifetime{alive})
	for _, other := range values[1:] {
		if err != nil {
			return nil, err
		}
		var hides lifetime
		if hides, err = p.alive(other); err == nil {
			var rest []lifetime // what is in front of it and behind it
			if hides.from.counter > 0 {
				rest = append(rest, lifetime{to: hides.from})
			}
			if hides.to.counter > 0 {
				rest = append(rest, lifetime{from: hides.to})
			}
			out, err = p.both(out, rest)
		}
	}
	return out, err
}

// alive returns when a value was there.
func (p *pastLines) alive(v replayedValue) (lifetime, error) {
	l := lifetime{from: v.id}
	for _, by := range v.by {
		first, err := p.earlier(l.to, by)
		if err != nil {
			return l, err
		}
		l.to = first
	}
	return l, nil
}

// both returns what is in lifetimes of two lists, each in its order.
func (p *pastLines) both(a, b []lifetime) ([]lifetime, error) {
	var out []lifetime
	for _, x := range a {
		for _, y := range b {
			to, err := p.earlier(x.to, y.to)
			if err != nil {
				return nil, err
			}
			from, err := p.later(x.from, y.from)
			if err != nil {
				return nil, err
			}
			if empty, err := p.reached(to, from); err != nil {
				return nil, err
			} else if !empty {
				out = append(out, lifetime{from, to})
			}
		}
	}
	return out, nil
}

// reached reports whether a lifetime that ends at to is over when one that
// begins at from begins.
func (p *pastLines) reached(to, from opID) (bool, error) {
	if to.counter == 0 || from.counter == 0 {
		return false, nil
	}
	order, err := p.order(to, from)
	return order <= 0, err
}

// earlier returns which of two ends comes first.
func (p *pastLines) earlier(a, b opID) (opID, error) {
	if a.counter == 0 || b.counter == 0 {
		if a.counter == 0 {
			a = b
		}
		return a, nil
	}
	order, err := p.order(a, b)
	if order > 0 {
		a = b
	}
	return a, err
}

// later returns which of two beginnings comes last.
func (p *pastLines) later(a, b opID) (opID, error) {
	if a.counter == 0 || b.counter == 0 {
		if a.counter == 0 {
			a = b
		}
		return a, nil
	}
	order, err := p.order(a, b)
	if order < 0 {
		a = b
	}
	return a, err
}

// order compares the changes of two operations.
func (p *pastLines) order(a, b opID) (int, error) {
	x, err := p.changes.of(a)
	if err != nil {
		return 0, err
	}
	y, err := p.changes.of(b)
	return p.changes.compare(x, y), err
}
