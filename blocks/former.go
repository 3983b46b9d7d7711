package blocks

import (
	"slices"

	"kaijutsu/internal/amfile"
)

// former is what a field of a block held before an operation superseded it.
// One that several superseded, not knowing of each other, is there for each. A
// body's string is left to the log.
type former struct {
	entry
	by opID
}

const (
	// maxFormer bounds those of one block.
	maxFormer   = 1 << 10
	formerBytes = 80
)

// keepsFormer reports whether what a field held is kept: what Then tells.
func (f field) keepsFormer() bool { return f.holdsContent() || f == fieldKind || f == fieldDeleted }

// supersede lets go of what an operation superseded in a field of a block, or
// of the document, which owner nil says. What the past of a block is told from
// is kept, where only ContentAt looks for it.
func (m *Model) supersede(owner *blockMap, e entry, by opID) {
	m.forgetSequence(e.seq)
	if owner == nil || !e.field.keepsFormer() || m.lost[owner.key] {
		return
	}
	if len(m.formers[owner]) == maxFormer {
		m.lose(owner)
		return
	}
	if s := e.seq; s != nil {
		for _, entries := range s.special {
			if slices.ContainsFunc(entries, func(e entry) bool { return e.seq != nil }) {
				s.lose()
			}
		}
		m.superseded = append(m.superseded, s)
	}
	if e.field == fieldBody {
		e.str = ""
	}
	m.formers[owner] = append(m.formers[owner], former{e, by})
	m.size += formerBytes
}

// supersedeAgain notes the values among preds that were superseded before, by
// operations that did not know of this one.
func (m *Model) supersedeAgain(owner *blockMap, f field, preds []opID, by opID) {
	if owner == nil || len(m.formers[owner]) == 0 || !f.keepsFormer() {
		return
	}
	for _, p := range preds {
		list := m.formers[owner]
		i := slices.IndexFunc(list, func(o former) bool { return o.id == p && o.field == f })
		if i < 0 || slices.ContainsFunc(list, func(o former) bool { return o.id == p && o.by == by }) {
			continue
		}
		if len(list) == maxFormer {
			m.lose(owner)
			return
		}
		m.formers[owner] = append(list, former{list[i].entry, by})
		m.size += formerBytes
	}
}

// settleFormers takes in the texts and lists that the change at hand superseded.
// What it did to them after that is of no account: no past holds one without
// the other.
func (m *Model) settleFormers() {
	for _, s := range m.superseded {
		if !m.lost[s.owner.key] {
			m.formerTexts[s.id] = s
			m.size += sequenceBytes + s.size
		}
	}
	m.superseded = nil
}

// lose forgets the past of a block: it has to be read from the log.
func (m *Model) lose(b *blockMap) {
	for _, o := range m.formers[b] {
		if o.seq != nil && m.formerTexts[o.seq.id] != nil {
			delete(m.formerTexts, o.seq.id)
			m.size -= sequenceBytes + o.seq.size
		}
	}
	m.size -= int64(len(m.formers[b])) * formerBytes
	delete(m.formers, b)
	m.lost[b.key] = true
}

// applyFormer carries out operation i on a text or list that was superseded by
// somebody who did not know of it. Nothing shows it.
func (a *applying) applyFormer(s *sequence, i int) int {
	op := &a.c.Ops[i]
	if op.Action == amfile.MakeText {
		s.lose()
		return 1
	}
	tracing := a.m.tracing
	a.m.tracing = nil
	n := a.element(s, i)
	a.m.tracing = tracing
	return n
}
