package peer

import (
	"context"
	"errors"
	"fmt"

	"github.com/coder/websocket"

	"kaijutsu"
	"kaijutsu/internal/amfile"
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
	m, changes, err := decodeSync(data)
	if err != nil {
		c.refuse(d, err)
		return
	}
	c.mu.Lock()
	session := d.session
	c.mu.Unlock()
	if session == nil {
		return
	}
	if err := session.Receive(ctx, m, changes, wants); err != nil {
		c.lost(d, err)
		return
	}
	if len(m.Heads) > 0 {
		c.hub.gossip.direct(c, d, m.Heads)
	}
}

// decodeSync decodes a sync message and the changes in it.
func decodeSync(data []byte) (*amfile.SyncMessage, []*amfile.Change, error) {
	m, err := amfile.DecodeSync(data)
	if err != nil {
		return nil, nil, fmt.Errorf("sync message: %w", err)
	}
	changes := make([]*amfile.Change, len(m.Changes))
	for i, chunk := range m.Changes {
		if changes[i], err = amfile.DecodeChange(chunk); err != nil {
			return nil, nil, fmt.Errorf("change %d of the sync message: %w", i+1, err)
		}
	}
	return m, changes, nil
}
