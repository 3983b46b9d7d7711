package changegraph

import (
	"encoding/binary"
	"hash/fnv"

	"kaijutsu"
	"kaijutsu/internal/amfile"
)

// ReceiveOptions say what a peer may do.
type ReceiveOptions struct {
	// ReadOnly refuses the peer's changes and asks it for none.
	ReadOnly bool
}

// Received is what came of a sync message.
type Received struct {
	// Added are the changes that the document has gained, in order: from the
	// message, and those that waited for them.
	Added []*amfile.Change
	// Refused are changes that this peer brought, now or earlier, and that
	// were not taken. The rest of the message was.
	Refused []*Refusal
	// TheirHeads are the heads that the peer tells; not to be modified.
	TheirHeads kaijutsu.Heads
	// Reset says that the peer believes in shared changes that are not here;
	// the next message asks it to start over.
	Reset bool
}

// Receive takes a peer's message; changes are those of the message, decoded.
// What to answer, if anything, is Generate's business. Nothing is kept of m.
func (g *Graph) Receive(s *SyncState, m *amfile.SyncMessage, changes []*amfile.Change, opt ReceiveOptions) Received {
	g.catchUp(s)
	released := s.readOnly && !opt.ReadOnly // its changes were refused until now
	if released {
		s.denied = refusals{}
	}
	s.readOnly = opt.ReadOnly
	s.readFlags(m.Flags)
	r := Received{TheirHeads: kaijutsu.NewHeads(m.Heads...)}
	for _, c := range changes {
		added, refusal := g.add(c, s)
		r.Added = append(r.Added, added...)
		if refusal != nil {
			r.Refused = append(r.Refused, refusal)
		}
	}
	r.Refused = append(r.Refused, s.refused...)
	s.refused = nil
	g.locate(s, m, r.TheirHeads)
	r.Refused = append(r.Refused, g.dropStrays(s)...)
	s.forgot = s.forgot || released && !s.exact
	r.Reset = s.resetDue
	return r
}

func (s *SyncState) readFlags(f *amfile.SyncFlags) {
	if f == nil {
		return
	}
	s.v2 = true
	if f.Reset {
		s.flying = nil
	}
	s.peerReadOnly = f.ReadOnly
}

// locate finds out from a message what the peer holds and lacks.
func (g *Graph) locate(s *SyncState, m *amfile.SyncMessage, heads kaijutsu.Heads) {
	var claims []kaijutsu.ChangeHash
	for i := range m.Have {
		claims = append(claims, m.Have[i].LastSync...)
	}
	known, unknown := g.resolve(heads)
	held, strange := g.resolve(claims)
	lost := g.lost(strange, heads)
	claimsNothing := len(claims) == 0 && filtersEmpty(m)
	// A peer that has no heads and yet claims changes takes what it was sent
	// for lost, and says so in the old way.
	s.heard, s.theirHeads = true, heads
	s.exact = len(unknown) == 0 && (len(heads) > 0 || claimsNothing)
	s.cold = s.exact && len(heads) == 0 && s.v2 && len(m.Need) == 0
	if len(heads) == 0 || claimsNothing && len(m.Have) > 0 {
		s.flying = nil
	}
	switch {
	case s.exact:
		s.shared = heads
		g.settle(s, g.since(known), nil)
	case len(m.Have) == 0 || len(strange) > 0 && !(lost && s.resetDone):
		// It wants nothing but what it needs; or what it claims comes with
		// the changes that it will be asked for, or it is to start over.
		g.learnShared(s, append(held, known...))
	default:
		held = append(held, known...)
		g.learnShared(s, held)
		g.settle(s, g.since(held), g.claims(m.Have))
	}
	needed, _ := g.resolve(m.Need)
	s.todo = s.todo.union(spansOf(needed))
	s.resetDue = lost && !s.resetDone
	hello := fingerprint(m)
	s.answerDue = s.responded && len(m.Have) > 0 && len(claims) == 0 &&
		hello != s.lastHello && !heads.Equal(g.Heads())
	s.lastHello = hello
}

// filtersEmpty reports whether the message's filters claim nothing.
func filtersEmpty(m *amfile.SyncMessage) bool {
	for i := range m.Have {
		if !m.Have[i].Bloom.IsEmpty() {
			return false
		}
	}
	return true
}

// claims returns a function that reports whether any of the filters holds a
// change. Peers send one filter; more than a few are not looked at, and what
// they claim is sent.
func (g *Graph) claims(haves []amfile.Have) func(int32) bool {
	haves = haves[:min(len(haves), maxFilters)]
	return func(i int32) bool {
		for k := range haves {
			if haves[k].Bloom.Contains(g.log[i].hash) {
				return true
			}
		}
		return false
	}
}

// lost reports whether changes that the peer believes to be shared are neither
// here nor on their way.
func (g *Graph) lost(strange []kaijutsu.ChangeHash, heads kaijutsu.Heads) bool {
	for _, h := range strange {
		if g.waiting.byHash[h] == nil && !heads.Contains(h) {
			return true
		}
	}
	return false
}

// fingerprint tells apart messages that say different things about the state
// of the peer.
func fingerprint(m *amfile.SyncMessage) uint64 {
	f := fnv.New64a()
	write := func(hashes []kaijutsu.ChangeHash) {
		f.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(hashes))))
		for i := range hashes {
			f.Write(hashes[i][:])
		}
	}
	write(m.Heads)
	write(m.Need)
	for i := range m.Have {
		write(m.Have[i].LastSync)
	}
	return f.Sum64()
}
