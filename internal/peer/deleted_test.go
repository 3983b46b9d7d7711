package peer_test

import (
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/peer"
	"kaijutsu/internal/wire"
)

// TestDeletedDocumentsAreUnavailable deletes more documents than a connection
// may be refused in: the client is told of each, now and when it comes again,
// and goes on with the others.
func TestDeletedDocumentsAreUnavailable(t *testing.T) {
	s := start(t, func(c *peer.Config) { c.Limits.Refusals = 2 })
	var docs []kaijutsu.DocumentID
	for range 4 {
		doc, _ := s.plan()
		docs = append(docs, doc)
	}
	open := s.join("open")
	r := open.replica(docs[0]).open()
	open.until("the document", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.graph.Len() > 0
	})
	for _, doc := range docs {
		if err := s.repo.Delete(t.Context(), doc); err != nil {
			t.Fatal(err)
		}
	}
	told := func(c *client, doc kaijutsu.DocumentID) {
		t.Helper()
		wait(c, "why", func(m wire.Error) bool {
			return strings.Contains(m.Message, doc.String()) && strings.Contains(m.Message, "deleted")
		})
		wait(c, "doc-unavailable", func(m wire.DocUnavailable) bool { return m.DocumentID == doc.String() })
	}
	told(open, docs[0])
	late := s.join("late")
	for _, doc := range docs {
		late.replica(doc).edit("k", amfile.IntValue(1))
		told(late, doc)
	}
	other := late.replica(newDocument())
	other.acked(other.edit("k", amfile.IntValue(1)))
}

// TestARightTakenAwayEndsOneDocument: the client is told, gets nothing more, and
// is served again when it may read again.
func TestARightTakenAwayEndsOneDocument(t *testing.T) {
	rights := roles{of: map[string]kaijutsu.Right{"amy": kaijutsu.RightEdit, "ben": kaijutsu.RightEdit}}
	s := start(t, func(c *peer.Config) { c.Right = rights.ask })
	doc := newDocument()
	a := s.join("amy").replica(doc)
	h := a.edit("k", amfile.IntValue(1))
	a.acked(h)
	c := s.dial("ben", "?as=ben").shake("")
	b := c.replica(doc).open()
	b.has(h)
	rights.set("ben", kaijutsu.RightNone)
	a.send(wire.Ephemeral{SenderID: a.client.id, DocumentID: doc.String(), SessionID: "s", Count: 1, Data: []byte{1}})
	secret := a.edit("secret", amfile.IntValue(1))
	a.acked(secret)
	wait(c, "why", func(m wire.Error) bool { return strings.Contains(m.Message, "taken away") })
	wait(c, "doc-unavailable", func(m wire.DocUnavailable) bool { return m.DocumentID == doc.String() })
	b.mu.Lock()
	leaked := b.graph.Has(secret)
	b.mu.Unlock()
	if leaked || len(all[wire.Ephemeral](c)) > 0 {
		t.Error("the client got what came after its right was taken away")
	}
	rights.set("ben", kaijutsu.RightRead)
	again := s.dial("ben", "?as=ben").shake("").replica(doc).open()
	again.has(secret)
}
