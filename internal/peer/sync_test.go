package peer_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/peer"
	"kaijutsu/internal/wire"
)

func TestTwoEditorsMeet(t *testing.T) {
	s := start(t, nil)
	doc := newDocument()
	a, b := s.join("amy").replica(doc), s.join("ben").replica(doc)
	first := a.edit("k", amfile.IntValue(0))
	a.acked(first)
	b.open().has(first)
	for i := range 20 {
		b.has(a.edit("a", amfile.IntValue(int64(i))))
		a.has(b.edit("b", amfile.IntValue(int64(i))))
	}
	late := s.join("late").replica(doc).open()
	h := a.edit("last", amfile.IntValue(1))
	late.has(h)
	for _, r := range []*replica{a, b, late} {
		r.acked(h)
	}
}

func TestUnknownDocumentsAreUnavailableUntilTheyCome(t *testing.T) {
	s := start(t, nil)
	doc := newDocument()
	b := s.join("ben").replica(doc).open()
	got := wait(b.client, "doc-unavailable", func(wire.DocUnavailable) bool { return true })
	if want := (wire.DocUnavailable{SenderID: serverID, TargetID: b.client.id, DocumentID: doc.String()}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	a := s.join("amy").replica(doc)
	b.has(a.edit("k", amfile.IntValue(1)))
	if n := len(all[wire.DocUnavailable](b.client)); n != 1 {
		t.Errorf("told %d times that the document is unavailable, want once", n)
	}
}

func TestDocumentsAreNotAnnounced(t *testing.T) {
	s := start(t, nil)
	doc, other := newDocument(), newDocument()
	bystander := s.join("bystander")
	y := bystander.replica(other).open()
	wait(bystander, "doc-unavailable", func(wire.DocUnavailable) bool { return true })
	a, b := s.join("amy").replica(doc), s.join("ben").replica(doc).open()
	b.has(a.edit("k", amfile.IntValue(1)))
	b.has(a.edit("k", amfile.IntValue(2)))
	y.acked(y.edit("k", amfile.IntValue(3)))
	for _, m := range all[wire.Sync](bystander) {
		if m.DocumentID != other.String() {
			t.Errorf("unasked: %+v", m)
		}
	}
}

func TestManyDocumentsOnOneConnection(t *testing.T) {
	s := start(t, nil)
	c := s.join("amy")
	const n = 60
	for i := range n {
		doc := newDocument()
		r := c.replica(doc)
		r.acked(r.edit("k", amfile.IntValue(int64(i))))
	}
	if got := s.repo.Stats().Open; got != n {
		t.Errorf("%d documents are open, want %d", got, n)
	}
	_ = c.ws.CloseNow()
	eventually(t, "the connection is gone", func() bool { return s.hub.Stats().Connections == 0 })
}

func TestADocumentCountIsLimited(t *testing.T) {
	s := start(t, func(c *peer.Config) { c.Limits.Documents = 2 })
	c := s.join("amy")
	var docs []kaijutsu.DocumentID
	for range 3 {
		doc := newDocument()
		docs = append(docs, doc)
		c.send(wire.Request{SenderID: c.id, DocumentID: doc.String(), Data: (&amfile.SyncMessage{Version: 1}).Encode()})
	}
	wait(c, "error about the third", func(m wire.Error) bool { return true })
	for _, doc := range docs {
		wait(c, "doc-unavailable", func(m wire.DocUnavailable) bool { return m.DocumentID == doc.String() })
	}
}

// access is a permission table that tests change while the server runs.
type access struct{ right atomic.Uint32 }

func (a *access) ask(_ context.Context, by kaijutsu.Principal, _ kaijutsu.DocumentID) kaijutsu.Right {
	if by.Name == "amy" {
		return kaijutsu.RightOwn
	}
	return kaijutsu.Right(a.right.Load())
}

func (a *access) set(r kaijutsu.Right) { a.right.Store(uint32(r)) }

func TestADeniedDocumentIsUnavailable(t *testing.T) {
	var rights access
	s := start(t, func(c *peer.Config) { c.Right = rights.ask })
	doc := newDocument()
	a := s.join("amy").replica(doc)
	h := a.edit("k", amfile.IntValue(1))
	a.acked(h)

	c := s.dial("ben", "?as=ben").shake("")
	r := c.replica(doc).open()
	wait(c, "doc-unavailable", func(m wire.DocUnavailable) bool { return m.DocumentID == doc.String() })
	c.send(wire.Ephemeral{SenderID: c.id, DocumentID: doc.String(), SessionID: "s", Count: 1, Data: []byte{1}})
	c.until("the second answer", func() bool { return len(c.got) >= 3 })
	if got := all[wire.Sync](c); len(got) > 0 {
		t.Errorf("a denied document was served: %+v", got)
	}
	if got := all[wire.Ephemeral](a.client); len(got) > 0 {
		t.Errorf("an ephemeral message from a denied peer was relayed: %+v", got)
	}

	rights.set(kaijutsu.RightEdit) // granted: the next message is served
	r.edit("mine", amfile.IntValue(1))
	r.has(h)
}

func TestAReadOnlyPeerReads(t *testing.T) {
	var rights access
	rights.set(kaijutsu.RightRead)
	s := start(t, func(c *peer.Config) { c.Right = rights.ask })
	doc := newDocument()
	a := s.join("amy").replica(doc)
	h := a.edit("k", amfile.IntValue(1))
	a.acked(h)

	c := s.dial("ben", "?as=ben").shake("")
	b := c.replica(doc).open()
	b.has(h)
	mine := b.edit("mine", amfile.IntValue(1))
	for i := range 5 {
		b.has(a.edit("k", amfile.IntValue(int64(i))))
	}
	heads, err := s.repo.Heads(t.Context(), doc)
	if err != nil || heads.Contains(mine) {
		t.Errorf("heads = %v, %v; want none of the reader's", heads, err)
	}
	got := all[wire.Error](c)
	if len(got) != 1 || !strings.Contains(got[0].Message, mine.String()) || !strings.Contains(got[0].Message, "may only read") {
		t.Errorf("the reader was told %+v, want once that it may only read, naming change %v", got, mine)
	}
	rights.set(kaijutsu.RightEdit) // from now on it may write, what it has written too
	a.has(b.edit("more", amfile.IntValue(1)))
	a.has(mine)
}

func TestReconnectingResumes(t *testing.T) {
	s := start(t, nil)
	doc := newDocument()
	a, b := s.join("amy").replica(doc), s.join("ben").replica(doc).open()
	b.has(a.edit("k", amfile.IntValue(1)))
	for i := range 10 {
		_ = b.ws.CloseNow()
		b.edit(fmt.Sprint("offline ", i), amfile.IntValue(1)) // lost with the socket
		h := a.edit("k", amfile.IntValue(int64(i)))
		again := s.join("ben").replica(doc)
		b.mu.Lock()
		again.graph = b.graph
		b.mu.Unlock()
		again.open()
		again.has(h)
		a.has(again.edit("online", amfile.IntValue(int64(i))))
		b = again
	}
}
