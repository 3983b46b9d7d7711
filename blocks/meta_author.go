package blocks

import "kaijutsu"

// MetaAuthor returns who wrote the meta that a block shows, false when it shows
// none.
func (m *Model) MetaAuthor(id ID) (kaijutsu.ActorID, bool) {
	b := m.blocks[id]
	if b == nil {
		return "", false
	}
	e := last(b.fields, fieldMeta)
	if e == nil || e.kind != valueString {
		return "", false
	}
	return m.actors[e.id.actor], true
}
