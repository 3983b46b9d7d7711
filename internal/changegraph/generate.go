package changegraph

import (
	"slices"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// Generate returns the message that the peer is to be sent now, false when
// there is nothing new to tell it: it has been told our heads, been sent what
// it lacks and been asked for what we lack. Call it whenever the document has
// changed or a message came, and send what it returns, in order. The bytes are
// shared between peers and must not be modified.
//
// The first call always returns a message, so that every peer learns our heads
// once; nothing is ever said twice.
func (g *Graph) Generate(s *SyncState) (data []byte, ok bool) {
	g.catchUp(s)
	if s.resetDue || s.forgot {
		return g.generateReset(s), true
	}
	g.recheck(s)
	var need []kaijutsu.ChangeHash
	if !s.exact && !s.readOnly {
		need = g.missing(s.theirHeads, s)
	}
	send := g.unsent(s)
	if s.responded && s.sentLen == len(g.log) && len(send) == 0 && !s.answerDue && slices.Equal(need, s.asked) {
		return nil, false
	}
	if s.exact && !s.peerReadOnly {
		data = g.encodeExact(s, send)
	} else {
		data = g.encode(&amfile.SyncMessage{Version: 1, Heads: g.Heads(), Need: need, Have: g.have(s, need)}, send)
	}
	s.responded, s.sentLen, s.asked, s.answerDue = true, len(g.log), need, false
	s.todo, s.flying, s.cold = nil, s.flying.union(send), false
	if s.heard {
		s.covered = len(g.log)
	}
	return data, true
}

// recheck settles a peer whose heads have all become known, through others,
// since its last message.
func (g *Graph) recheck(s *SyncState) {
	if !s.heard || s.exact || len(s.theirHeads) == 0 {
		return
	}
	known, unknown := g.resolve(s.theirHeads)
	if len(unknown) > 0 {
		return
	}
	needed := s.todo
	s.exact, s.shared = true, s.theirHeads
	g.settle(s, g.since(known), nil)
	s.todo = s.todo.union(needed)
}

// unsent returns the changes that go into the next message.
func (g *Graph) unsent(s *SyncState) spans {
	if !s.heard || s.peerReadOnly {
		return nil
	}
	return s.todo.union(between(s.covered, len(g.log)))
}

// encodeExact composes the message for a peer that will hold all that we hold
// when it has read it: then our heads are what is shared, and no filter is
// needed. Such messages are the same for every peer that lacks the same.
func (g *Graph) encodeExact(s *SyncState, send spans) []byte {
	whole := s.cold && g.snapshot != nil
	if data, ok := g.sent.find(len(g.log), send, whole); ok {
		return data
	}
	var data []byte
	if whole {
		data = g.encodeDocument()
	} else {
		data = g.encode(&amfile.SyncMessage{Version: 1, Heads: g.Heads(), Have: []amfile.Have{{LastSync: g.Heads()}}}, send)
	}
	g.sent.put(len(g.log), send, whole, data)
	return data
}

// encodeDocument composes the message that carries the whole document: the
// snapshot and the changes since.
func (g *Graph) encodeDocument() []byte {
	tail := make([][]byte, 0, len(g.log)-g.snapshotCovers)
	for i := g.snapshotCovers; i < len(g.log); i++ {
		tail = append(tail, g.Raw(i))
	}
	return EncodeWhole(g.Heads(), g.snapshot, tail)
}

// EncodeWhole composes the message that carries a whole document to a peer that
// holds nothing: a document chunk and the changes behind it, with these heads
// together. It is what Generate returns for such a peer.
func EncodeWhole(heads kaijutsu.Heads, chunk []byte, tail [][]byte) []byte {
	m := amfile.SyncMessage{Version: 2, Heads: heads, Have: []amfile.Have{{LastSync: heads}}}
	return m.EncodeFile(append([][]byte{chunk}, tail...)...)
}

// HoldsNothing reports whether a peer's message asks for everything and takes a
// document chunk: Generate answers a new state that received it with EncodeWhole
// when there is a snapshot.
func HoldsNothing(m *amfile.SyncMessage) bool {
	if len(m.Heads) > 0 || len(m.Need) > 0 || m.Flags == nil || m.Flags.ReadOnly || !filtersEmpty(m) {
		return false
	}
	for i := range m.Have {
		if len(m.Have[i].LastSync) > 0 {
			return false
		}
	}
	return true
}

// HoldsExactly reports whether a peer's message says that it holds what has
// these heads, and asks for nothing.
func HoldsExactly(m *amfile.SyncMessage, heads kaijutsu.Heads) bool {
	return len(m.Need) == 0 && (m.Flags == nil || !m.Flags.ReadOnly) && heads.Equal(kaijutsu.NewHeads(m.Heads...))
}

func (g *Graph) encode(m *amfile.SyncMessage, send spans) []byte {
	if len(send) > 0 {
		m.Changes = make([][]byte, 0, send.count())
		for i := range send.all() {
			m.Changes = append(m.Changes, g.Raw(int(i)))
		}
	}
	return m.Encode()
}

// have says what we hold, as far as the peer's next message depends on it. It
// is left out while we wait for changes behind the peer's heads: their
// dependencies come first.
func (g *Graph) have(s *SyncState, need []kaijutsu.ChangeHash) []amfile.Have {
	for _, h := range need {
		if !s.theirHeads.Contains(h) {
			return nil
		}
	}
	known, unknown := g.resolve(s.shared)
	if len(unknown) > 0 {
		s.shared = g.hashes(known)
	}
	outside := g.since(known)
	hashes := make([]kaijutsu.ChangeHash, 0, outside.count())
	for i := range outside.all() {
		hashes = append(hashes, g.log[i].hash)
	}
	return []amfile.Have{{LastSync: s.shared, Bloom: amfile.NewBloom(hashes)}}
}

// generateReset composes the message that makes the peer send again: to a
// peer that believes in shared changes we do not have, the claim to have
// nothing since the beginning; to a peer whose changes were forgotten, the
// claim to have no heads, on which it takes everything it sent for lost.
func (g *Graph) generateReset(s *SyncState) []byte {
	m := &amfile.SyncMessage{Version: 1, Heads: g.Heads(), Have: []amfile.Have{{}}}
	s.responded, s.sentLen = true, len(g.log)
	if s.forgot {
		m.Heads, m.Have = nil, g.have(s, nil)
		s.forgot, s.sentLen = false, -1
		return m.Encode()
	}
	s.resetDue, s.resetDone = false, true
	return m.Encode()
}

// Idle reports that the peer holds and knows all that we do, and has nothing to
// be told: Generate would return false. It may report false when that is so.
func (g *Graph) Idle(s *SyncState) bool {
	return s.exact && s.responded && s.sentLen == len(g.log) && s.epoch == g.epoch() && !s.answerDue && !s.resetDue && !s.forgot &&
		(s.peerReadOnly || len(s.todo) == 0 && s.covered >= len(g.log)) && len(s.asked) == 0
}
