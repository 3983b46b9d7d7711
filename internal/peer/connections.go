package peer

import (
	"cmp"
	"slices"
	"time"

	"kaijutsu"
)

// Connection is a joined peer as it was when it was looked at.
type Connection struct {
	Principal kaijutsu.Principal
	// PeerID is what the editor calls itself: any text.
	PeerID string
	Since  time.Time // of the connection
	// Documents are those that it has open.
	Documents int

	// DocumentsWaiting have something to say to it, which is composed when its
	// turn comes; MessagesWaiting are composed, the one that is being written
	// among them, and BytesWaiting are their size before compression.
	DocumentsWaiting, MessagesWaiting int
	BytesWaiting                      int64
	// Wrote is when it last took a whole frame, zero when it never did.
	Wrote time.Time
	// Behind is since when it takes longer than it should, zero when it keeps up.
	Behind time.Time
}

// Connections returns the joined peers that are worst off, at most limit of
// them, the worst first: those that are behind the longest, then those for whom
// most waits. It also returns how many of all are behind.
func (h *Hub) Connections(limit int) (worst []Connection, behind int) {
	h.mu.Lock()
	peers := make([]*conn, 0, len(h.peers))
	for _, c := range h.peers {
		peers = append(peers, c)
	}
	h.mu.Unlock()
	now, wall := h.since(), h.cfg.Now()
	for _, c := range peers {
		row := c.look(now, wall)
		if !row.Behind.IsZero() {
			behind++
		}
		at, _ := slices.BinarySearchFunc(worst, row, worseOff)
		if at >= limit {
			continue
		}
		worst = slices.Insert(worst, at, row)
		worst = worst[:min(len(worst), limit)]
	}
	return worst, behind
}

// look describes a connection. now and wall are the same moment on the Hub's
// clock and on people's.
func (c *conn) look(now time.Duration, wall time.Time) Connection {
	at := func(t time.Duration) time.Time {
		if t == 0 {
			return time.Time{}
		}
		return wall.Add(t - now)
	}
	row := Connection{
		Principal: c.by, PeerID: c.peerID(), Since: wall.Add(c.opened - now),
		Wrote: at(time.Duration(c.pace.wrote.Load())), Behind: at(c.pace.since(now)),
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range c.docs {
		if !d.over {
			row.Documents++
		}
	}
	row.DocumentsWaiting = len(c.out.dirty)
	row.MessagesWaiting = len(c.out.control) + c.out.ephemerals.len() + c.out.heads.len()
	for _, frame := range c.out.control {
		row.BytesWaiting += int64(len(frame))
	}
	row.BytesWaiting += int64(c.out.ephemerals.bytes)
	if n := c.pace.frame.Load(); n > 0 {
		row.MessagesWaiting++
		row.BytesWaiting += n
	}
	return row
}

// worseOff orders connections, the worst first.
func worseOff(a, b Connection) int {
	if a.Behind.IsZero() != b.Behind.IsZero() {
		if a.Behind.IsZero() {
			return 1
		}
		return -1
	}
	return cmp.Or(
		a.Behind.Compare(b.Behind),
		cmp.Compare(b.BytesWaiting, a.BytesWaiting),
		cmp.Compare(b.DocumentsWaiting, a.DocumentsWaiting),
		a.Since.Compare(b.Since),
		cmp.Compare(a.PeerID, b.PeerID),
	)
}
