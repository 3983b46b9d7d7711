package access

import (
	"time"

	"kaijutsu"
	"kaijutsu/internal/records"
)

// Inherited returns what gives a document that is made of another the other's
// grants, and its maker the role own: to be written before the document is made.
func (t *Table) Inherited(from, to kaijutsu.DocumentID, maker kaijutsu.Principal) []records.Record {
	g := Grant{Principal: maker, Right: kaijutsu.RightOwn, By: maker, At: t.now().UTC().Truncate(time.Millisecond)}
	var rs []records.Record
	if _, err := t.known(maker.Name); err == nil { // an owner of the kernel's needs none
		rs = append(rs, recordOfGrant(to, g))
	}
	for _, had := range t.Grants(from) {
		if had.Principal.Name != maker.Name {
			g.Principal, g.Right = had.Principal, had.Right
			rs = append(rs, recordOfGrant(to, g))
		}
	}
	return rs
}

// Rest lets nobody do more with a document than with the one that it rests on,
// until Stand: who may do what with it is not known here yet.
func (t *Table) Rest(doc, on kaijutsu.DocumentID) {
	if doc == on {
		return
	}
	t.mu.Lock()
	t.rests[doc] = on
	t.mu.Unlock()
	t.change(doc)
}

// Stand says that who may do what with a document is known.
func (t *Table) Stand(doc kaijutsu.DocumentID) {
	t.mu.RLock()
	_, rests := t.rests[doc]
	t.mu.RUnlock()
	if !rests {
		return
	}
	t.mu.Lock()
	delete(t.rests, doc)
	t.mu.Unlock()
	t.change(doc)
}
