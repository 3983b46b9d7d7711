package bench

import (
	"encoding/binary"
	"fmt"

	"kaijutsu"
)

// The messages of y-protocols as y-websocket frames them, a number and what
// belongs to it, and those that Hocuspocus adds:
// https://github.com/yjs/y-protocols/blob/master/PROTOCOL.md and
// https://github.com/ueberdosis/hocuspocus/blob/v3.4.4/packages/server/src/types.ts.
const (
	yjsSync       = 0
	yjsAuth       = 2
	yjsSyncReply  = 4 // a yjsSync that is not to be answered with a first step
	yjsClose      = 7
	yjsSyncStatus = 8

	// Of yjsSync: a state vector, the update that it lacks, and an update.
	yjsStep1      = 0
	yjsStep2      = 1
	yjsUpdateStep = 2

	// Of yjsAuth.
	yjsToken         = 0
	yjsDenied        = 1
	yjsAuthenticated = 2
)

// yjsFraming is how a server of Yjs frames the messages of a document.
type yjsFraming struct {
	// hocuspocus: the document's name begins each message, a client says who it
	// is before anything else, and each update is acknowledged. Else, as
	// y-websocket does it, the connection's URL names the document.
	hocuspocus bool
	doc        docName
}

// yjsMessage is a message of the server. Payload shares its memory.
type yjsMessage struct {
	kind, step uint64
	payload    []byte
	cut        bool // the payload is only the beginning
}

// path is what the URL of a document's connection ends with.
func (f yjsFraming) path() string {
	if f.hocuspocus {
		return "/"
	}
	return "/" + string(f.doc)
}

// sync makes a sync message.
func (f yjsFraming) sync(step uint64, payload []byte) []byte {
	b := f.begin(len(payload) + 16)
	b = binary.AppendUvarint(binary.AppendUvarint(b, yjsSync), step)
	return append(binary.AppendUvarint(b, uint64(len(payload))), payload...)
}

func (f yjsFraming) begin(room int) []byte {
	b := make([]byte, 0, room+len(f.doc))
	if f.hocuspocus {
		b = appendYjsString(b, string(f.doc))
	}
	return b
}

// greeting is the first message of a client: a token, which may be empty, or
// the request.
func (f yjsFraming) greeting() []byte {
	if !f.hocuspocus {
		return f.request(nil)
	}
	return appendYjsString(append(f.begin(8), yjsAuth, yjsToken), "")
}

// request asks for what is not in a state vector: how many units of each client
// are known.
func (f yjsFraming) request(state map[uint64]uint64) []byte {
	vector := binary.AppendUvarint(nil, uint64(len(state)))
	for client, clock := range state {
		vector = yjsID{client, clock}.append(vector)
	}
	return f.sync(yjsStep1, vector)
}

// nothing is an empty update.
var nothing = []byte{0, 0}

// answer returns what a stock client that has nothing of its own answers to a
// message; nil: nothing.
func (f yjsFraming) answer(m yjsMessage) []byte {
	switch {
	case m.kind == yjsAuth && m.step == yjsAuthenticated:
		return f.request(nil)
	case m.kind == yjsSync && m.step == yjsStep1:
		return f.sync(yjsStep2, nothing)
	}
	return nil
}

// read takes a message of size bytes apart, of which b may be the beginning. One
// that a client need not understand has no payload; one that ends the
// conversation is an error.
func (f yjsFraming) read(b []byte, size int) (yjsMessage, error) {
	r := yjsReader{rest: b}
	if f.hocuspocus {
		if name := r.bytes(); r.err == nil && string(name) != string(f.doc) {
			return yjsMessage{}, fmt.Errorf("message of document %q on a connection for %s: %w", name, f.doc, kaijutsu.ErrInvalid)
		}
	}
	m := yjsMessage{kind: r.number()}
	switch m.kind {
	case yjsSync, yjsSyncReply:
		m.kind = yjsSync
		m.step = r.number()
		if m.cut = size > len(b); m.cut {
			r.number()
			m.payload = r.rest
		} else {
			m.payload = r.bytes()
		}
	case yjsAuth:
		m.step = r.number()
		if m.step == yjsDenied {
			return m, fmt.Errorf("server refuses document %s: %q: %w", f.doc, r.bytes(), kaijutsu.ErrDenied)
		}
	case yjsSyncStatus:
		if r.number() != 1 && r.err == nil {
			return m, fmt.Errorf("server refuses an update of document %s: %w", f.doc, kaijutsu.ErrDenied)
		}
	case yjsClose:
		return m, fmt.Errorf("server closes document %s: %q: %w", f.doc, r.bytes(), kaijutsu.ErrUnavailable)
	}
	return m, r.err
}

// brings reports whether the message holds an update.
func (m yjsMessage) brings() bool {
	return m.kind == yjsSync && (m.step == yjsStep2 || m.step == yjsUpdateStep)
}
