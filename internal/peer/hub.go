package peer

import (
	"fmt"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/sync/semaphore"

	"kaijutsu"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/limit"
)

// Hub is the set of connected editors. It is safe for concurrent use.
type Hub struct {
	cfg     Config
	log     *slog.Logger
	began   time.Time // what the sockets' clocks count from
	quit    chan struct{}
	running sync.WaitGroup
	lines   lines // about peers' faults
	count   counters
	pending atomic.Int64        // bytes of large frames being read
	ops     *semaphore.Weighted // operations of large messages being decoded and taken in
	seen    duplicates
	gossip  gossip
	shift   shift
	shows   shows
	packs   packs
	// listeners are who gets what comes from other nodes.
	listeners listeners

	mu     sync.Mutex
	conns  map[*conn]struct{} // guarded by mu
	peers  map[string]*conn   // guarded by mu; joined, by peer id
	closed bool               // guarded by mu
}

// NewHub returns a Hub and starts its keeper. Close it before the Repo.
func NewHub(cfg Config) *Hub {
	h := &Hub{
		cfg:   cfg.withDefaults(),
		log:   cfg.Log,
		began: time.Now(),
		quit:  make(chan struct{}),
		conns: make(map[*conn]struct{}),
		peers: make(map[string]*conn),
	}
	h.lines.log, h.lines.now = h.log, h.cfg.Now
	h.ops = semaphore.NewWeighted(h.cfg.Limits.PendingOps)
	h.running.Go(guard.Keep(h.log, "keeper of connections", h.quit, h.keep))
	return h
}

// Close tells every peer that the server goes away, closes the connections
// and waits for them, at most Timing.Close and a little.
func (h *Hub) Close() {
	h.mu.Lock()
	if !h.closed {
		h.closed = true
		close(h.quit)
	}
	conns := h.connsLocked()
	h.mu.Unlock()
	for _, c := range conns {
		c.end(goingAway.code, goingAway.reason)
	}
	h.running.Wait()
}

// connsLocked lists the connections; h.mu is held.
func (h *Hub) connsLocked() []*conn {
	conns := make([]*conn, 0, len(h.conns))
	for c := range h.conns {
		conns = append(conns, c)
	}
	return conns
}

// since is the Hub's clock: nanoseconds since it began, never going back.
func (h *Hub) since() time.Duration { return time.Since(h.began) }

// add takes a connection in and starts its read loop. It returns what to close
// the connection with when the Hub is closed or twice over the limit on
// connections; up to there a connection is taken in only to be told that there
// are too many.
func (h *Hub) add(c *conn) *ending {
	h.mu.Lock()
	defer h.mu.Unlock()
	n, most := len(h.conns), h.most()
	switch {
	case h.closed:
		return &goingAway
	case n/2 >= most:
		return &ending{websocket.StatusTryAgainLater, "too many connections"}
	case n >= most && c.refusal == nil:
		c.refusal = fmt.Errorf("%d editors are connected, no more are served: %w", n, kaijutsu.ErrUnavailable)
	}
	h.conns[c] = struct{}{}
	h.running.Go(c.serve)
	return nil
}

// most is how many connections are served.
func (h *Hub) most() int {
	n := int64(h.cfg.Limits.Connections)
	if n == 0 {
		n = h.cfg.Limiter.Value(limit.Connections)
	}
	if n == 0 {
		return math.MaxInt32
	}
	return int(min(n, math.MaxInt32))
}

var goingAway = ending{websocket.StatusGoingAway, "the server is going away"}

// remove forgets a connection.
func (h *Hub) remove(c *conn) {
	h.mu.Lock()
	delete(h.conns, c)
	if id := c.peerID(); h.peers[id] == c {
		delete(h.peers, id)
	}
	h.mu.Unlock()
}

// register makes c the connection of a peer id. An older connection of the
// same peer is taken out of all its documents and closed first; one of another
// principal keeps the id.
func (h *Hub) register(c *conn, who identity) error {
	h.mu.Lock()
	old := h.peers[who.peerID]
	if old != nil && old.by != c.by {
		h.mu.Unlock()
		return fmt.Errorf("peer id %q is in use by another principal: %w", who.peerID, kaijutsu.ErrDenied)
	}
	h.peers[who.peerID] = c
	c.who.Store(&who)
	h.mu.Unlock()
	if old != nil {
		h.count.replaced.Add(1)
		old.detach()
		old.end(websocket.StatusNormalClosure, "replaced by a newer connection of the same peer")
	}
	return nil
}
