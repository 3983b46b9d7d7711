package peer

import (
	"bufio"
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"kaijutsu"
	"kaijutsu/internal/limit"
	"kaijutsu/internal/wire"
)

// controlQueue is how many control frames wait before the read loop does.
const controlQueue = 64

// conn is one connection. Its read loop owns the first fields.
type conn struct {
	hub      *Hub
	ws       *websocket.Conn
	sock     *socket
	in       *bufio.Reader // of the socket
	by       kaijutsu.Principal
	remote   string                                                   // network address
	within   func(kaijutsu.DocumentID, kaijutsu.Right) kaijutsu.Right // what is left of a right; nil: all
	refusal  error                                                    // why the join is going to be refused; nil to serve
	deflates bool                                                     // the peer reads compressed messages
	opened   time.Duration                                            // on the Hub's clock

	visitor *limit.Visitor // whom the Door let in; nil when there is none

	bad       int // invalid messages so far
	ephemeral bucket
	meter     meter

	who     atomic.Pointer[identity] // set by the join; nil before
	pace    pace
	busy    atomic.Bool  // the read loop is not waiting for the socket
	pinging atomic.Int64 // when a ping that is not answered yet was sent, on the Hub's clock; 0 is none

	over chan struct{} // closed when ending is set

	mu       sync.Mutex
	room     sync.Cond            // the control queue has room again, or the connection ends; on mu
	docs     map[string]*document // guarded by mu; nil once detached
	detached bool                 // guarded by mu: out of all documents, opens none
	refusals int                  // guarded by mu: documents in which something was refused
	subs     map[string]struct{}  // guarded by mu: storage ids this peer wants to hear of
	out      outbox               // guarded by mu
	ending   *ending              // guarded by mu: why the connection closes; nil while it is served
	gone     bool                 // guarded by mu: the read loop has ended
}

// identity is what a peer said of itself when it joined. It does not change.
type identity struct {
	peerID, storageID string
}

// ending is what a connection is closed with.
type ending struct {
	code   websocket.StatusCode
	reason string
}

func newConn(h *Hub, sock *socket, by kaijutsu.Principal) *conn {
	c := &conn{hub: h, sock: sock, by: by, remote: sock.RemoteAddr().String(), opened: h.since(), over: make(chan struct{}), meter: newMeter(h.cfg.Limiter)}
	c.room.L = &c.mu
	return c
}

// serve is the read loop: frames until the connection ends.
func (c *conn) serve() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer c.leave()
	defer c.rescue()
	for {
		frame, err := c.next()
		if err != nil {
			c.logEnd(err)
			c.blameFor(err)
			return
		}
		if frame != nil {
			c.busy.Store(true)
			c.take(ctx, frame)
			c.judge()
			c.pause()
			c.busy.Store(false)
		}
	}
}

// leave takes the connection out of everything.
func (c *conn) leave() {
	c.mu.Lock()
	c.gone = true
	c.out = outbox{}
	c.room.Broadcast()
	c.mu.Unlock()
	c.detach()
	c.hub.gossip.forget(c)
	c.hub.remove(c)
	c.meter.close()
	c.cut()
	_ = c.ws.CloseNow() // the socket is closed: this lets go of what waits
}

// detach ends every session of the connection. It may be called from another
// connection's goroutine, and more than once.
func (c *conn) detach() {
	c.mu.Lock()
	docs := c.docs
	c.docs, c.detached = nil, true
	c.out.dirty = nil
	c.mu.Unlock()
	for _, d := range docs {
		d.leave()
	}
}

// cut ends the connection without a word. The read loop notices and cleans up.
func (c *conn) cut() {
	c.mu.Lock()
	if c.ending == nil {
		c.ending = &ending{code: websocket.StatusGoingAway}
		close(c.over)
	}
	c.room.Broadcast()
	c.mu.Unlock()
	_ = c.sock.Close()
}

// peerID returns the id of the joined peer, empty before.
func (c *conn) peerID() string {
	if who := c.who.Load(); who != nil {
		return who.peerID
	}
	return ""
}

// fail tells the peer in an error frame why the connection closes, and closes
// it.
func (c *conn) fail(code websocket.StatusCode, err error) {
	reason := tell(err)
	c.mu.Lock()
	served := c.ending == nil && !c.gone
	if served {
		c.out.control = append(c.out.control, c.errorFrame(reason))
	}
	c.mu.Unlock()
	if served {
		c.hub.lines.info("connection closed", "peer", c.peerID(), "principal", c.by, "code", int(code), "err", err)
		c.end(code, reason)
		if code != websocket.StatusTryAgainLater {
			c.visitor.Blame()
		}
	}
}

// end closes the connection: what is in the control queue is still written,
// then the closing handshake is made, all within Timing.Close. Only the first
// end counts.
func (c *conn) end(code websocket.StatusCode, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending != nil || c.gone {
		return
	}
	c.ending = &ending{code, clip(reason, maxReasonBytes)}
	close(c.over)
	c.out = outbox{control: c.out.control, writing: c.out.writing}
	c.room.Broadcast()
	c.sock.finishWithin(c.hub.cfg.Timing.Close)
	c.wakeLocked()
}

// ended reports whether the connection is closing.
func (c *conn) ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ending != nil
}

// send queues a control frame. It is called by the read loop only and waits
// while the queue is full: a peer that makes us talk without listening is not
// read any more.
func (c *conn) send(m wire.Message) {
	frame := wire.Encode(m)
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.out.control) >= controlQueue && c.ending == nil && !c.gone {
		c.room.Wait()
	}
	if c.ending != nil || c.gone {
		return
	}
	c.out.control = append(c.out.control, frame)
	c.wakeLocked()
}

func (c *conn) errorFrame(text string) []byte {
	return wire.Encode(wire.Error{SenderID: c.hub.cfg.PeerID, TargetID: c.peerID(), Message: clip(text, wire.MaxErrorBytes)})
}

// rescue turns a panic of this connection's goroutine into its end.
func (c *conn) rescue() {
	p := recover()
	if p == nil {
		return
	}
	c.hub.log.Error("connection broke down", "peer", c.peerID(), "principal", c.by, "err", fmt.Sprint(p), "stack", string(debug.Stack()))
	c.cut()
}

// logEnd notes how a connection ended that nobody closed for a reason.
func (c *conn) logEnd(err error) {
	c.hub.log.Debug("connection ended", "peer", c.peerID(), "principal", c.by, "code", int(websocket.CloseStatus(err)), "err", err)
}
