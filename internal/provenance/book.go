package provenance

import (
	"slices"

	"kaijutsu"
	"kaijutsu/blocks"
)

// book is what the index knows of a document. Fields are guarded by Index.mu.
type book struct {
	heads   kaijutsu.Heads // what the entries are right for; nil: it could not be read
	entries map[blocks.ID]*entry

	letters  int                        // that show
	byAuthor map[kaijutsu.Principal]int // of those
	findings map[string]int             // of drift blocks that are not deleted
	last     uint64                     // the number of the newest letter
}

// putLocked makes an entry that of its block; nil takes the block out.
func (ix *Index) putLocked(doc kaijutsu.DocumentID, b *book, id blocks.ID, e *entry) {
	at := place{doc, id}
	old := b.entries[id]
	b.count(old, -1)
	ix.receiptLocked(at, old, e)
	var watched []cite
	if old != nil {
		watched = old.cites
	}
	if e == nil {
		if delete(b.entries, id); len(b.entries) == 0 {
			delete(ix.citing, doc)
		}
	} else {
		e.number = b.numberOf(old, e)
		if b.entries == nil {
			b.entries = make(map[blocks.ID]*entry)
		}
		b.entries[id] = e
		ix.citing[doc] = struct{}{}
		for _, c := range e.cites {
			if c.watched {
				ix.askLocked(ix.watchLocked(c.key, at))
			}
		}
	}
	b.count(e, 1)
	for _, c := range watched {
		if c.watched && (e == nil || !slices.ContainsFunc(e.cites, func(n cite) bool { return n.key == c.key })) {
			ix.unwatchLocked(c.key, at)
		}
	}
	if e != nil && (len(e.cites) > 0 || len(e.stale) > 0) {
		ix.oweLocked(at)
	}
}

// numberOf returns the number of a letter, a new one for one that is new.
func (b *book) numberOf(old, e *entry) uint64 {
	switch {
	case old != nil && old.number != 0:
		return old.number
	case e.drift == nil:
		return 0
	}
	b.last++
	return b.last
}

// count adds n of an entry to what the book counts.
func (b *book) count(e *entry, n int) {
	if e == nil || e.drift == nil || e.deleted {
		return
	}
	if b.findings == nil {
		b.findings, b.byAuthor = make(map[string]int), make(map[kaijutsu.Principal]int)
	}
	if b.findings[e.drift.finding] += n; b.findings[e.drift.finding] == 0 {
		delete(b.findings, e.drift.finding)
	}
	if !e.letter() {
		return
	}
	b.letters += n
	if b.byAuthor[e.by] += n; b.byAuthor[e.by] == 0 {
		delete(b.byAuthor, e.by)
	}
}

// forgetLocked takes a document out.
func (ix *Index) forgetLocked(doc kaijutsu.DocumentID) {
	b := ix.books[doc]
	if b == nil {
		return
	}
	for id := range b.entries {
		ix.putLocked(doc, b, id, nil)
	}
	delete(ix.books, doc)
	delete(ix.citing, doc)
	delete(ix.owed, doc)
	delete(ix.withheld, doc)
	ix.changed = true
}
