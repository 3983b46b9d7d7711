package peer

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/internal/wire"
)

const (
	maxGossip      = 64 << 10         // storages' heads that are remembered, of all documents
	maxQueuedHeads = 4096             // that wait for one connection
	maxAhead       = 60 * time.Second // how far a peer's clock may be ahead of ours
)

// gossip knows what the storages of peers hold of which documents, and who
// wants to hear of it. What is said of the server's own storage does not come
// from here: see conn.noteHeads.
type gossip struct {
	mu          sync.Mutex
	last        map[string]map[string]wire.StorageHeads // guarded by mu: storage id → document → heads
	size        int                                     // guarded by mu: entries of last
	subscribers map[string]map[*conn]struct{}           // guarded by mu: by storage id
}

// takeSubscription changes what a connection wants to hear of, and tells it
// what is known of the storages it added.
func (c *conn) takeSubscription(m wire.SubscriptionChange) {
	c.mu.Lock()
	for _, id := range m.Remove {
		delete(c.subs, id)
	}
	var added []string
	for _, id := range m.Add {
		if _, known := c.subs[id]; known {
			continue
		}
		if len(c.subs) >= c.hub.cfg.Limits.Subscriptions {
			break
		}
		if c.subs == nil {
			c.subs = make(map[string]struct{})
		}
		c.subs[id] = struct{}{}
		added = append(added, id)
	}
	full := len(c.subs) >= c.hub.cfg.Limits.Subscriptions
	c.mu.Unlock()
	c.hub.gossip.subscribe(c, added, m.Remove)
	if slices.Contains(added, c.hub.cfg.StorageID) {
		c.replayOwn()
	}
	if full && len(added) < len(m.Add) {
		c.complain(fmt.Errorf("subscriptions: at most %d: %w", c.hub.cfg.Limits.Subscriptions, kaijutsu.ErrTooLarge))
	}
}

// takeHeads takes what a peer says of other peers' storages. A peer says it
// of documents that it has open, and is not believed about our own storage or
// about the future.
func (c *conn) takeHeads(m wire.HeadsChanged) {
	c.mu.Lock()
	d := c.docs[m.DocumentID]
	served := d != nil && !d.over
	c.mu.Unlock()
	if !served {
		c.hub.count.ignored.Add(1)
		return
	}
	latest := millis(c.hub.cfg.Now().Add(maxAhead))
	for storage, h := range m.Heads {
		if storage != c.hub.cfg.StorageID && h.UnixMillis <= latest {
			c.hub.gossip.heard(c, d, storage, h)
		}
	}
}

// noteHeads notes the server's own heads, which are on disk, for a peer that
// wants to hear of the server's storage now or later.
func (c *conn) noteHeads(d *document, heads kaijutsu.Heads, at float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d.heads, d.headsAt = heads, max(at, d.headsAt+1) // receivers ignore what is not newer
	c.queueOwnLocked(d)
}

// replayOwn tells a new subscriber the server's own heads of its documents.
func (c *conn) replayOwn() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range c.docs {
		c.queueOwnLocked(d)
	}
}

// queueOwnLocked queues the server's own heads of a document; c.mu is held.
func (c *conn) queueOwnLocked(d *document) {
	own := c.hub.cfg.StorageID
	if _, wanted := c.subs[own]; wanted && len(d.heads) > 0 && !d.over {
		c.queueHeadsLocked(d.name, own, wire.StorageHeads{Heads: d.heads, UnixMillis: d.headsAt})
	}
}

// queueHeads queues heads of a storage if the connection has the document open
// and wants to hear of it.
func (c *conn) queueHeads(name, storage string, h wire.StorageHeads) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.docs[name]
	if _, wanted := c.subs[storage]; wanted && d != nil && d.session != nil {
		c.queueHeadsLocked(name, storage, h)
	}
}

func (c *conn) queueHeadsLocked(name, storage string, h wire.StorageHeads) {
	if c.detached || c.ending != nil {
		return
	}
	c.out.heads.push(wire.HeadsChanged{
		SenderID:   c.hub.cfg.PeerID,
		TargetID:   c.peerID(),
		DocumentID: name,
		Heads:      map[string]wire.StorageHeads{storage: h},
	}, storage)
	c.wakeLocked()
}

// subscriptions lists what the connection wants to hear of.
func (c *conn) subscriptions() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	ids := make([]string, 0, len(c.subs))
	for id := range c.subs {
		ids = append(ids, id)
	}
	return ids
}

