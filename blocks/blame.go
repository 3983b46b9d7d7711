package blocks

import (
	"cmp"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// Run is a number of neighbouring characters that one change wrote.
type Run struct {
	Start, Len int // code points
	Actor      kaijutsu.ActorID
	Change     kaijutsu.ChangeHash
	Time       time.Time // of the author's clock, in whole seconds
}

// Blame says who wrote what a block shows: runs that cover its content from
// front to back without a gap. The log must hold at least the changes that the
// model holds; a model of past heads gives the blame at those heads.
//
// A character is the work of the change that put it where it is. Content that
// took on another form is still the work of those who wrote it: where a change
// replaces a record by a text, or chunks by a body, and what it writes is what
// was there, the characters keep their authors.
//
// The error wraps kaijutsu.ErrNotFound when there is no such block.
func (m *Model) Blame(id ID, log Log) ([]Run, error) {
	b := m.blocks[id]
	if b == nil {
		return nil, fmt.Errorf("blame block %s: %w", id, kaijutsu.ErrNotFound)
	}
	_, e := formsOf(b.fields).form()
	if e == nil {
		return nil, nil
	}
	o := origins{m: m, log: keep(log), scans: maxScanned}
	pieces, err := o.current(e, 0)
	if err == nil {
		var runs []Run
		if runs, err = m.sign(pieces, log); err == nil {
			return runs, nil
		}
	}
	return nil, fmt.Errorf("blame block %s: %w", id, err)
}

// piece is a number of neighbouring characters and the operations that wrote
// them.
type piece struct {
	id  opID
	n   int  // code points
	run bool // each is an operation of its own, id being the first; else all are of id
}

// cut returns the n characters of a piece from the at-th on.
func (p piece) cut(at, n int) piece {
	if p.run {
		p.id = p.id.plus(uint32(at))
	}
	p.n = n
	return p
}

// appendPieces adds what the elements of a text or list contribute.
func (s *sequence) appendPieces(out []piece) []piece {
	for sp := s.first; sp != nil; sp = sp.next {
		out = s.appendSpan(out, sp)
	}
	return out
}

func (s *sequence) appendSpan(out []piece, sp *span) []piece {
	switch sp.kind {
	case spanRun:
		return append(out, piece{sp.id, int(sp.n), true})
	case spanString:
		return append(out, piece{sp.id, utf8.RuneCountInString(sp.text), false})
	case spanOther:
		entries := s.special[sp.id]
		if len(entries) == 0 {
			return out
		}
		e := entries[len(entries)-1]
		if s.list && e.seq != nil {
			return e.seq.appendPieces(out)
		}
		return append(out, piece{e.id, utf8.RuneCountInString(s.specialValue(entries)), false})
	}
	return out
}

// sign turns pieces into runs: it looks up the change of every operation, once
// for each stretch of operations of one change.
func (m *Model) sign(pieces []piece, log Log) ([]Run, error) {
	runs := make([]Run, 0, len(pieces))
	start, last := 0, -1
	for _, p := range pieces {
		for p.n > 0 {
			i, ok := m.findChange(log, p.id)
			if !ok {
				return nil, fmt.Errorf("operation %d of actor %s is not in the log: %w", p.id.counter, m.actors[p.id.actor], kaijutsu.ErrNotFound)
			}
			n := p.n
			if p.run {
				n = m.stretch(log, p, i)
			}
			if i == last {
				runs[len(runs)-1].Len += n
			} else {
				last = i
				runs = append(runs, Run{Start: start, Len: n, Actor: m.actors[p.id.actor], Change: log.Hash(i), Time: m.timeOf(p.id)})
			}
			start += n
			p = p.cut(n, p.n-n)
		}
	}
	return runs, nil
}

func (m *Model) findChange(log Log, id opID) (int, bool) {
	return log.Find(m.actors[id.actor], uint64(id.counter))
}

// stretch returns how many operations of a piece, from its first on, are of
// change i, in steps that double and then halve.
func (m *Model) stretch(log Log, p piece, i int) int {
	within := func(n int) bool {
		k, ok := m.findChange(log, p.id.plus(uint32(n)))
		return ok && k == i
	}
	in, step := 0, 1 // operation in is of the change
	for in+step < p.n && within(in+step) {
		in += step
		step *= 2
	}
	for step /= 2; step > 0; step /= 2 {
		if in+step < p.n && within(in+step) {
			in += step
		}
	}
	return in + 1
}

// stamp says at which time an actor made the operations from start on.
type stamp struct {
	start uint32
	time  int64 // Unix seconds
}

const stampBytes = 16

// timeOf returns the time of the change that holds an operation.
func (m *Model) timeOf(id opID) time.Time {
	stamps := m.stamps[id.actor]
	k, exact := slices.BinarySearchFunc(stamps, id.counter, func(s stamp, c uint32) int { return cmp.Compare(s.start, c) })
	if !exact {
		k--
	}
	if k < 0 {
		return time.Time{}
	}
	return time.Unix(stamps[k].time, 0).UTC()
}

// stamp notes the time of a change.
func (m *Model) stamp(author uint32, c *amfile.Change) {
	stamps := m.stamps[author]
	if n := len(stamps); len(c.Ops) == 0 || n > 0 && stamps[n-1].time == c.Time {
		return
	}
	m.stamps[author] = append(stamps, stamp{uint32(c.StartOp), c.Time})
	m.size += stampBytes
}
