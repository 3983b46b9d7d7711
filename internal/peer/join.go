package peer

import (
	"errors"
	"fmt"
	"slices"

	"github.com/coder/websocket"

	"kaijutsu"
	"kaijutsu/internal/limit"
	"kaijutsu/internal/wire"
)

// takePlace takes the connection's place among those of its principal.
func (c *conn) takePlace() error {
	l := c.hub.cfg.Limiter
	leave, err := l.Enter(limit.PrincipalConns, keyOf(c.by))
	if err != nil {
		return err
	}
	c.meter.leave, c.meter.by = leave, openShares(l, c.by)
	return nil
}

// takeJoin takes the first message. Anything but a join is ignored; a join
// that is not acceptable is answered with the reason.
func (c *conn) takeJoin(m wire.Message, err error) {
	join, ok := m.(wire.Join)
	if !ok && !wire.IsJoin(err) {
		c.hub.count.ignored.Add(1)
		if c.bad++; c.bad >= c.hub.cfg.Limits.BadMessages {
			c.fail(websocket.StatusPolicyViolation, fmt.Errorf("%d messages before the join: %w", c.bad, kaijutsu.ErrInvalid))
		}
		return
	}
	if err == nil {
		err = c.shake(join)
	}
	switch {
	case errors.Is(err, kaijutsu.ErrUnavailable):
		c.fail(websocket.StatusTryAgainLater, err)
	case err != nil:
		c.hub.count.bad.Add(1)
		c.fail(websocket.StatusPolicyViolation, err)
	}
}

// shake makes the connection that of the joining peer and answers.
func (c *conn) shake(join wire.Join) error {
	own := c.hub.cfg
	switch {
	case c.refusal != nil:
		return c.refusal
	case !slices.Contains(join.Versions, wire.Version):
		return fmt.Errorf("unsupported protocol version: the server speaks %q, the client %q: %w", wire.Version, join.Versions, kaijutsu.ErrInvalid)
	case join.SenderID == own.PeerID:
		return fmt.Errorf("peer id %q is the server's own: %w", join.SenderID, kaijutsu.ErrConflict)
	case join.Metadata.StorageID != "" && join.Metadata.StorageID == own.StorageID:
		return fmt.Errorf("storage id %q is the server's own: %w", join.Metadata.StorageID, kaijutsu.ErrConflict)
	}
	if err := c.takePlace(); err != nil {
		return err
	}
	if err := c.hub.register(c, identity{join.SenderID, join.Metadata.StorageID}); err != nil {
		return err
	}
	own.Door.Known(c.remote)
	c.send(wire.Peer{
		SenderID: own.PeerID,
		TargetID: join.SenderID,
		Metadata: wire.Metadata{StorageID: own.StorageID},
		Version:  wire.Version,
	})
	c.hub.log.Debug("peer joined", "peer", join.SenderID, "principal", c.by)
	return nil
}
