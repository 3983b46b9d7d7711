package peer

import (
	"fmt"
	"time"

	"github.com/coder/websocket"

	"kaijutsu"
	"kaijutsu/internal/limit"
)

const (
	// assuredBytes and assuredRate are the messages of a connection that are not
	// counted for its principal and its document: small ones, as fast as people
	// type. So whoever floods does not make others wait who share its name or its
	// document. Twice as many may come at once.
	assuredBytes = 8 << 10
	assuredRate  = 20

	// tellAfter is the wait from which on a peer is told that it is slowed down,
	// and tellEvery how long it is not told again.
	tellAfter = 500 * time.Millisecond
	tellEvery = time.Minute

	// longestToll is how long a pause within a frame may be: the WebSocket gives
	// a control frame a few seconds.
	longestToll = time.Second
)

// meter counts what a connection uses. The read loop owns it.
type meter struct {
	messages, bytes *limit.Bucket // the connection's own
	small           *limit.Bucket // of bytes that are no payload
	assured, pongs  bucket
	by              *shares // of the principal; nil before the join
	leave           func()  // gives its place among those of the principal back

	charged int           // bytes of the frame that is being read which were paid for
	free    bool          // the frame that is being taken is assured
	wait    time.Duration // that what was read costs, until the next pause
	cause   *limit.Bucket // of the wait
	told    time.Duration // when the peer was told last; 0 is never

	overhead int           // bytes of small reads that were no payload so far
	wasted   time.Duration // for how long the peer was slowed for such since its last message
	faults   int           // as judge saw them last
	good     int           // messages since
}

// shares are the buckets that all connections of a principal share.
type shares struct{ messages, bytes, changes *limit.Bucket }

// openShares opens the buckets of a principal.
func openShares(l *limit.Limiter, by kaijutsu.Principal) *shares {
	key := keyOf(by)
	return &shares{l.Bucket(limit.PrincipalMessages, key), l.Bucket(limit.PrincipalBytes, key), l.Bucket(limit.PrincipalChanges, key)}
}

func (s *shares) close() {
	s.messages.Close()
	s.bytes.Close()
	s.changes.Close()
}

// keyOf is a principal as limits count it.
func keyOf(by kaijutsu.Principal) string { return string(by.Kind) + " " + by.Name }

func newMeter(l *limit.Limiter) meter {
	return meter{messages: l.Own(limit.Messages), bytes: l.Own(limit.Bytes), small: l.Own(limit.SmallReads)}
}

// close gives back what others share.
func (m *meter) close() {
	if m.by != nil {
		m.by.close()
		m.leave()
	}
}

// take takes n from a bucket; nil buckets are endless.
func (m *meter) take(b *limit.Bucket, n int) {
	if b == nil || n <= 0 {
		return
	}
	if wait := b.Take(n); wait > m.wait {
		m.wait, m.cause = wait, b
	}
}

// payBytes pays for a frame of which n bytes are read, as far as that was not
// done. Before the join the frames are small, and few.
func (c *conn) payBytes(n int) {
	m := &c.meter
	more := n - m.charged
	m.charged = n
	m.take(m.bytes, more)
	if m.by != nil && n > assuredBytes {
		m.take(m.by.bytes, more)
	}
}

// payFrame pays for a frame of n bytes that is read.
func (c *conn) payFrame(n int) {
	c.payBytes(n)
	m := &c.meter
	m.useful(headBytes)
	m.wasted = 0
	m.charged = 0
	m.free = n <= assuredBytes && m.assured.take(c.hub.since(), n, assuredRate, assuredRate*assuredBytes)
	m.take(m.messages, 1)
	if m.by != nil && !m.free {
		m.take(m.by.messages, 1)
	}
}

// payChanges pays for n changes of a document.
func (d *document) payChanges(n int) {
	m := &d.c.meter
	if m.free {
		return
	}
	if m.by != nil {
		m.take(m.by.changes, n)
	}
	m.take(d.changes, n)
}

// pause waits for as long as what was read costs, or until the connection ends.
// Meanwhile nothing is read: who sends more finds its socket full. A peer that
// has to wait long is told so.
func (c *conn) pause() {
	m := &c.meter
	if m.wait <= 0 {
		return
	}
	wait, cause := m.wait, m.cause
	m.wait = 0
	if now := c.hub.since(); wait >= tellAfter && c.who.Load() != nil && (m.told == 0 || now-m.told >= tellEvery) {
		m.told = max(now, 1)
		rule, value := cause.Rule()
		c.hub.lines.info("connection slowed down", "peer", c.peerID(), "principal", c.by, "limit", string(rule.Name), "dur", wait)
		c.complain(fmt.Errorf("you send more %s than the %d in a second that one %s may (limit %s): what you send is read more slowly, nothing of it is lost: %w",
			rule.What, value, rule.Scope, rule.Name, kaijutsu.ErrTooLarge))
	}
	busy := c.busy.Swap(true)
	c.sleep(wait)
	c.busy.Store(busy)
}

// sleep waits, or until the connection ends.
func (c *conn) sleep(t time.Duration) {
	c.visitor.Rest()
	timer := time.NewTimer(t)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.over:
	}
}

const (
	// headBytes is the most that the header of a frame takes.
	headBytes = 14
	// readAhead is how many bytes may have been read that belong to payload which
	// nobody has been given yet.
	readAhead = scratchBytes + 2*bufferBytes
)

// useful notes that n bytes of a message came. As many may have been the headers
// of the frames that it came in: clients that compress send it in small pieces.
func (m *meter) useful(n int) { m.overhead = max(0, m.overhead-2*n) }

// toll slows a peer that sends much which is no message: control frames, frames
// without content. The socket calls it for every read that may be of such. A peer
// that goes on is cut.
func (c *conn) toll(n int) {
	m := &c.meter
	m.overhead += n
	excess := m.overhead - readAhead
	if excess <= 0 {
		return
	}
	m.overhead = readAhead
	wait := m.small.Take(excess)
	if wait <= 0 {
		return
	}
	c.waste(min(wait, longestToll))
}

// waste slows a peer for what is no message. One that was slowed for
// Timing.Waste since its last message is cut.
func (c *conn) waste(wait time.Duration) {
	c.visitor.Waste()
	m := &c.meter
	if m.wasted += wait; m.wasted > c.hub.cfg.Timing.Waste {
		c.fail(websocket.StatusPolicyViolation, fmt.Errorf("control frames and empty frames without end: %w", kaijutsu.ErrTooLarge))
		return
	}
	c.sleep(wait)
}

// pongsPerSecond is how many pings of a peer are answered, on average; twice as
// many at once. Who sends more of them is read no faster.
const pongsPerSecond = 20

// pinged counts a ping as a message, and waits until it may be answered. Each is,
// and the last of many must be (RFC 6455 §5.5.3): libraries wait for it.
func (c *conn) pinged() bool {
	m := &c.meter
	if wait := m.messages.Take(1); wait > 0 {
		c.sleep(min(wait, longestToll))
	}
	for !m.pongs.take(c.hub.since(), 0, pongsPerSecond, 1) && !c.ended() {
		c.waste(time.Second / pongsPerSecond)
	}
	return true
}
