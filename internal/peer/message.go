package peer

import (
	"context"
	"errors"
	"fmt"

	"github.com/coder/websocket"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/wire"
)

// take does what one frame says.
func (c *conn) take(ctx context.Context, frame []byte) {
	m, err := wire.Decode(frame)
	switch {
	case err != nil && !isMessage(err):
		c.hub.count.bad.Add(1)
		c.fail(websocket.StatusUnsupportedData, err)
	case c.who.Load() == nil:
		c.takeJoin(m, err)
	case err != nil:
		c.badMessage(err)
	case m.Sender() != c.peerID():
		c.hub.count.ignored.Add(1)
	default:
		c.takeMessage(ctx, m)
	}
}

// isMessage reports whether an error is about a field of a message, rather
// than about the frame.
func isMessage(err error) bool {
	var bad *wire.MessageError
	return errors.As(err, &bad)
}

// takeMessage does what a message of the joined peer says. Types that only a
// server sends, and types we do not know, are ignored.
func (c *conn) takeMessage(ctx context.Context, m wire.Message) {
	switch m := m.(type) {
	case wire.Request:
		c.takeSync(ctx, m.DocumentID, m.Data, true)
	case wire.Sync:
		c.takeSync(ctx, m.DocumentID, m.Data, false)
	case wire.Ephemeral:
		c.takeEphemeral(ctx, m)
	case wire.SubscriptionChange:
		c.takeSubscription(m)
	case wire.HeadsChanged:
		c.takeHeads(m)
	case wire.Leave:
		c.end(websocket.StatusNormalClosure, "")
	case wire.Join:
		c.badMessage(fmt.Errorf("join message: joined already: %w", kaijutsu.ErrConflict))
	}
}

// badMessage counts an invalid message; too many end the connection.
func (c *conn) badMessage(err error) {
	c.hub.count.bad.Add(1)
	c.bad++
	if c.bad >= c.hub.cfg.Limits.BadMessages {
		c.fail(websocket.StatusPolicyViolation, fmt.Errorf("%d invalid messages, the last: %w", c.bad, err))
	}
}

// takeSync hands a sync message to the document's session.
func (c *conn) takeSync(ctx context.Context, name string, data []byte, wants bool) {
	d := c.open(ctx, name)
	if d == nil {
		return
	}
	c.mu.Lock()
	session := d.session
	c.mu.Unlock()
	if session == nil {
		return
	}
	m, err := amfile.DecodeSync(data)
	if err != nil {
		err = fmt.Errorf("sync message: %w", err)
		session.NoteRefused(data, err)
		c.refuse(d, err)
		return
	}
	if len(m.Changes) > 0 {
		d.touch()
		d.payChanges(len(m.Changes))
	}
	var refused *refusedError
	switch err := c.handOver(ctx, session, m, wants); {
	case errors.As(err, &refused):
		session.NoteRefused(refused.chunk, refused.reason)
		c.refuse(d, refused.reason)
	case errors.Is(err, repo.ErrRefused): // the write loop tells why
	case err != nil:
		c.lost(d, err)
	case len(m.Heads) > 0:
		c.hub.gossip.direct(c, d, m.Heads)
	}
}

// refusedError says that it is the message that is wrong.
type refusedError struct {
	reason error
	chunk  []byte // of the message, that is no change
}

func (e *refusedError) Error() string { return e.reason.Error() }

const (
	// smallOps is how many operations a message may have to be decoded at
	// once and handed over without waiting for what comes of it.
	smallOps = 2000
	// partOps is how many operations a large message is decoded at a time.
	partOps = 200_000
)

// handOver decodes the changes of a message and gives them to the session. The
// operations of large messages take memory that a few bytes can claim: they
// are decoded in parts, for which all connections share one allowance.
func (c *conn) handOver(ctx context.Context, session *repo.Session, m *amfile.SyncMessage, wants bool) error {
	ops := 0
	for _, chunk := range m.Changes {
		ops += amfile.CountOps(chunk)
	}
	if ops <= smallOps {
		changes, err := decodeChanges(m.Changes, 0)
		if err != nil {
			return err
		}
		return session.Receive(ctx, m, changes, wants)
	}
	for at := 0; ; {
		n, ops := part(m.Changes[at:])
		last := at+n == len(m.Changes)
		message := m
		if !last {
			message = nil
		}
		if err := c.handOverPart(ctx, session, message, m.Changes[at:at+n], at, ops, wants); err != nil || last {
			return err
		}
		at += n
	}
}

// part returns how many chunks to decode next, at least one, and how many
// operations they claim.
func part(chunks [][]byte) (n, ops int) {
	for n < len(chunks) {
		more := amfile.CountOps(chunks[n])
		if n > 0 && ops+more > partOps {
			break
		}
		n, ops = n+1, ops+more
	}
	return n, ops
}

func (c *conn) handOverPart(ctx context.Context, session *repo.Session, m *amfile.SyncMessage, chunks [][]byte, at, ops int, wants bool) error {
	if err := c.hub.ops.Acquire(ctx, int64(ops)); err != nil {
		return err
	}
	defer c.hub.ops.Release(int64(ops))
	changes, err := decodeChanges(chunks, at)
	if err != nil {
		return err
	}
	return session.ReceiveWhole(ctx, m, changes, wants)
}

// decodeChanges decodes the chunks of a message from index at on.
func decodeChanges(chunks [][]byte, at int) ([]*amfile.Change, error) {
	changes := make([]*amfile.Change, len(chunks))
	for i, chunk := range chunks {
		var err error
		if changes[i], err = amfile.DecodeChange(chunk); err != nil {
			return nil, &refusedError{fmt.Errorf("change %d of the sync message: %w", at+i+1, err), chunk}
		}
	}
	return changes, nil
}
