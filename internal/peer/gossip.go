package peer

import (
	"sync"

	"kaijutsu"
	"kaijutsu/internal/wire"
)

// maxGossip is how many heads are remembered, of all storages and documents,
// each entry counting for one more.
const maxGossip = 128 << 10

// gossip knows what the storages of peers hold of which documents, and who
// wants to hear of it. What is said of the server's own storage does not come
// from here: see conn.noteHeads.
type gossip struct {
	mu          sync.Mutex
	last        map[string]map[string]wire.StorageHeads // guarded by mu: storage id → document → heads
	size        int                                     // guarded by mu: heads and entries of last
	subscribers map[string]map[*conn]struct{}           // guarded by mu: by storage id
}

// direct notes what a connected peer with a storage says that it holds.
func (g *gossip) direct(c *conn, d *document, heads kaijutsu.Heads) {
	storage := c.who.Load().storageID
	if storage == "" || len(heads) > wire.MaxHeads {
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
	if _, known := g.last[storage][name]; known {
		g.dropLocked(storage, name)
	}
	for cost := 1 + len(h.Heads); g.size+cost > maxGossip; {
		g.dropAnyLocked()
	}
	g.size += 1 + len(h.Heads)
	if g.last == nil {
		g.last = make(map[string]map[string]wire.StorageHeads)
	}
	if g.last[storage] == nil {
		g.last[storage] = make(map[string]wire.StorageHeads)
	}
	g.last[storage][name] = h
}

// dropAnyLocked forgets the heads of some storage of some document: it is told
// again when it moves.
func (g *gossip) dropAnyLocked() {
	for storage, docs := range g.last {
		for name := range docs {
			g.dropLocked(storage, name)
			return
		}
	}
}

func (g *gossip) dropLocked(storage, name string) {
	docs := g.last[storage]
	g.size -= 1 + len(docs[name].Heads)
	if delete(docs, name); len(docs) == 0 {
		delete(g.last, storage)
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
