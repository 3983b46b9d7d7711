package blocks

import (
	"slices"
	"time"
)

// Len returns the number of blocks that Blocks returns.
func (m *Model) Len() int { return len(m.arranged()) }

// Blocks returns the blocks of the context in document order: a parent before
// its children, siblings by order key. Deleted blocks are left out, with what
// hangs below them.
func (m *Model) Blocks() []Block {
	rows := m.arranged()
	out := make([]Block, len(rows))
	for i, r := range rows {
		out[i] = m.read(r.block, r.depth)
	}
	return out
}

// Block returns a block, also one that is deleted; false if there is none of
// this id.
func (m *Model) Block(id ID) (Block, bool) {
	b := m.blocks[id]
	if b == nil {
		return Block{}, false
	}
	return m.read(b, m.depth(b)), true
}

// read fills in a block from its fields.
func (m *Model) read(b *blockMap, depth int) Block {
	out := Block{
		ID:        b.key,
		Kind:      KindText,
		Role:      RoleUser,
		Status:    m.status(b),
		Parent:    b.parent,
		Depth:     depth,
		Order:     b.order,
		Deleted:   b.deleted,
		Collapsed: m.flag(b, fieldCollapsed),
		Excluded:  m.flag(b, fieldExcluded),
		Ephemeral: m.flag(b, fieldEphemeral),
		Author:    m.actors[b.id.actor],
		Created:   time.Unix(b.created, 0).UTC(),
	}
	if s, ok := m.str(b, fieldKind); ok && s != "" {
		out.Kind = Kind(s)
	}
	if s, ok := m.str(b, fieldRole); ok && s != "" {
		out.Role = Role(s)
	}
	out.Meta, _ = m.str(b, fieldMeta)
	out.Form, out.Content = m.content(b)
	return out
}

// content returns the form that is current and what it holds: text if it is a
// Text, else body if it is a string, else the joined chunks.
func (m *Model) content(b *blockMap) (Form, string) {
	if e, ok := last(b.fields, fieldText); ok && e.seq != nil {
		return FormText, e.seq.content()
	}
	if s, ok := m.str(b, fieldBody); ok {
		return FormBody, s
	}
	if e, ok := last(b.fields, fieldChunks); ok && e.seq != nil && e.seq.list {
		return FormChunks, e.seq.content()
	}
	return "", ""
}

// status returns the highest of the statuses that clients have put without
// knowing of each other, and of several terminal ones the last.
func (m *Model) status(b *blockMap) Status {
	best := Status("")
	for _, e := range b.fields {
		if e.field != fieldStatus {
			continue
		}
		s, _ := m.text([]entry{e})
		if r := Status(s).rank(); r > 0 && r >= best.rank() {
			best = Status(s)
		}
	}
	if best == "" {
		return StatusDone
	}
	return best
}

// flag reports whether a field is true.
func (m *Model) flag(b *blockMap, f field) bool {
	e, ok := last(b.fields, f)
	return ok && e.kind == valueTrue
}

// str returns the string in a field, false if it holds none.
func (m *Model) str(b *blockMap, f field) (string, bool) {
	e, ok := last(b.fields, f)
	if !ok {
		return "", false
	}
	return m.text([]entry{e})
}

// text returns the string that wins, a scalar or a Text: a JavaScript client
// that forgets to say which it means makes a Text.
func (m *Model) text(entries []entry) (string, bool) {
	if len(entries) == 0 {
		return "", false
	}
	e := entries[len(entries)-1]
	switch {
	case e.kind == valueString:
		return e.str, true
	case e.seq != nil && !e.seq.list:
		return e.seq.content(), true
	}
	return "", false
}

// last returns the entry of a field that wins, the last one.
func last(entries []entry, f field) (entry, bool) {
	for _, e := range slices.Backward(entries) {
		if e.field == f {
			return e, true
		}
	}
	return entry{}, false
}
