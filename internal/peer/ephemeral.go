package peer

import (
	"context"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/internal/wire"
)

// maxEphemeralBacklog bounds the payload that waits for one connection.
const maxEphemeralBacklog = 4 << 20

// takeEphemeral relays a message to the other peers of the document, and
// makes its sender one of them.
func (c *conn) takeEphemeral(ctx context.Context, m wire.Ephemeral) {
	d := c.open(ctx, m.DocumentID)
	if d == nil || d.right() < kaijutsu.RightRead {
		return
	}
	l := c.hub.cfg.Limits
	if !c.ephemeral.take(c.hub.since(), len(m.Data), l.EphemeralRate, l.EphemeralBytes) || !c.hub.seen.fresh(c.by, m) {
		c.hub.count.ephemeralsDropped.Add(1)
		return
	}
	c.mu.Lock()
	session := d.session
	c.mu.Unlock()
	if session == nil {
		return
	}
	session.Relay(m)
	if relay := c.hub.cfg.Relay; relay != nil {
		relay(d.id, packEphemeral(c.by, m))
	}
	if !isAutomatic(m) {
		d.touch()
	}
}

// queueEphemeral puts a relayed message into the outbox. The relaying
// connection's read loop calls it.
func (c *conn) queueEphemeral(m wire.Ephemeral) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.detached || c.ending != nil {
		return
	}
	dropped := c.out.ephemerals.push(m, c.hub.cfg.Limits.EphemeralQueue)
	c.hub.count.ephemeralsDropped.Add(int64(dropped))
	c.wakeLocked()
}

// ephemeralQueue holds messages in order. The zero value is empty.
type ephemeralQueue struct {
	messages []wire.Ephemeral
	bytes    int
}

func (q *ephemeralQueue) len() int { return len(q.messages) }

// push appends a message and returns how many of the oldest it dropped for it.
func (q *ephemeralQueue) push(m wire.Ephemeral, limit int) (dropped int) {
	q.messages = append(q.messages, m)
	q.bytes += len(m.Data)
	for len(q.messages) > limit || q.bytes > maxEphemeralBacklog && len(q.messages) > 1 {
		q.pop()
		dropped++
	}
	return dropped
}

func (q *ephemeralQueue) pop() wire.Ephemeral {
	m := q.messages[0]
	q.messages[0] = wire.Ephemeral{}
	if q.messages = q.messages[1:]; len(q.messages) == 0 {
		q.messages = nil
	}
	q.bytes -= len(m.Data)
	return m
}

// bucket is a token bucket for messages and their bytes. It holds two
// seconds' worth; the zero value is full. Not safe for concurrent use.
type bucket struct {
	spentMessages, spentBytes float64
	at                        time.Duration
}

// take reports whether one more message of n bytes is within the rates, which
// are per second, and counts it if so.
func (b *bucket) take(now time.Duration, n, messages, bytes int) bool {
	passed := (now - b.at).Seconds()
	b.at = now
	b.spentMessages = max(0, b.spentMessages-passed*float64(messages))
	b.spentBytes = max(0, b.spentBytes-passed*float64(bytes))
	if b.spentMessages+1 > 2*float64(messages) || b.spentBytes+float64(n) > 2*float64(bytes) {
		return false
	}
	b.spentMessages++
	b.spentBytes += float64(n)
	return true
}

// maxSessions is how many ephemeral sessions duplicates remembers at least.
const maxSessions = 16 << 10

// duplicates remembers the last count of each ephemeral session. It forgets
// the sessions that were silent while maxSessions others were not. The
// principal is part of the name, so that nobody can use up another's counts.
type duplicates struct {
	mu          sync.Mutex
	recent, old map[sessionName]uint64 // guarded by mu
}

type sessionName struct {
	by              kaijutsu.Principal
	sender, session string
}

// fresh reports whether a message comes after all others of its session, and
// notes it if so.
func (d *duplicates) fresh(by kaijutsu.Principal, m wire.Ephemeral) bool {
	name := sessionName{by, m.SenderID, m.SessionID}
	d.mu.Lock()
	defer d.mu.Unlock()
	last, known := d.recent[name]
	if !known {
		last, known = d.old[name]
	}
	if known && m.Count <= last {
		return false
	}
	if d.recent == nil || len(d.recent) >= maxSessions {
		d.recent, d.old = make(map[sessionName]uint64), d.recent
	}
	d.recent[name] = m.Count
	return true
}
