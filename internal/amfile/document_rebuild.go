package amfile

import (
	"slices"

	"kaijutsu"
)

// rebuild completes the changes: their operations with actor indexes of their
// own, dependencies, chunk and hash.
func (d *documentDecoder) rebuild(ops []Op) error {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	locals := newActorLocals(d.actors)
	hashes := make([]kaijutsu.ChangeHash, 0, len(d.deps))
	deps := d.deps
	var chunks arena
	for i := range d.changes {
		c, m := &d.changes[i], &d.meta[i]
		c.StartOp = m.startOp
		if m.ops > 0 {
			c.Ops = ops[m.base : m.base+m.ops : m.base+m.ops]
		}
		if m.deps > 0 {
			from := len(hashes)
			for _, dep := range deps[:m.deps] {
				hashes = append(hashes, d.changes[dep].Hash)
			}
			c.Deps, deps = hashes[from:len(hashes):len(hashes)], deps[m.deps:]
		}
		for k := 1; k < len(c.Deps); k++ {
			if c.Deps[k-1].Compare(c.Deps[k]) >= 0 {
				return broken(10, "dependencies of change %d do not ascend", i)
			}
		}
		if !locals.number(c, m.author) {
			return tooLarge(7, "change %d refers to more than %d actors", i, MaxOtherActors)
		}
		body := e.body(c)
		raw, ok := chunks.take(chunkPrefixBytes + ulebLen(uint64(len(body))) + len(body))
		if !ok {
			return tooLarge(2, "changes of more than %d bytes together", MaxDocumentHistoryBytes)
		}
		c.Raw, c.Hash = appendChunk(raw, ChunkChange, body)
	}
	return nil
}

// actorLocals numbers the actors of a document for one change after the other.
type actorLocals struct {
	actors []kaijutsu.ActorID
	index  []uint32             // of each actor in the current change
	seen   []uint32             // the round in which index was set
	others []uint32             // the actors of the current change but its author
	lists  [][]kaijutsu.ActorID // by author, the list of its last change
	round  uint32
}

func newActorLocals(actors []kaijutsu.ActorID) *actorLocals {
	return &actorLocals{
		actors: actors,
		index:  make([]uint32, len(actors)),
		seen:   make([]uint32, len(actors)),
		lists:  make([][]kaijutsu.ActorID, len(actors)),
	}
}

// number sets c.Actors and the actor indexes of its operations, which are
// indexes of the document's table before. It reports false when there are more
// actors than a change may have.
func (l *actorLocals) number(c *Change, author uint32) bool {
	l.round++
	l.others = l.others[:0]
	l.index[author], l.seen[author] = 0, l.round
	c.eachID(func(id *OpID) error {
		if l.seen[id.Actor] != l.round {
			l.seen[id.Actor] = l.round
			l.others = append(l.others, id.Actor)
		}
		return nil
	})
	if len(l.others) > MaxOtherActors {
		return false
	}
	slices.Sort(l.others)
	for i, actor := range l.others {
		l.index[actor] = uint32(i) + 1
	}
	c.eachID(func(id *OpID) error {
		id.Actor = l.index[id.Actor]
		return nil
	})
	c.Actors = l.list(author)
	return true
}

// list returns the actors of the current change. Most changes of an author
// refer to the same ones, and share the list.
func (l *actorLocals) list(author uint32) []kaijutsu.ActorID {
	list := l.lists[author]
	same := len(list) == len(l.others)+1
	for i := 0; same && i < len(l.others); i++ {
		same = list[i+1] == l.actors[l.others[i]]
	}
	if !same {
		list = make([]kaijutsu.ActorID, 1, len(l.others)+1)
		list[0] = l.actors[author]
		for _, actor := range l.others {
			list = append(list, l.actors[actor])
		}
		l.lists[author] = list
	}
	return list
}

// arena hands out memory for many small chunks.
type arena struct {
	block []byte
	taken int
}

const arenaBlockBytes = 256 << 10

// take returns an empty slice with room for size bytes, false when all
// together would have more than MaxDocumentHistoryBytes.
func (a *arena) take(size int) ([]byte, bool) {
	if size > MaxDocumentHistoryBytes-a.taken {
		return nil, false
	}
	a.taken += size
	if size > len(a.block) {
		if size > arenaBlockBytes/4 {
			return make([]byte, 0, size), true
		}
		a.block = make([]byte, arenaBlockBytes)
	}
	b := a.block[:0:size]
	a.block = a.block[size:]
	return b, true
}
