package blocks

import (
	"cmp"

	"kaijutsu"
)

// opID names an operation of the document in eight bytes: its counter and its
// author's index in Model.actors. Counter 0 is ROOT or HEAD.
type opID struct {
	counter uint32
	actor   uint32
}

// plus returns the id of the operation n further on in its change.
func (id opID) plus(n uint32) opID { return opID{id.counter + n, id.actor} }

// actor returns the index of an actor, giving it one if it is new.
func (m *Model) actor(a kaijutsu.ActorID) uint32 {
	if i, ok := m.actorIndex[a]; ok {
		return i
	}
	i := uint32(len(m.actors))
	m.actors = append(m.actors, a)
	m.applied = append(m.applied, 0)
	m.stamps = append(m.stamps, nil)
	m.actorIndex[a] = i
	m.size += int64(2*len(a)) + actorBytes
	return i
}

// less reports whether a comes before b in Automerge's order of operations:
// counter, then actor bytes.
func (m *Model) less(a, b opID) bool { return m.compare(a, b) < 0 }

func (m *Model) compare(a, b opID) int {
	if a.counter != b.counter || a.actor == b.actor {
		return cmp.Compare(a.counter, b.counter)
	}
	return cmp.Compare(m.actors[a.actor], m.actors[b.actor])
}
