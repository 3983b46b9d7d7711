package peer

import (
	"context"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/internal/wire"
)

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
	session.Relay(relay(m))
	if beyond := c.hub.cfg.Relay; beyond != nil {
		beyond(d.id, packEphemeral(c.by, m))
	}
	if !isAutomatic(m) {
		d.touch()
	}
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
