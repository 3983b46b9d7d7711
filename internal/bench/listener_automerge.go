package bench

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/kjproc"
	"kaijutsu/internal/wire"
)

// automergeChoir is what the listeners of one document share: what they have
// heard, since each is told the same, but for its own name.
type automergeChoir struct {
	doc     docName
	journal *journal
	relayed bool
	heard   map[string]*heard // by what follows the listener's name in a frame
	actors  map[kaijutsu.ActorID]int
	names   []kaijutsu.ActorID
}

// heard is one frame, understood.
type heard struct {
	edits   []heardEdit
	changes bool
	heads   string // one behind the other
	reply   []byte // the acknowledgement, in the name of a listener
	name    int    // where in it that name begins
}

type heardEdit struct {
	actor int // among the choir's
	seq   uint64
}

// maxHeard is how many frames a choir remembers.
const maxHeard = 512

func (a automerge) listeners(p *kjproc.Process, doc docName, j *journal) (string, func() listener) {
	c := &automergeChoir{doc: doc, journal: j, relayed: a.relayed, heard: make(map[string]*heard), actors: make(map[kaijutsu.ActorID]int)}
	return p.SyncURL(), func() listener {
		var name [6]byte
		rand.Read(name[:])
		return &automergeListener{automergeChoir: c, id: []byte("bench-" + hex.EncodeToString(name[:]))}
	}
}

// automergeListener is one client that reads along.
type automergeListener struct {
	*automergeChoir
	id     []byte
	server string
	last   []uint64 // the newest edit of each actor
	whole  bool
	told   string // the heads in its last message
}

func (l *automergeListener) greet() [][]byte {
	return [][]byte{wire.Encode(wire.Join{SenderID: string(l.id), Metadata: wire.Metadata{Ephemeral: true}, Versions: []string{wire.Version}})}
}

func (l *automergeListener) ready() bool { return l.whole }

func (l *automergeListener) hear(message []byte, size int, at time.Time) ([][]byte, error) {
	if size > len(message) {
		heads, err := headsOfLong(message)
		if err != nil {
			return nil, err
		}
		return l.answer(&heard{changes: true, heads: heads}, at), nil
	}
	key := message
	if i := bytes.Index(message, l.id); i >= 0 {
		key = message[i+len(l.id):]
	}
	if h := l.heard[string(key)]; h != nil {
		return l.answer(h, at), nil
	}
	m, err := wire.Decode(message)
	if err != nil {
		return nil, fmt.Errorf("frame from the server: %w", err)
	}
	switch m := m.(type) {
	case wire.Peer:
		l.server = m.SenderID
		return l.open(), nil
	case wire.Sync:
		h, err := l.understand(m.Data)
		if err != nil {
			return nil, err
		}
		if len(l.heard) >= maxHeard {
			clear(l.heard)
		}
		l.heard[string(key)] = h
		return l.answer(h, at), nil
	case wire.DocUnavailable:
		return nil, fmt.Errorf("the server does not have document %s: %w", l.doc, kaijutsu.ErrNotFound)
	case wire.Error:
		return nil, fmt.Errorf("server says %q: %w", m.Message, kaijutsu.ErrInvalid)
	}
	return nil, nil
}

// open returns what opens the document.
func (l *automergeListener) open() [][]byte {
	switch {
	case l.doc == "":
		l.whole = true
		return nil
	case l.relayed: // a message without changes has it listen
		return [][]byte{l.sync(&amfile.SyncMessage{Version: 1, Flags: flags})}
	}
	return [][]byte{wire.Encode(wire.Request{SenderID: string(l.id), TargetID: l.server, DocumentID: string(l.doc), Data: emptyRequest()})}
}

func (l *automergeListener) sync(m *amfile.SyncMessage) []byte {
	return wire.Encode(wire.Sync{SenderID: string(l.id), TargetID: l.server, DocumentID: string(l.doc), Data: m.Encode()})
}

// understand takes a sync message apart.
func (l *automergeListener) understand(data []byte) (*heard, error) {
	m, err := amfile.DecodeSync(data)
	if err != nil {
		return nil, fmt.Errorf("sync message from the server: %w", err)
	}
	h := &heard{changes: len(m.Changes) > 0, heads: joinHeads(m.Heads)}
	if l.journal == nil {
		return h, nil
	}
	headers, err := headersOf(m)
	if err != nil {
		return nil, err
	}
	for _, header := range headers {
		actor := header.Author
		n, ok := l.actors[actor]
		if !ok {
			n = len(l.names)
			l.actors[actor], l.names = n, append(l.names, actor)
		}
		h.edits = append(h.edits, heardEdit{n, header.Seq})
	}
	return h, nil
}

// answer notes the edits and returns what a stock client says: that it has them.
func (l *automergeListener) answer(h *heard, at time.Time) [][]byte {
	for _, e := range h.edits {
		for len(l.last) <= e.actor {
			l.last = append(l.last, 0)
		}
		if e.seq > l.last[e.actor] {
			l.last[e.actor] = e.seq
			l.journal.arrived(l.names[e.actor], e.seq, at)
		}
	}
	if l.relayed {
		l.whole = true
		return nil
	}
	if !h.changes && !l.whole && h.heads != "" {
		heads := splitHeads(h.heads)
		return [][]byte{l.sync(&amfile.SyncMessage{Version: 1, Need: heads, Have: []amfile.Have{{}}, Flags: flags})}
	}
	l.whole = l.whole || h.changes
	if h.heads == l.told {
		return nil
	}
	l.told = h.heads
	if h.reply == nil {
		heads := splitHeads(h.heads)
		h.reply = l.sync(&amfile.SyncMessage{Version: 1, Heads: heads, Have: []amfile.Have{{LastSync: heads}}, Flags: flags})
		h.name = bytes.Index(h.reply, l.id)
	}
	copy(h.reply[h.name:], l.id) // as long as the one that is there
	return [][]byte{h.reply}
}

func joinHeads(heads []kaijutsu.ChangeHash) string {
	var b []byte
	for _, h := range heads {
		b = append(b, h[:]...)
	}
	return string(b)
}

func splitHeads(joined string) (heads []kaijutsu.ChangeHash) {
	for part := range slices.Chunk([]byte(joined), len(kaijutsu.ChangeHash{})) {
		heads = append(heads, kaijutsu.ChangeHash(part))
	}
	return heads
}

// headsOfLong returns the heads in a frame of which only the beginning is there:
// a map of texts, the last of which is the sync message, a byte string; that
// begins with its type and its heads.
func headsOfLong(frame []byte) (string, error) {
	const text, data, of4Bytes, tag = 0x60, "data", 0x5a, 0xd8
	i := bytes.Index(frame, append([]byte{text + byte(len(data))}, data...))
	if i < 0 {
		return "", fmt.Errorf("long frame from the server: no data: %w", kaijutsu.ErrInvalid)
	}
	rest := frame[i+1+len(data):]
	if len(rest) > 2 && rest[0] == tag { // of a typed array
		rest = rest[2:]
	}
	if len(rest) < 6 || rest[0] != of4Bytes {
		return "", fmt.Errorf("long frame from the server: its data are no long byte string: %w", kaijutsu.ErrInvalid)
	}
	rest = rest[6:] // its length, and the message's type
	n, used := binary.Uvarint(rest)
	size := int(n) * len(kaijutsu.ChangeHash{})
	if used <= 0 || n > 1000 || used+size > len(rest) {
		return "", fmt.Errorf("long frame from the server: %d heads: %w", n, kaijutsu.ErrInvalid)
	}
	return string(rest[used : used+size]), nil
}
