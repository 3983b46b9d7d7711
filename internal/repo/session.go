package repo

import (
	"context"
	"maps"
	"slices"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
)

// Joining says who takes part in a document and how to reach them. Notify and
// Relay are called from other goroutines and must return at once.
type Joining struct {
	Principal kaijutsu.Principal
	// Right is how much the peer may do with the document now. It is asked for
	// every message and every Pull and must be cheap; nil allows everything.
	Right func() kaijutsu.Right
	// PeerID is the automerge-repo peer, for logs.
	PeerID string
	// Notify says that Pull may have something to send.
	Notify func()
	// Ready reports whether the peer can be handed something at once: then Deliver
	// is called with what Pull would return, and no Pull is needed. It is not ready
	// while a Pull is under way, or what was delivered is not taken yet. Nil: the
	// peer only pulls.
	Ready   func() bool
	Deliver func(Outgoing)
	// Ephemeral delivers what another session of the document relayed. Nil
	// means that this session wants none.
	Ephemeral func(message any)
}

// Session is one peer's part in one document: its sync state, which lives and
// dies with the connection. Receive, Relay and Leave may be called from one
// goroutine and Pull from another.
type Session struct {
	doc   *document
	who   Joining
	reply chan Outgoing // answers Pull; one at a time
	turns chan struct{} // holds a token for each message that waits in the inbox

	// The owner's.
	state       *changegraph.SyncState
	has         bool // the peer says it holds changes of this document
	wants       bool // the peer asked for a document that we do not have
	waiting     bool // the wait before "unavailable" has begun
	patient     bool // and is over
	unavailable bool // Pull has to say that the document is unavailable
	synced      bool // the peer has sent a sync message, so it may be answered
	broken      bool // something of this peer was refused; it is not served any more
	refused     []error
	ended       error          // why it is not served any more, without a fault of its own
	denied      []error        // changes that were not taken, while it goes on
	denials     int            // how many
	reviewed    kaijutsu.Right // when a message last came
	toldHeads   kaijutsu.Heads
	told        bool
	stirred     bool      // it may have something to say
	saidAt      time.Time // when it was last sent a sync message

	script   []step // while the document has a cover: what came and went
	owed     bool   // its last message is not answered yet
	answered bool   // it has been told the heads
	parked   bool   // something of it waits until the document is open
}

// Outgoing is what a peer is to be sent now, in this order. Its zero value
// means that there is nothing to say.
type Outgoing struct {
	// Refused says why something this peer sent was not taken. Its sync is
	// over: the peer should be told and the session left. An error that wraps
	// kaijutsu.ErrUnavailable is the server's fault and may pass; any other is
	// the peer's.
	Refused []error
	// Denied says which changes of this peer were not taken and why: they are
	// not for it to make, or not for this document. The session goes on.
	// MoreDenied is how many there are besides.
	Denied     []error
	MoreDenied int
	// Ended says why the session is over without a fault of the peer: its
	// access was taken away (kaijutsu.ErrDenied), or the document was deleted
	// (ErrDeleted).
	Ended error
	// Unavailable says that neither the server nor a connected peer has the
	// document.
	Unavailable bool
	// Sync is the next sync message, nil when there is none. It is shared and
	// must not be written to.
	Sync []byte
	// Heads are the durable heads, when they moved since the last Pull; their
	// time is HeadsAt.
	Heads   kaijutsu.Heads
	HeadsAt time.Time
}

// Join starts a session in the document, opening it if need be. An unknown
// document is joined too: it may come later. The error wraps ErrDeleted for one
// that was deleted.
func (r *Repo) Join(ctx context.Context, id kaijutsu.DocumentID, who Joining) (*Session, error) {
	d, err := r.acquire(id)
	if err != nil {
		return nil, err
	}
	s := &Session{doc: d, who: who, reply: make(chan Outgoing, 1), turns: make(chan struct{}, sessionTurns), state: changegraph.NewSyncState()}
	s.state.Peer = s
	joined := make(chan error, 1)
	if err := d.await(ctx, join{s, joined}, joined); err != nil {
		r.release(d)
		return nil, err
	}
	d.relayMu.Lock()
	d.relays = append(d.relays, s)
	d.relayMu.Unlock()
	return s, nil
}

