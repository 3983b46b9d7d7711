package peer

import (
	"context"
	"fmt"
	"time"

	"github.com/coder/websocket"

	"kaijutsu"
	"kaijutsu/internal/guard"
)

// keep is the keeper: it looks at every connection a few times in each ping
// interval.
func (h *Hub) keep() {
	tick := time.NewTicker(max(h.cfg.Timing.Ping/5, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-h.quit:
			return
		case <-tick.C:
		}
		h.packs.clear()
		h.mu.Lock()
		conns := h.connsLocked()
		h.mu.Unlock()
		for _, c := range conns {
			c.check()
		}
	}
}

// check closes a connection that has not joined, cuts one that does not
// answer, and pings one that is silent.
func (c *conn) check() {
	if c.ended() {
		return
	}
	t, now := c.hub.cfg.Timing, c.hub.since()
	if c.who.Load() == nil && now-c.opened > t.Join {
		c.hub.count.timedOut.Add(1)
		c.fail(websocket.StatusPolicyViolation, fmt.Errorf("no join message within %v: %w", t.Join, kaijutsu.ErrInvalid))
		return
	}
	// What a busy read loop has not read yet cannot be held against the peer.
	if c.busy.Load() || c.sock.silence() < t.Ping {
		return
	}
	pinged := time.Duration(c.pinging.Load())
	switch {
	case pinged == 0:
		c.ping(now)
	case c.sock.silence() >= 2*t.Ping && now-pinged >= t.Ping*4/5:
		c.hub.count.timedOut.Add(1)
		c.hub.lines.info("connection cut, no answer to a ping", "peer", c.peerID(), "principal", c.by)
		c.cut()
	}
}

// ping sends a ping and waits for the pong in a goroutine of its own, which is
// there for a round trip.
func (c *conn) ping(now time.Duration) {
	c.pinging.Store(int64(now))
	c.hub.running.Go(guard.Func(c.hub.log, "ping", func() {
		defer c.pinging.Store(0)
		ctx, cancel := context.WithTimeout(context.Background(), 3*c.hub.cfg.Timing.Ping)
		defer cancel()
		_ = c.ws.Ping(ctx) // whether the peer lives is seen by what the socket hears
	}))
}
