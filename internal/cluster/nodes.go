package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
)

// Node is what is known of a node.
type Node struct {
	ID      string
	Name    string // what people call it; may be ""
	Self    bool
	Addr    string // where it can be reached; "" when it did not say
	Version string // of its program
	Schema  int    // of its messages; another than ours is not understood
	Started time.Time
	// Documents is how many it holds, Outbox how many of its changes wait for
	// NATS, Lag how many records of the feed it has taken and not yet stored.
	Documents, Outbox, Lag int
	// Seen is when it last said so, by the clock of this node.
	Seen time.Time
}

const (
	nodePrefix   = "node."
	maxNodeBytes = 4 << 10
	maxNodes     = 1024
	// nodeGrace is how long a node that has vanished is not said to have left:
	// when NATS has lost its keys, nodes put theirs again at once.
	nodeGrace = 2 * time.Second
	// lostFor is how long a node that left without saying so is missed.
	lostFor = 24 * time.Hour
)

// nodeValue is a Node as the registry holds it.
type nodeValue struct {
	Name      string    `json:"name,omitempty"`
	Addr      string    `json:"addr,omitempty"`
	Version   string    `json:"version,omitempty"`
	Schema    int       `json:"schema"`
	Started   time.Time `json:"started"`
	Documents int       `json:"documents"`
	Outbox    int       `json:"outbox"`
	Lag       int       `json:"lag"`
	Leaving   bool      `json:"leaving,omitempty"`
}

// self describes this node.
func (c *Cluster) self() Node {
	_, documents := c.digest.sums()
	depth, _, _ := c.outbox.depth(c.now())
	n := Node{
		ID: c.bus.Node(), Name: c.cfg.Name, Self: true, Addr: c.cfg.Addr, Version: c.cfg.Version, Schema: flowbus.Schema,
		Started: c.nodes.began(c.now()), Documents: int(documents), Outbox: depth, Seen: c.now().UTC(),
	}
	for _, s := range c.shards {
		if s != nil {
			n.Lag += s.status().Pending
		}
	}
	return n
}

// runNodes keeps this node's key, which is gone soon after the node is.
func (c *Cluster) runNodes(ctx context.Context) {
	for {
		if c.connected.Load() {
			c.putSelf(ctx, false, c.tune.nodeTTL)
		}
		c.tellGone()
		timer := time.NewTimer(c.tune.renew)
		select {
		case <-c.nodes.wake:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return
		}
	}
}

func (c *Cluster) putSelf(ctx context.Context, leaving bool, ttl time.Duration) {
	n := c.self()
	value, err := json.Marshal(nodeValue{
		Name: n.Name, Addr: n.Addr, Version: n.Version, Schema: n.Schema, Started: n.Started,
		Documents: n.Documents, Outbox: n.Outbox, Lag: n.Lag, Leaving: leaving,
	})
	if err != nil {
		c.log.Error("node not described", "err", err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, c.tune.renew)
	defer cancel()
	if _, err := c.bus.Put(ctx, nodePrefix+n.ID, value, ttl); err != nil && ctx.Err() == nil {
		c.log.Debug("node not registered", "err", err) // repeated
	}
}

// leave tells the others that this node goes.
func (c *Cluster) leave() {
	if c.bus.Embedded() || !c.connected.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c.putSelf(ctx, true, time.Second)
}

// watchNodes follows the registry.
func (c *Cluster) watchNodes(ctx context.Context) {
	for ctx.Err() == nil {
		err := c.bus.WatchKeys(ctx, nodePrefix, c.hearNode)
		if ctx.Err() == nil {
			c.log.Debug("registry not watched", "err", err)
			sleep(ctx, time.Second)
		}
	}
}

// hearNode takes a key of the registry.
func (c *Cluster) hearNode(key string, value []byte, gone bool) {
	r := c.nodes
	if key == "" {
		r.mu.Lock()
		r.synced = !gone
		r.mu.Unlock()
		return
	}
	id := strings.TrimPrefix(key, nodePrefix)
	if id == c.bus.Node() {
		if gone {
			r.poke() // NATS has lost it
		}
		return
	}
	if gone {
		r.vanished(id, c.now())
		time.AfterFunc(nodeGrace+nodeGrace/8, r.poke)
		return
	}
	n, leaving, err := decodeNode(id, value)
	if err != nil {
		c.refused.note("", err)
		return
	}
	if leaving {
		if r.remove(id) {
			c.tellNode(n, false)
		}
		return
	}
	n.Seen = c.now().UTC()
	if r.put(n) {
		c.tellNode(n, true)
		c.healer.nudge()
	}
}

func decodeNode(id string, value []byte) (n Node, leaving bool, _ error) {
	var v nodeValue
	if len(value) > maxNodeBytes || len(id) > maxNode {
		return n, false, fmt.Errorf("node of %d bytes: %w", len(value), kaijutsu.ErrTooLarge)
	}
	d := json.NewDecoder(bytes.NewReader(value))
	if err := d.Decode(&v); err != nil {
		return n, false, fmt.Errorf("node %.64q: %v: %w", id, err, kaijutsu.ErrInvalid)
	}
	return Node{
		ID: id, Name: v.Name, Addr: v.Addr, Version: v.Version, Schema: v.Schema, Started: v.Started.UTC(),
		Documents: v.Documents, Outbox: v.Outbox, Lag: v.Lag,
	}, v.Leaving, nil
}

// tellGone tells of nodes that have been gone for a while.
func (c *Cluster) tellGone() {
	r := c.nodes
	now := c.now()
	var left []Node
	r.mu.Lock()
	for id, at := range r.gone {
		if now.Sub(at).Abs() >= nodeGrace {
			n := r.nodes[id]
			left = append(left, n)
			r.lose(n)
		}
	}
	r.mu.Unlock()
	for _, n := range left {
		c.tellNode(n, false)
	}
}

func (c *Cluster) tellNode(n Node, joined bool) {
	if joined {
		c.log.Info("node joined", "peer", n.ID, "name", n.Name, "address", n.Addr, "version", n.Version)
	} else {
		c.log.Info("node left", "peer", n.ID)
	}
	if c.cfg.OnNode != nil {
		c.cfg.OnNode(n, joined)
	}
}
