package peer

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/internal/wire"
)

// MaxRelayed bounds a message that goes to other nodes, in bytes: the largest
// payload, and names.
const MaxRelayed = wire.MaxEphemeralBytes + 4<<10

// relayVersion begins every message between nodes.
const relayVersion = 1

// packEphemeral writes a message for other nodes: the version, who sent it as
// kind:name behind its length, and the frame as editors get it, without a
// target. The principal goes along because counts are a principal's own.
func packEphemeral(by kaijutsu.Principal, m wire.Ephemeral) []byte {
	m.TargetID = ""
	who := by.String()
	b := make([]byte, 0, len(who)+len(m.Data)+512)
	b = append(b, relayVersion, byte(len(who)))
	b = append(b, who...)
	return wire.Append(b, m)
}

// unpackEphemeral reads what packEphemeral wrote. The error wraps
// kaijutsu.ErrInvalid.
func unpackEphemeral(b []byte) (by kaijutsu.Principal, m wire.Ephemeral, err error) {
	switch {
	case len(b) > MaxRelayed:
		return by, m, fmt.Errorf("ephemeral message of %d bytes: at most %d: %w", len(b), MaxRelayed, kaijutsu.ErrTooLarge)
	case len(b) < 2 || b[0] != relayVersion || len(b) < 2+int(b[1]):
		return by, m, fmt.Errorf("ephemeral message: its head is not of version %d: %w", relayVersion, kaijutsu.ErrInvalid)
	}
	kind, name, _ := strings.Cut(string(b[2:2+int(b[1])]), ":")
	by = kaijutsu.Principal{Name: name, Kind: kaijutsu.PrincipalKind(kind)}
	if by.IsZero() || kind == "" || !utf8.ValidString(name) {
		return by, m, fmt.Errorf("ephemeral message of %.64q, who is nobody: %w", name, kaijutsu.ErrInvalid)
	}
	frame, err := wire.Decode(slices.Clone(b[2+int(b[1]):]))
	if err != nil {
		return by, m, err
	}
	m, ok := frame.(wire.Ephemeral)
	if !ok {
		return by, m, fmt.Errorf("frame of type %.64q, want an ephemeral message: %w", frame.Type(), kaijutsu.ErrInvalid)
	}
	return by, m, nil
}

// DeliverEphemeral shows the editors of a document what an editor of another
// node sent, in the order of the calls, once: duplicates are dropped, and so is
// what goes to whom may not read the document. It does not wait. The error
// wraps kaijutsu.ErrInvalid or kaijutsu.ErrTooLarge when the bytes are no
// message.
func (h *Hub) DeliverEphemeral(message []byte) error {
	by, m, err := unpackEphemeral(message)
	if err != nil {
		h.count.relayedBad.Add(1)
		return fmt.Errorf("message of another node: %w", err)
	}
	if h.usurped(by, m.SenderID) || !h.seen.fresh(by, m) {
		h.count.ephemeralsDropped.Add(1)
		return nil
	}
	shown := relay(m)
	for _, d := range h.listeners.of(m.DocumentID) {
		if d.c.peerID() != m.SenderID && d.right() >= kaijutsu.RightRead {
			d.c.queueEphemeral(shown)
			h.count.relayed.Add(1)
		}
	}
	return nil
}

// usurped reports whether a peer id is that of an editor here who is somebody
// else: it was here first, and nobody speaks in its name.
func (h *Hub) usurped(by kaijutsu.Principal, peerID string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	here := h.peers[peerID]
	return here != nil && here.by != by
}

// listeners are the editors' open documents, by the document's name on the
// wire. The zero value is empty.
type listeners struct {
	mu  sync.RWMutex
	all map[string]map[*document]struct{} // guarded by mu
}

func (l *listeners) add(d *document) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = make(map[string]map[*document]struct{})
	}
	if l.all[d.name] == nil {
		l.all[d.name] = make(map[*document]struct{})
	}
	l.all[d.name][d] = struct{}{}
}

func (l *listeners) remove(d *document) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.all[d.name], d)
	if len(l.all[d.name]) == 0 {
		delete(l.all, d.name)
	}
}

// of returns the editors of a document.
func (l *listeners) of(name string) []*document {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if len(l.all[name]) == 0 {
		return nil
	}
	all := make([]*document, 0, len(l.all[name]))
	for d := range l.all[name] {
		all = append(all, d)
	}
	return all
}
