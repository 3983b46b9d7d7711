package changegraph

import (
	"slices"

	"kaijutsu"
)

// SyncState is where the sync of one document with one peer stands. It lives
// as long as the connection and is used with one graph only; like the graph it
// is not safe for concurrent use. Its size does not depend on the history: the
// two sets are one range of the log or none for a peer that keeps up.
type SyncState struct {
	// Peer is whose state it is, for Graph.Judge; the graph does not look at it.
	Peer any

	heard      bool           // a message came
	theirHeads kaijutsu.Heads // of that message
	exact      bool           // all of theirHeads are known, so what the peer lacks is known exactly
	shared     kaijutsu.Heads // both sides hold these

	todo    spans // changes that go into the next message, as do those from covered on
	flying  spans // changes that were sent and that the peer has not said it has
	covered int   // length of the log when this was found out

	responded bool                  // a message went out
	sentLen   int                   // length of the log whose heads it told, -1 for none
	asked     []kaijutsu.ChangeHash // the need it told
	answerDue bool                  // the peer seems to start over and waits for our heads
	lastHello uint64                // fingerprint of what the peer's last message told of its state

	readOnly     bool // the peer may not write: its changes are refused
	peerReadOnly bool // the peer ignores changes
	v2           bool // the peer reads version 2
	cold         bool // the peer holds nothing and may be sent a document chunk
	resetDue     bool // the peer believes in shared changes that are not here
	resetDone    bool
	forgot       bool // changes it has sent were truncated or ignored

	epoch   int        // of the graph when the state was last used
	refused []*Refusal // changes it brought earlier, refused since
	denied  refusals   // changes that this peer may not bring
	waits   int        // changes it brought that wait for others
}

// NewSyncState returns the state of a new connection.
func NewSyncState() *SyncState { return &SyncState{sentLen: -1} }

// ResumeSyncState returns the state of a new connection to a peer with which
// these heads were shared before.
func ResumeSyncState(shared kaijutsu.Heads) *SyncState {
	s := NewSyncState()
	s.shared = kaijutsu.NewHeads(shared...)
	return s
}

// Shared returns the heads that are known to be held on both sides: what to
// keep for ResumeSyncState. The caller must not modify them.
func (s *SyncState) Shared() kaijutsu.Heads { return s.shared }

// tell keeps a refusal for the peer's next Received. A nil state drops it.
func (s *SyncState) tell(r *Refusal) {
	if s != nil && len(s.refused) < maxTold {
		s.refused = append(s.refused, r)
	}
}

// settle moves the state to what the peer's message says it may lack: outside
// are the changes that are not ancestors of what it surely holds. claimed, if
// not nil, reports whether the peer's filters claim a change; without it the
// peer lacks all of outside. What is on its way to the peer is not sent again.
func (g *Graph) settle(s *SyncState, outside spans, claimed func(int32) bool) {
	s.flying = s.flying.intersect(outside)
	s.todo = outside.minus(s.flying)
	if claimed != nil {
		s.todo = s.todo.intersect(g.lacking(outside, claimed))
	}
	s.covered = len(g.log)
}

// lacking returns those of outside that the peer does not claim, and what
// depends on them: it cannot have that either.
func (g *Graph) lacking(outside spans, claimed func(int32) bool) spans {
	var found spans
	for i := range outside.all() {
		g.Stop.Check()
		lacks := !claimed(i)
		for _, d := range g.depsOf(i) {
			lacks = lacks || found.contains(d)
		}
		if lacks {
			found = found.appendSpan(i, i+1)
		}
	}
	return found
}

// catchUp brings a state up to truncations since it was used. What was not
// forgotten keeps its place.
func (g *Graph) catchUp(s *SyncState) {
	if s.epoch == g.epoch() {
		return
	}
	n := g.cutSince(s.epoch)
	s.epoch = g.epoch()
	if max(s.covered, s.sentLen) <= n {
		return
	}
	s.covered, s.sentLen = min(s.covered, n), -1
	s.todo, s.flying = s.todo.below(n), s.flying.below(n)
	s.shared = slices.DeleteFunc(slices.Clone(s.shared), func(h kaijutsu.ChangeHash) bool { return !g.Has(h) })
	s.cold = false
	if s.exact {
		_, unknown := g.resolve(s.theirHeads)
		s.exact = len(unknown) == 0
	}
	s.forgot = s.heard && !s.exact && !s.readOnly
}

// learnShared notes what the peer surely holds when its heads are not all
// known: these changes, besides what was shared before.
func (g *Graph) learnShared(s *SyncState, held []int32) {
	before, _ := g.resolve(s.shared)
	s.shared = g.hashes(g.maximal(append(before, held...)))
}

// maximal returns those of the changes that are not ancestors of others, at
// most maxShared of them, the newest. Changes that are far apart are all kept:
// one too many does no harm.
func (g *Graph) maximal(changes []int32) []int32 {
	slices.Sort(changes)
	changes = slices.Compact(changes)
	if len(changes) > maxShared {
		changes = changes[len(changes)-maxShared:]
	}
	if len(changes) < 2 {
		return changes
	}
	first, last := changes[0], changes[len(changes)-1]
	if last-first > maxDistance {
		return changes
	}
	below := make([]bool, last-first+1)
	for i := last; i > first; i-- {
		if _, is := slices.BinarySearch(changes, i); !is && !below[i-first] {
			continue
		}
		for _, d := range g.depsOf(i) {
			if d >= first {
				below[d-first] = true
			}
		}
	}
	return slices.DeleteFunc(changes, func(i int32) bool { return below[i-first] })
}
