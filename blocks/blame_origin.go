package blocks

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

const (
	// maxHops bounds how often content is followed from one form to another.
	maxHops = 16
	// maxScanned bounds the changes that one Blame reads to find what an
	// object held that is no more.
	maxScanned = 1 << 20
)

// origin says where the beginning of a content comes from that was written by
// a change which took the same content away in another form: a text made of a
// record, a body made of chunks, and back again. The zero value says that it
// comes from nowhere else.
type origin struct {
	pieces []piece
	// ends are where the first elements of a text or list end in the pieces,
	// in code points; nil when each element is one.
	ends []int
}

// origins finds them out. What was taken away is read from the operations of
// the log, as the change saw it.
type origins struct {
	m     *Model
	log   Log
	scans int // changes that may still be read
}

// current returns the pieces of the content that an entry holds.
func (o *origins) current(e *entry, hops int) ([]piece, error) {
	from, err := o.of(e.id, hops)
	if err != nil {
		return nil, err
	}
	switch {
	case e.seq != nil:
		pieces, err := o.undone(e.seq, e.seq.appendPieces(nil))
		return from.spread(e.id, pieces), err
	case from.pieces != nil:
		return from.pieces, nil
	}
	return []piece{{e.id, utf8.RuneCountInString(e.str), false}}, nil
}

// of returns the origin of what an operation writes: a body, or the elements
// that its change puts right into the text or list that it makes.
func (o *origins) of(id opID, hops int) (origin, error) {
	if from, ok := o.m.origins[id]; ok || hops > maxHops {
		return from, nil
	}
	c, k, err := o.operation(id)
	if err != nil {
		return origin{}, err
	}
	before := o.scans
	from, err := o.find(c, k, hops)
	if err == nil && hops == 0 && (from.pieces != nil || o.scans < before) {
		o.m.origins[id] = from
		o.m.size += int64(len(from.pieces))*pieceBytes + int64(len(from.ends))*8
	}
	return from, err
}

// operation returns the change that holds an operation, and which one of its
// operations it is.
func (o *origins) operation(id opID) (*amfile.Change, int, error) {
	i, ok := o.m.findChange(o.log, id)
	if !ok {
		return nil, 0, fmt.Errorf("operation %d of actor %s is not in the log: %w", id.counter, o.m.actors[id.actor], kaijutsu.ErrNotFound)
	}
	c, err := o.log.Change(i)
	if err != nil {
		return nil, 0, fmt.Errorf("read change %d: %w", i, err)
	}
	if !o.knows(c) {
		return nil, 0, fmt.Errorf("change %v is by actors that the model does not know: %w", c.Hash, kaijutsu.ErrInvalid)
	}
	return c, int(uint64(id.counter) - c.StartOp), nil
}

// knows reports whether the model knows all actors of a change.
func (o *origins) knows(c *amfile.Change) bool {
	for _, a := range c.Actors {
		if _, ok := o.m.actorIndex[a]; !ok {
			return false
		}
	}
	return true
}

// find looks for an origin among what the change of operation k takes away
// from the same block, or, when it is an undo, what the changes that it takes
// back had taken away.
func (o *origins) find(c *amfile.Change, k, hops int) (origin, error) {
	op := &c.Ops[k]
	if f, ok := fieldOf(op.Key); !ok || op.Seq || !f.holdsContent() {
		return origin{}, nil
	}
	block, wrote := o.name(c, op.Obj), written(c, k)
	if len(wrote.parts) == 0 {
		return origin{}, nil
	}
	from, err := o.takenAway(c, block, wrote, hops)
	if err != nil || from.pieces != nil {
		return from, err
	}
	for _, h := range Undone(c.Message) {
		i, ok := o.log.Index(h)
		if !ok {
			continue
		}
		named, err := o.log.Change(i)
		if err != nil {
			return origin{}, fmt.Errorf("read change %d: %w", i, err)
		}
		if !o.knows(named) {
			continue
		}
		if from, err = o.takenAway(named, block, wrote, hops); err != nil || from.pieces != nil {
			return from, err
		}
	}
	return origin{}, nil
}