// Receive hands over a sync message and the changes in it, decoded by the
// caller, in the message's order. It blocks while the inbox is full or holds
// sessionTurns messages of this session, and returns when the message is in
// the inbox; what comes of it is told through Notify and Pull. wants says that
// the peer asked for a document it does not have.
func (s *Session) Receive(ctx context.Context, m *amfile.SyncMessage, changes []*amfile.Change, wants bool) error {
	at := s.handed(len(changes))
	if err := s.admit(ctx, changes); err != nil {
		return err
	}
	if err := s.takeTurn(ctx); err != nil {
		return err
	}
	return s.doc.send(ctx, receive{s: s, m: m, changes: changes, wants: wants, at: at})
}

// admit waits until a message with changes may be taken.
func (s *Session) admit(ctx context.Context, changes []*amfile.Change) error {
	if len(changes) == 0 {
		return nil
	}
	s.doc.repo.probe(ctx, s.doc.id, s.who.Principal, changes)
	return s.doc.repo.admit(ctx)
}

// takeTurn waits until another message of this session may go into the inbox.
// The owner gives the turn back; a turn whose message did not get there is
// lost, which matters to nobody: the document or the connection has ended.
func (s *Session) takeTurn(ctx context.Context) error {
	select {
	case s.turns <- struct{}{}:
		return nil
	case <-s.doc.done:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ReceiveWhole is Receive, but returns when the owner is done with the
// changes: for messages so large that the memory of their operations is
// rationed. With a nil message the changes are the first of one whose rest is
// still to come. It returns ErrRefused when something of this peer was refused,
// now or earlier; Pull says what.
func (s *Session) ReceiveWhole(ctx context.Context, m *amfile.SyncMessage, changes []*amfile.Change, wants bool) error {
	at := s.handed(len(changes))
	if err := s.admit(ctx, changes); err != nil {
		return err
	}
	if err := s.takeTurn(ctx); err != nil {
		return err
	}
	handled := make(chan error, 1)
	return s.doc.await(ctx, receive{s: s, m: m, changes: changes, wants: wants, at: at, handled: handled}, handled)
}

// Pull returns what this peer is to be sent, as of now: everything since the
// last Pull in one message. Only one Pull may be under way at a time.
func (s *Session) Pull(ctx context.Context) (Outgoing, error) {
	if err := s.doc.send(ctx, pull{s}); err != nil {
		return Outgoing{}, err
	}
	select {
	case out := <-s.reply:
		return out, nil
	case <-s.doc.done:
		return Outgoing{}, ErrClosed
	}
}

// Relay delivers an ephemeral message to every other session of the document,
// in the order of the calls, without passing the inbox: it is neither stored
// nor held up by the disk.
func (s *Session) Relay(message any) {
	s.doc.relayMu.RLock()
	defer s.doc.relayMu.RUnlock()
	for _, other := range s.doc.relays {
		if other != s && other.who.Ephemeral != nil {
			other.who.Ephemeral(message)
		}
	}
}

// Leave ends the session and forgets its sync state. It may be called once.
func (s *Session) Leave() {
	d := s.doc
	d.relayMu.Lock()
	for i, other := range d.relays {
		if other == s {
			d.relays = append(d.relays[:i:i], d.relays[i+1:]...)
			break
		}
	}
	d.relayMu.Unlock()
	// The use ends when the owner has let go of the session; a closed document
	// has let go of everything.
	if d.send(context.Background(), leave{s}) != nil {
		d.repo.release(d)
	}
}

// Review has the sessions of a document, if it is open, ask anew what their
// peers may do. To call it when a right was taken away ends sessions at once
// that would else end with the next thing there is to say.
func (r *Repo) Review(id kaijutsu.DocumentID) {
	d := r.acquireOpen(id)
	if d == nil {
		return
	}
	defer r.release(d)
	done := make(chan error, 1)
	_ = d.await(context.Background(), review{done}, done) // closed: there are no sessions
}

// ReviewAll is Review of every open document.
func (r *Repo) ReviewAll() {
	r.mu.Lock()
	open := slices.Collect(maps.Keys(r.docs))
	r.mu.Unlock()
	for _, id := range open {
		r.Review(id)
	}
}

// right returns what the peer may do now.
func (s *Session) right() kaijutsu.Right {
	if s.who.Right == nil {
		return kaijutsu.RightOwn
	}
	return s.who.Right()
}
