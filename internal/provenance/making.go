package provenance

import (
	"slices"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/repo"
)

// making is how a block was made: by which operation, and citing what.
type making struct {
	actor   kaijutsu.ActorID
	counter uint64
	first   string    // the meta, until it is read
	known   bool      // it was read
	cites   []spanKey // what it cited
}

// cited reports whether a block was made with a citation.
func (m *making) cited(key spanKey) bool { return m != nil && slices.Contains(m.cites, key) }

// makings tells how blocks of a view were made. Those that are known already
// are not looked up in the log again.
type makings struct {
	v     repo.View
	first func(blocks.ID) (string, error)
	known map[blocks.ID]*entry
}

func makingsOf(v repo.View, known map[blocks.ID]*entry) makings {
	return makings{v, v.Model().FirstMetas(v.Log()), known}
}

// of returns how a block was made. What cannot be read cited nothing.
func (s makings) of(id blocks.ID) making {
	actor, counter, _ := s.v.Model().Made(id)
	if e := s.known[id]; e != nil && e.making != nil && e.making.actor == actor && e.making.counter == counter {
		return *e.making
	}
	first, err := s.first(id)
	if err != nil {
		first = ""
	}
	return making{actor: actor, counter: counter, first: first}
}

// madeWith reads what a block was made with, unless it is known.
func (ix *Index) madeWith(m making) *making {
	if !m.known {
		citations, _ := drift.ReadCitations(m.first)
		for _, c := range citations {
			if key, ok := ix.spanKeyOf(c.Handle); ok {
				m.cites = append(m.cites, key)
			}
		}
		m.first, m.known = "", true
	}
	return &m
}

// entriesOf returns what the index has of some blocks.
func (ix *Index) entriesOf(doc kaijutsu.DocumentID, ids []blocks.ID) map[blocks.ID]*entry {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	b := ix.books[doc]
	if b == nil {
		return nil
	}
	known := make(map[blocks.ID]*entry, len(ids))
	for _, id := range ids {
		if e := b.entries[id]; e != nil {
			known[id] = e
		}
	}
	return known
}
