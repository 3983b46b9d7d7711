package blocks

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"kaijutsu"
)

// Line is a line of a block and the change that wrote it last.
type Line struct {
	Actor      kaijutsu.ActorID
	Change     kaijutsu.ChangeHash
	Time       time.Time // of the author's clock, in whole seconds
	Start, Len int       // code points, without the line feed
}

// Lines says of each line of a block who wrote it last. A line ends with a line
// feed, or with the text; what is behind the last line feed is a line if it is
// not empty. A carriage return is a character like others. The log must hold at
// least the changes that the model holds.
//
// The changes have an order that is the same on every node, by the counter of
// the first operation and then the actor, in which each is behind those it
// depends on. In that order they make states of the content. The last writer
// of a line is the author of the last change before which there was no such
// line: one that was those elements and no others between two line feeds or
// ends of the text, whichever; an empty line is its line feed. So who inserts
// into a line, deletes from it, splits it or joins it with another is its last
// writer, and who puts whole lines around it or takes them away is not.
//
// Elements count as in Blame. Content that took on another form, as a record
// does that becomes a text, was there since those wrote it who wrote the
// record; who wrote something into a record before others put another one in
// its place is not asked. What an undo brought back was never gone, and what it
// took back never was: a line that was changed and is as it was by an undo is
// the work of who wrote it before.
//
// It costs time in proportion to what the content ever held, little more. Of a
// content whose elements were overwritten, which no editor of ours does, the
// changes of the log are read.
//
// The error wraps kaijutsu.ErrNotFound when there is no such block, and
// ErrTooLarge when more than 2^20 changes would have to be read.
func (m *Model) Lines(id ID, log Log) ([]Line, error) {
	b := m.blocks[id]
	if b == nil {
		return nil, fmt.Errorf("lines of block %s: %w", id, kaijutsu.ErrNotFound)
	}
	_, e := formsOf(b.fields).form()
	if e == nil {
		return nil, nil
	}
	lines, err := m.linesOf(e, log)
	if err != nil {
		return nil, fmt.Errorf("lines of block %s: %w", id, err)
	}
	return lines, nil
}

func (m *Model) linesOf(e *entry, log Log) ([]Line, error) {
	p := m.pastLines(log)
	var err error
	if e.seq == nil {
		err = p.readString(e)
	} else if p.from, err = p.formerForm(e); err == nil {
		p.made = e.id
		if err = p.read(e.seq); errors.Is(err, errUntold) {
			p.atoms, p.undo = nil, nil
			err = p.replay(e.seq)
		}
	}
	if err != nil {
		return nil, err
	}
	order, place := p.changes.sorted()
	for i := range p.atoms {
		a := &p.atoms[i]
		if a.ins = place[a.ins]; a.del != noDel {
			a.del = place[a.del]
		}
	}
	placed := lastWriters(p.atoms, len(order))
	out := make([]Line, len(placed))
	for i, l := range placed {
		c := order[l.change]
		out[i] = Line{m.actors[c.actor], log.Hash(c.at), m.timeOf(opID{c.first, c.actor}), l.start, l.n}
	}
	return out, nil
}

func (m *Model) pastLines(log Log) *pastLines {
	return &pastLines{
		origins: &origins{m: m, log: keep(log), scans: maxScanned},
		changes: newChangeOrder(m, log),
	}
}

// readString takes in a content that is one string.
func (p *pastLines) readString(e *entry) error {
	pieces, err := p.current(e, 0)
	if err != nil {
		return err
	}
	return p.atomsOf(elements{id: e.id, n: utf8.RuneCountInString(e.str), text: e.str}, pieces)
}

// formerForm returns where the beginning of a text or list comes from, nil if
// from nowhere else.
func (p *pastLines) formerForm(e *entry) (*cutter, error) {
	from, err := p.of(e.id, 0)
	if err != nil || from.pieces == nil {
		return nil, err
	}
	return newCutter(from), nil
}