// direct notes what a connected peer with a storage says that it holds.
func (g *gossip) direct(c *conn, d *document, heads kaijutsu.Heads) {
	storage := c.who.Load().storageID
	if storage == "" {
		return
	}
	g.mu.Lock()
	last, known := g.last[storage][d.name]
	if known && last.Heads.Equal(heads) {
		g.mu.Unlock()
		return
	}
	now := millis(c.hub.cfg.Now())
	if known {
		now = max(now, last.UnixMillis+1)
	}
	g.tell(c, d, storage, wire.StorageHeads{Heads: heads, UnixMillis: now})
}

// heard notes what a peer says of another's storage, if it is news.
func (g *gossip) heard(c *conn, d *document, storage string, h wire.StorageHeads) {
	g.mu.Lock()
	if last, known := g.last[storage][d.name]; known && h.UnixMillis <= last.UnixMillis {
		g.mu.Unlock()
		return
	}
	g.tell(c, d, storage, h)
}

// tell keeps heads and queues them for the subscribers other than from. It is
// called with g.mu held and unlocks it.
func (g *gossip) tell(from *conn, d *document, storage string, h wire.StorageHeads) {
	g.keepLocked(storage, d.name, h)
	var to []*conn
	for c := range g.subscribers[storage] {
		if c != from {
			to = append(to, c)
		}
	}
	g.mu.Unlock()
	for _, c := range to {
		c.queueHeads(d.name, storage, h)
	}
}

// keepLocked remembers heads, forgetting others when there are too many.
func (g *gossip) keepLocked(storage, name string, h wire.StorageHeads) {
	if _, known := g.last[storage][name]; !known {
		if g.size >= maxGossip {
			g.dropLocked()
		}
		g.size++
	}
	if g.last == nil {
		g.last = make(map[string]map[string]wire.StorageHeads)
	}
	if g.last[storage] == nil {
		g.last[storage] = make(map[string]wire.StorageHeads)
	}
	g.last[storage][name] = h
}

// dropLocked forgets the heads of some storage of some document: it is told
// again when it moves.
func (g *gossip) dropLocked() {
	for storage, docs := range g.last {
		for name := range docs {
			delete(docs, name)
			g.size--
			break
		}
		if len(docs) == 0 {
			delete(g.last, storage)
		}
		return
	}
}

// subscribe makes a connection a subscriber of the added storages and replays
// what is known of them.
func (g *gossip) subscribe(c *conn, added, removed []string) {
	type known struct {
		name, storage string
		heads         wire.StorageHeads
	}
	var replay []known
	g.mu.Lock()
	for _, id := range removed {
		g.unsubscribeLocked(c, id)
	}
	for _, id := range added {
		if g.subscribers == nil {
			g.subscribers = make(map[string]map[*conn]struct{})
		}
		if g.subscribers[id] == nil {
			g.subscribers[id] = make(map[*conn]struct{})
		}
		g.subscribers[id][c] = struct{}{}
		for name, h := range g.last[id] {
			replay = append(replay, known{name, id, h})
		}
	}
	g.mu.Unlock()
	for _, k := range replay {
		c.queueHeads(k.name, k.storage, k.heads)
	}
}

// replay tells a connection that has just opened a document what is known of
// the storages it subscribed to.
func (g *gossip) replay(c *conn, d *document, storages []string) {
	for _, id := range storages {
		g.mu.Lock()
		h, known := g.last[id][d.name]
		g.mu.Unlock()
		if known {
			c.queueHeads(d.name, id, h)
		}
	}
}

// forget ends the subscriptions of a connection.
func (g *gossip) forget(c *conn) {
	ids := c.subscriptions()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, id := range ids {
		g.unsubscribeLocked(c, id)
	}
}

func (g *gossip) unsubscribeLocked(c *conn, id string) {
	delete(g.subscribers[id], c)
	if len(g.subscribers[id]) == 0 {
		delete(g.subscribers, id)
	}
}

// headsQueue holds the latest heads of each document and storage, in the order
// in which they became due. The zero value is empty.
type headsQueue struct {
	order []headsName
	due   map[headsName]wire.HeadsChanged
}

type headsName struct{ doc, storage string }

func (q *headsQueue) len() int { return len(q.order) }

// push queues heads in place of older ones; when too many wait, the oldest is
// dropped.
func (q *headsQueue) push(m wire.HeadsChanged, storage string) {
	name := headsName{m.DocumentID, storage}
	if _, waits := q.due[name]; !waits {
		if len(q.order) >= maxQueuedHeads {
			q.pop()
		}
		q.order = append(q.order, name)
	}
	if q.due == nil {
		q.due = make(map[headsName]wire.HeadsChanged)
	}
	q.due[name] = m
}

func (q *headsQueue) pop() wire.HeadsChanged {
	name := q.order[0]
	m := q.due[name]
	delete(q.due, name)
	if q.order = q.order[1:]; len(q.order) == 0 {
		*q = headsQueue{}
	}
	return m
}
