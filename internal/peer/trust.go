package peer

import (
	"errors"
	"io"
	"net"
	"os"

	"github.com/coder/websocket"
)

// proven is how many messages in a row have to be in order before a peer is
// trusted again that sent one which was not.
const proven = 20

// judge tells the Door what to think of the peer after a message: one that has
// joined and says something is trusted, until it says what is wrong. The read loop
// calls it.
func (c *conn) judge() {
	m := &c.meter
	c.mu.Lock()
	faults := c.bad + c.refusals
	c.mu.Unlock()
	if faults != m.faults {
		m.faults, m.good = faults, 0
		c.visitor.Doubt()
		return
	}
	if c.who.Load() == nil || c.visitor.Trusted() {
		return
	}
	m.good++
	if m.good > proven || m.faults == 0 && m.good > 1 { // the first is the join
		c.visitor.Trust()
	}
}

// blameFor blames a peer whose connection ended because what it sent was no
// WebSocket's.
func (c *conn) blameFor(err error) {
	var network *net.OpError
	switch {
	case c.ended(), websocket.CloseStatus(err) != -1, errors.As(err, &network), errors.Is(err, io.EOF),
		errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), errors.Is(err, os.ErrDeadlineExceeded):
	default:
		c.visitor.Blame()
	}
}
