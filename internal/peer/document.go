package peer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/coder/websocket"

	"kaijutsu"
	"kaijutsu/internal/limit"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/wire"
)

// document is a document that a connection has open. Fields below mu are
// guarded by conn.mu.
type document struct {
	c    *conn
	id   kaijutsu.DocumentID
	name string // the id as it is on the wire

	changes *limit.Bucket // of the document; set when the session is, and closed with it

	session *repo.Session  // nil until joined, and when over from the start
	seat    Seat           // nil until joined
	dirty   bool           // in outbox.dirty, or about to be pulled
	handed  *repo.Outgoing // what the session handed over, to be said before anything is pulled
	more    bool           // there is something to pull besides
	over    bool           // the peer is not served this document any more
	heads   kaijutsu.Heads
	headsAt float64 // Unix milliseconds of heads, growing with each
}

// open returns the connection's part in a document, joining it at the first
// message. It returns nil when the peer has been told why it gets none, or
// told before.
func (c *conn) open(ctx context.Context, name string) *document {
	c.mu.Lock()
	d, n, detached := c.docs[name], len(c.docs), c.detached
	over := detached || d != nil && d.over
	c.mu.Unlock()
	switch {
	case over:
		return nil
	case d != nil:
		return d
	}
	id, err := kaijutsu.ParseDocumentID(name)
	if err == nil && id.String() != name {
		err = fmt.Errorf("document id %q: want the id alone, as bs58check: %w", name, kaijutsu.ErrInvalid)
	}
	if err != nil {
		c.complain(err)
		c.badMessage(err)
		return nil
	}
	if n >= c.hub.cfg.Limits.Documents {
		c.complain(fmt.Errorf("document %s: %d documents are open on this connection: %w", name, n, kaijutsu.ErrTooLarge))
		c.unavailable(name)
		return nil
	}
	d = &document{c: c, id: id, name: name}
	if d.right() < kaijutsu.RightRead {
		c.unavailable(name)
		return nil
	}
	return c.enter(ctx, d)
}

// right returns what the connection's principal may do with the document now.
func (d *document) right() kaijutsu.Right {
	right := d.c.hub.cfg.Right(context.Background(), d.c.by, d.id) // it does not wait
	if d.c.within != nil {
		right = d.c.within(d.id, right)
	}
	return right
}

// enter starts the session of a document.
func (c *conn) enter(ctx context.Context, d *document) *document {
	c.mu.Lock()
	if c.docs == nil {
		c.docs = make(map[string]*document)
	}
	c.docs[d.name] = d
	c.mu.Unlock()
	session, err := c.hub.cfg.Repo.Join(ctx, d.id, repo.Joining{
		Principal: c.by,
		Right:     d.right,
		PeerID:    c.peerID(),
		Notify:    d.wake,
		Ready:     d.ready,
		Deliver:   d.deliver,
		Ephemeral: func(m any) {
			if d.right() >= kaijutsu.RightRead {
				c.queueEphemeral(m.(*relayed))
			}
		},
	})
	if err != nil {
		c.cannotOpen(d, err)
		return nil
	}
	seat := c.sit(d)
	d.changes = c.hub.cfg.Limiter.Bucket(limit.DocumentChanges, d.name)
	c.hub.listeners.add(d)
	c.mu.Lock()
	detached := c.detached
	if !detached {
		d.session, d.seat = session, seat
	}
	c.mu.Unlock()
	if detached { // while it was joining; detach has not seen the session
		c.hub.listeners.remove(d)
		session.Leave()
		seat.Leave()
		d.changes.Close()
		return nil
	}
	c.hub.gossip.replay(c, d, c.subscriptions())
	return d
}

// wake says that the session may have something to say. The document's owner
// calls it.
func (d *document) wake() {
	c := d.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if d.over || c.detached || c.ending != nil {
		return
	}
	if d.dirty {
		d.more = true
		return
	}
	d.dueLocked()
}

// dueLocked puts the document into the outbox; c.mu is held.
func (d *document) dueLocked() {
	d.dirty = true
	d.c.out.dirty = append(d.c.out.dirty, d)
	d.c.wakeLocked()
}

// ready reports whether the session may hand over what there is to say: then
// nothing is being said, and nothing pulled.
func (d *document) ready() bool {
	c := d.c
	c.mu.Lock()
	defer c.mu.Unlock()
	return !d.dirty && !d.over && !c.out.writing && !c.detached && c.ending == nil
}

// deliver takes what there is to say. The document's owner calls it, after
// ready.
func (d *document) deliver(out repo.Outgoing) {
	c := d.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if d.over || c.detached || c.ending != nil {
		return
	}
	d.handed = &out
	d.dueLocked()
}

