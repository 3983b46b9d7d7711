package peer

import (
	"fmt"
	"slices"
	"time"

	"kaijutsu"
	"kaijutsu/internal/wire"
)

const (
	maxQueuedHeads = 4096             // that wait for one connection
	maxAhead       = 60 * time.Second // how far a peer's clock may be ahead of ours
)

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
