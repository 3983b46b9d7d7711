package cluster

import (
	"context"
	"errors"

	"kaijutsu"
	"kaijutsu/internal/repo"
)

// Fetch gets a document that is not here from any node that has it, and
// reports whether it is here now. It says no when all nodes that live have said
// so, or after a second; once one has it, it may take as long as ctx allows,
// and goes on when that ends.
func (c *Cluster) Fetch(ctx context.Context, doc kaijutsu.DocumentID) bool {
	if c.bus.Embedded() || !c.connected.Load() {
		return false
	}
	select {
	case c.fetches <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	release := func() { <-c.fetches }
	if _, err := c.store.Info(ctx, doc); errors.Is(err, repo.ErrDeleted) {
		release()
		return false
	}
	node := c.whoHas(ctx, doc)
	if node == "" {
		release()
		return false
	}
	done := make(chan struct{})
	spawned := c.spawn(func(life context.Context) {
		defer release()
		defer close(done)
		life, cancel := context.WithTimeout(life, fetchTime)
		defer cancel()
		if err := c.bring(life, node, []wanted{{doc: doc}}); err != nil && life.Err() == nil {
			c.log.Warn("document not fetched", "document", doc, "peer", node, "err", err)
		}
	})
	if !spawned {
		release()
		return false
	}
	select {
	case <-done:
	case <-ctx.Done():
		return false
	}
	info, err := c.store.Info(ctx, doc)
	return err == nil && info.Changes > 0
}

// whoHas returns a node that has a document; "": none says so.
func (c *Cluster) whoHas(ctx context.Context, doc kaijutsu.DocumentID) string {
	ctx, cancel := context.WithTimeout(ctx, whoTime)
	defer cancel()
	var found string
	hear := func(part []byte) error {
		h, err := decodeHas(part)
		if err == nil {
			found = h.node
		}
		return err
	}
	nodes, known := c.nodes.living()
	if !known || len(nodes) == 0 {
		_, _ = c.bus.AskAll(ctx, "node.ask", encodeWho(doc), hear) // an error is a no
		return found
	}
	answers := make(chan string, len(nodes))
	for _, node := range nodes {
		go func() { // ends with ctx, which ends when this function returns
			said := ""
			_ = c.bus.Ask(ctx, "node.ask."+node, encodeWho(doc), func(part []byte) error {
				h, err := decodeHas(part)
				if err == nil && h.node == node {
					said = node
				}
				return err
			})
			answers <- said
		}()
	}
	for range nodes {
		select {
		case node := <-answers:
			if node != "" {
				return node
			}
		case <-ctx.Done():
			return ""
		}
	}
	return ""
}
