package peer

import (
	"slices"
	"sync"
	"time"

	"kaijutsu/internal/guard"
	"kaijutsu/internal/wire"
)

// maxEphemeralBacklog bounds the payload that waits for one connection.
const maxEphemeralBacklog = 4 << 20

// relayed is an ephemeral message on its way to the other peers of its document.
type relayed struct {
	wire.Ephemeral
	presence presence
}

// presence names what a message of the class Presence of automerge-repo says
// anew: whoever gets the latest of a name needs none of those before. The zero
// value is any other message, of which each is shown.
type presence struct {
	document, sender, session string
	what                      wire.Presence
}

// relay returns a message as it is relayed.
func relay(m wire.Ephemeral) *relayed {
	r := &relayed{Ephemeral: m}
	if what, ok := wire.ReadPresence(m.Data); ok && what.Type != "goodbye" {
		r.presence = presence{m.DocumentID, m.SenderID, m.SessionID, what}
	}
	return r
}

// queueEphemeral puts a relayed message into the outbox. The relaying
// connection's read loop calls it.
func (c *conn) queueEphemeral(m *relayed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.detached || c.ending != nil {
		return
	}
	dropped := c.out.ephemerals.push(m, c.hub.cfg.Limits.EphemeralQueue)
	c.hub.count.ephemeralsDropped.Add(int64(dropped))
	c.wakeLocked()
}

// ephemeralQueue holds messages in order; of those with a presence, the latest
// in its own place. It is never moved to that of an earlier one: the counts of a
// session would be out of order, and receivers drop those that come too late. The
// zero value is empty.
type ephemeralQueue struct {
	messages  []*relayed
	bytes     int
	presences int // how many of the messages are

	open    int           // how many may be shown before the next look at the clock
	shownAt time.Duration // when presence was last let through, on the Hub's clock
	held    bool          // the connection is in shows
}

func (q *ephemeralQueue) len() int { return len(q.messages) }

// push appends a message and returns how many of the oldest it dropped for it.
// A message that it makes needless does not count.
func (q *ephemeralQueue) push(m *relayed, limit int) (dropped int) {
	if m.presence != (presence{}) {
		if i := slices.IndexFunc(q.messages, func(o *relayed) bool { return q.presences > 0 && o.presence == m.presence }); i >= 0 {
			q.take(i)
		}
		q.presences++
	}
	q.messages = append(q.messages, m)
	q.bytes += len(m.Data)
	for len(q.messages) > limit || q.bytes > maxEphemeralBacklog && len(q.messages) > 1 {
		q.take(0)
		dropped++
	}
	return dropped
}

// pop takes the oldest message.
func (q *ephemeralQueue) pop() wire.Ephemeral {
	m := q.take(0)
	if q.open > 0 {
		q.open--
	}
	return m.Ephemeral
}

func (q *ephemeralQueue) take(i int) *relayed {
	m := q.messages[i]
	if i == 0 {
		q.messages[0] = nil
		q.messages = q.messages[1:]
	} else {
		q.messages = slices.Delete(q.messages, i, i+1)
	}
	if len(q.messages) == 0 {
		q.messages = nil
	}
	q.bytes -= len(m.Data)
	if m.presence != (presence{}) {
		q.presences--
	}
	return m
}

// showsLocked reports whether an ephemeral message may be shown now: presence
// alone waits until Timing.Show after it was last shown. c.mu is held.
func (c *conn) showsLocked() bool {
	q, every := &c.out.ephemerals, c.hub.cfg.Timing.Show
	if q.open > 0 || q.presences < q.len() || every < 0 {
		return true
	}
	now := c.hub.since()
	if q.shownAt != 0 && now-q.shownAt < every {
		if !q.held {
			q.held = true
			c.hub.hold(c)
		}
		return false
	}
	q.open, q.shownAt = q.len(), now
	return true
}

// shows are the connections that presence waits for. One timer serves all of
// them, so an idle one has none. The zero value is empty.
type shows struct {
	mu    sync.Mutex
	conns []*conn // guarded by mu
}

// hold has a connection looked at again in Timing.Show, or sooner.
func (h *Hub) hold(c *conn) {
	h.shows.mu.Lock()
	defer h.shows.mu.Unlock()
	if h.shows.conns = append(h.shows.conns, c); len(h.shows.conns) == 1 {
		time.AfterFunc(h.cfg.Timing.Show, guard.Func(h.log, "presence", h.show))
	}
}

// show lets what was held through.
func (h *Hub) show() {
	h.shows.mu.Lock()
	conns := h.shows.conns
	h.shows.conns = nil
	h.shows.mu.Unlock()
	for _, c := range conns {
		c.mu.Lock()
		q := &c.out.ephemerals
		q.held, q.shownAt = false, 0
		if q.len() > 0 {
			c.wakeLocked()
		}
		c.mu.Unlock()
	}
}
