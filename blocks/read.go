package blocks

import "time"

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
	out, current := m.readFields(b, depth)
	form, e := current.form()
	if out.Form = form; e != nil {
		out.Content, _ = e.content()
	}
	return out
}

// readFields fills in a block but for its content, whose fields it returns. Of
// each field the last entry wins.
func (m *Model) readFields(b *blockMap, depth int) (Block, forms) {
	out := Block{
		ID:      b.key,
		Kind:    KindText,
		Role:    RoleUser,
		Parent:  b.parent,
		Depth:   depth,
		Order:   b.order,
		Deleted: b.deleted,
		Author:  m.actors[b.id.actor],
		Created: time.Unix(b.created, 0).UTC(),
	}
	var current forms
	for i := range b.fields {
		switch e := &b.fields[i]; e.field {
		case fieldKind:
			out.Kind = Kind(e.word(string(KindText)))
		case fieldRole:
			out.Role = Role(e.word(string(RoleUser)))
		case fieldStatus:
			out.Status = out.Status.join(Status(e.word("")))
		case fieldText:
			current.text = e
		case fieldBody:
			current.body = e
		case fieldChunks:
			current.chunks = e
		case fieldMeta:
			out.Meta, _ = e.text()
		case fieldCollapsed:
			out.Collapsed = e.kind == valueTrue
		case fieldExcluded:
			out.Excluded = e.kind == valueTrue
		case fieldEphemeral:
			out.Ephemeral = e.kind == valueTrue
		}
	}
	if out.Status == "" {
		out.Status = StatusDone
	}
	return out, current
}

// forms are the fields that may hold the content of a block; each may be nil.
type forms struct{ text, body, chunks *entry }

// formsOf picks the fields that may hold the content out of all fields.
func formsOf(fields []entry) forms {
	return forms{last(fields, fieldText), last(fields, fieldBody), last(fields, fieldChunks)}
}

// form returns the form that is current and the entry that holds the content:
// text if it is a Text, else body if it is a string, else chunks if it is a
// list; nil when the block has none.
func (f forms) form() (Form, *entry) {
	switch {
	case f.text != nil && f.text.seq != nil:
		return FormText, f.text
	case f.body != nil && (f.body.kind == valueString || f.body.seq != nil && !f.body.seq.list):
		return FormBody, f.body
	case f.chunks != nil && f.chunks.seq != nil && f.chunks.seq.list:
		return FormChunks, f.chunks
	}
	return "", nil
}

// content returns what an entry that holds the content of a block holds.
func (e *entry) content() (string, bool) {
	if e.seq != nil {
		return e.seq.content(), true
	}
	return e.str, e.kind == valueString
}

// text returns the string that an entry holds, a scalar or a Text: a
// JavaScript client that forgets to say which it means makes a Text.
func (e *entry) text() (string, bool) {
	switch {
	case e.kind == valueString:
		return e.str, true
	case e.seq != nil && !e.seq.list:
		return e.seq.content(), true
	}
	return "", false
}

// word returns the string that an entry holds, or otherwise when it holds none
// or an empty one.
func (e *entry) word(otherwise string) string {
	if s, _ := e.text(); s != "" {
		return s
	}
	return otherwise
}

// last returns the entry of a field that wins, nil if there is none.
func last(entries []entry, f field) *entry {
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].field == f {
			return &entries[i]
		}
	}
	return nil
}

// flag reports whether a field is true.
func (b *blockMap) flag(f field) bool {
	e := last(b.fields, f)
	return e != nil && e.kind == valueTrue
}

// str returns the string in a field, "" if it holds none.
func (b *blockMap) str(f field) string {
	if e := last(b.fields, f); e != nil {
		return e.word("")
	}
	return ""
}
