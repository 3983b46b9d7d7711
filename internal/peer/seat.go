package peer

import (
	"bytes"

	"kaijutsu"
	"kaijutsu/internal/wire"
)

// Sitting is an editor that has a document open.
type Sitting struct {
	Principal kaijutsu.Principal
	// PeerID is what the editor calls itself: at most wire.MaxPeerIDBytes, any
	// text.
	PeerID   string
	Document kaijutsu.DocumentID
}

// Seat is the place of an editor at a document. Its methods are called from
// several goroutines and return at once.
type Seat interface {
	// Touch says that the editor does something: it changes the document, or
	// says where it is in it. That it is still there is no reason.
	Touch()
	// Leave gives the place back. It is called once.
	Leave()
}

// nowhere is the seat of an editor when nobody keeps seats.
type nowhere struct{}

func (nowhere) Touch() {}
func (nowhere) Leave() {}

// sit takes a seat at a document that was opened.
func (c *conn) sit(d *document) Seat {
	if c.hub.cfg.Seat == nil {
		return nowhere{}
	}
	if s := c.hub.cfg.Seat(Sitting{c.by, c.peerID(), d.id}); s != nil {
		return s
	}
	return nowhere{}
}

// touch says that the editor does something in the document.
func (d *document) touch() {
	d.c.mu.Lock()
	seat := d.seat
	d.c.mu.Unlock()
	if seat != nil {
		seat.Touch()
	}
}

// How the class Presence of automerge-repo begins a message: a map whose one
// key is "__presence", and below it "type". A heartbeat is sent by a timer and a
// snapshot for the sake of somebody new; only "update" tells of something that
// somebody did.
var (
	presenceKey = []byte("\x6a__presence")
	automatic   = [...][]byte{[]byte("\x64type\x69heartbeat"), []byte("\x64type\x68snapshot")}
)

// isAutomatic reports whether an ephemeral message comes without anybody doing
// anything. It looks at the beginning only, where the class writes its type.
func isAutomatic(m wire.Ephemeral) bool {
	head := m.Data[:min(len(m.Data), 64)]
	return bytes.Contains(head, presenceKey) &&
		(bytes.Contains(head, automatic[0]) || bytes.Contains(head, automatic[1]))
}