// takenAway looks for the origin of what was written among what a change takes
// away from a block.
func (o *origins) takenAway(c *amfile.Change, block opID, wrote text, hops int) (origin, error) {
	var superseded [fieldCount]opID
	any := false
	for i := range c.Ops {
		other := &c.Ops[i]
		f, ok := fieldOf(other.Key)
		if !ok || other.Seq || !f.holdsContent() || o.name(c, other.Obj) != block {
			continue
		}
		for _, pred := range other.Pred {
			if pred.Actor == 0 && pred.Counter >= c.StartOp {
				continue // what the change itself wrote before
			}
			if id := o.name(c, pred); superseded[f].counter == 0 || o.m.less(superseded[f], id) {
				superseded[f], any = id, true
			}
		}
	}
	if !any {
		return origin{}, nil
	}
	for _, f := range [...]field{fieldText, fieldBody, fieldChunks} {
		if superseded[f].counter == 0 {
			continue
		}
		e, err := o.was(superseded[f], c)
		if errors.Is(err, kaijutsu.ErrTooLarge) {
			continue
		}
		if err != nil {
			return origin{}, err
		}
		content, _ := e.content()
		ends, ok := wrote.beginsWith(content)
		if !ok {
			continue
		}
		pieces, err := o.current(&e, hops+1)
		return origin{pieces, ends}, err
	}
	return origin{}, nil
}

// holdsContent reports whether a field may hold the content of a block.
func (f field) holdsContent() bool { return f == fieldText || f == fieldBody || f == fieldChunks }

// name returns the model's name of an id of a change whose actors it knows.
func (o *origins) name(c *amfile.Change, id amfile.OpID) opID {
	return opID{uint32(id.Counter), o.m.actorIndex[c.Actors[id.Actor]]}
}

// was returns what an operation had put as change c saw it; the zero value if
// that is nothing a content can be.
func (o *origins) was(id opID, c *amfile.Change) (entry, error) {
	by, k, err := o.operation(id)
	if err != nil {
		return entry{}, err
	}
	op := &by.Ops[k]
	f, _ := fieldOf(op.Key)
	e := entry{id: id, field: f}
	switch {
	case op.Action == amfile.Put:
		e.kind, e.str = scalar(op.Value)
	case op.Action == amfile.MakeText, op.Action == amfile.MakeList && f == fieldChunks:
		e.kind = valueObject
		e.seq, err = o.rebuild(id, f, op.Action == amfile.MakeList, c)
	}
	return e, err
}

// text is what a change writes at one place: a string, or elements one after
// the other.
type text struct {
	parts    []string
	elements bool
}

// written returns what operation k of a change writes.
func written(c *amfile.Change, k int) text {
	op := &c.Ops[k]
	if op.Action == amfile.Put {
		return text{parts: []string{string(op.Value.Raw)}}
	}
	out := text{elements: true}
	made, elem := amfile.OpID{Counter: c.StartOp + uint64(k)}, amfile.OpID{}
	for i := k + 1; i < len(c.Ops); i++ {
		next := &c.Ops[i]
		if !next.Insert || !next.Seq || next.Action != amfile.Put || next.Value.Type != amfile.String || next.Obj != made || next.Elem != elem {
			break
		}
		out.parts = append(out.parts, string(next.Value.Raw))
		elem = amfile.OpID{Counter: c.StartOp + uint64(i)}
	}
	return out
}

// beginsWith reports whether the text begins with a content, at the end of an
// element, and where its elements end up to there. A string has to be all of
// it.
func (t text) beginsWith(content string) (ends []int, ok bool) {
	if content == "" {
		return nil, false
	}
	if !t.elements {
		return nil, t.parts[0] == content
	}
	long, end := false, 0
	for _, part := range t.parts {
		if content == "" {
			break
		}
		if content, ok = strings.CutPrefix(content, part); !ok {
			return nil, false
		}
		n := utf8.RuneCountInString(part)
		end += n
		ends, long = append(ends, end), long || n != 1
	}
	if content != "" {
		return nil, false
	}
	if !long {
		ends = nil
	}
	return ends, true
}