// takeLocked takes the document out of the outbox, and what the session handed
// over, if it did; c.mu is held.
func (d *document) takeLocked() *repo.Outgoing {
	out, again := d.handed, d.handed != nil && d.more
	d.handed, d.more, d.dirty = nil, false, false
	if again {
		d.dueLocked()
	}
	return out
}

// leave ends the session; once.
func (d *document) leave() {
	d.c.mu.Lock()
	session, seat := d.session, d.seat
	d.session, d.seat, d.over = nil, nil, true
	d.c.mu.Unlock()
	if session != nil {
		d.c.hub.listeners.remove(d)
		session.Leave()
		d.changes.Close()
	}
	if seat != nil {
		seat.Leave()
	}
}

// refuse ends the peer's part in a document because of something it sent, and
// tells it why. After several documents the connection is closed.
func (c *conn) refuse(d *document, err error) {
	c.mu.Lock()
	again := d.over
	if !again {
		c.refusals++
	}
	refusals := c.refusals
	c.mu.Unlock()
	if again {
		return
	}
	d.leave()
	c.hub.count.refused.Add(1)
	c.refused(d, err)
	c.hub.lines.info("document refused to a peer", "peer", c.peerID(), "principal", c.by, "document", d.name, "err", err)
	err = fmt.Errorf("document %s: %w", d.name, err)
	if refusals >= c.hub.cfg.Limits.Refusals {
		c.fail(websocket.StatusPolicyViolation, fmt.Errorf("%d documents refused, the last: %w", refusals, err))
		return
	}
	c.mu.Lock()
	if c.ending == nil {
		c.out.control = append(c.out.control, c.errorFrame(tell(err))) // at most Limits.Refusals of them
		c.wakeLocked()
	}
	c.mu.Unlock()
}

// cannotOpen ends the peer's part in a document that the server fails to open,
// until it connects again.
func (c *conn) cannotOpen(d *document, err error) {
	switch {
	case errors.Is(err, kaijutsu.ErrUnavailable):
		c.lost(d, err)
		return
	case errors.Is(err, repo.ErrDeleted):
		c.endDocument(d, err)
		return
	}
	d.leave()
	c.hub.log.Error("document cannot be opened for a peer", "peer", c.peerID(), "principal", c.by, "document", d.name, "err", err)
	c.send(wire.Error{SenderID: c.hub.cfg.PeerID, TargetID: c.peerID(), Message: "document " + d.name + ": the server cannot open it"})
	c.unavailable(d.name)
}

// endDocument ends the peer's part in a document for no fault of its own. The
// client is told that it gets no such document; when it may again, its next
// message is served.
func (c *conn) endDocument(d *document, err error) {
	d.leave()
	c.mu.Lock()
	if c.docs[d.name] == d {
		delete(c.docs, d.name)
	}
	served := c.ending == nil && !c.gone
	if served { // at most two for each document that the peer opens
		c.out.control = append(c.out.control, c.errorFrame(fmt.Sprintf("document %s: %s", d.name, tell(err))),
			wire.Encode(wire.DocUnavailable{SenderID: c.hub.cfg.PeerID, TargetID: c.peerID(), DocumentID: d.name}))
		c.wakeLocked()
	}
	c.mu.Unlock()
}

// refusedBy ends the peer's part in a document because of what its owner
// refused.
func (c *conn) refusedBy(d *document, errs []error) {
	for _, err := range errs {
		if errors.Is(err, kaijutsu.ErrUnavailable) {
			c.lost(d, err)
			return
		}
	}
	err := errs[0]
	if len(errs) > 1 {
		err = fmt.Errorf("%w (and %d more)", err, len(errs)-1)
	}
	c.refuse(d, err)
}

// lost closes the connection because of a fault of ours in a document: the
// client keeps what it has and, with a new connection, starts from a sync
// state that is true again.
func (c *conn) lost(d *document, err error) {
	c.mu.Lock()
	served := !c.detached && c.ending == nil
	c.mu.Unlock()
	if served {
		c.fail(websocket.StatusTryAgainLater, fmt.Errorf("document %s: %w", d.name, err))
	}
}

// unavailable says that the peer gets no such document.
func (c *conn) unavailable(name string) {
	c.send(wire.DocUnavailable{SenderID: c.hub.cfg.PeerID, TargetID: c.peerID(), DocumentID: name})
}

// complain tells the peer what is wrong in an error frame and goes on.
func (c *conn) complain(err error) {
	c.send(wire.Error{SenderID: c.hub.cfg.PeerID, TargetID: c.peerID(), Message: clip(tell(err), wire.MaxErrorBytes)})
}

// millis is a time as gossip has it.
func millis(t time.Time) float64 { return float64(t.UnixMilli()) }
