package cluster

import (
	"context"
	"errors"
	"time"

	"kaijutsu"
	"kaijutsu/internal/guard"
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
	} else if errors.Is(err, kaijutsu.ErrNotFound) && c.digest.sum(doc) != 0 {
		c.digest.drop(doc, c.now()) // set aside because of damage: what is not here is not told
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

// Elsewhere reports whether another node holds a document.
func (c *Cluster) Elsewhere(ctx context.Context, doc kaijutsu.DocumentID) bool {
	if c.bus.Embedded() || !c.connected.Load() {
		return false
	}
	return c.whoHas(ctx, doc) != ""
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
	return c.whoOf(ctx, nodes, doc)
}

// whoOf asks nodes. Those that have lately said nothing are not waited for.
func (c *Cluster) whoOf(ctx context.Context, nodes []string, doc kaijutsu.DocumentID) string {
	type answer struct {
		asked string
		has   bool
	}
	answers := make(chan answer, len(nodes))
	owe := make(map[string]bool, len(nodes)) // have not answered; whether they are waited for
	loud := 0                                // that are
	for _, node := range nodes {
		owe[node] = !c.nodes.isSilent(node, time.Now())
		if owe[node] {
			loud++
		}
		guard.Go(c.log, "question to a node", func() { // ends with ctx, which ends when the caller returns
			has := false
			defer func() { answers <- answer{node, has} }()
			_ = c.bus.Ask(ctx, "node.ask."+node, encodeWho(doc), func(part []byte) error { // an error is a no
				h, err := decodeHas(part)
				has = has || err == nil && h.node == node
				return err
			})
		})
	}
	for len(owe) > 0 {
		var enough <-chan time.Time
		if loud == 0 {
			enough = time.After(silentTime)
		}
		select {
		case a := <-answers:
			if ctx.Err() != nil && !a.has { // it is no answer
				continue
			}
			c.nodes.heard(a.asked)
			if a.has {
				return a.asked
			}
			if owe[a.asked] {
				loud--
			}
			delete(owe, a.asked)
		case <-enough:
			return ""
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				c.nodes.silence(owe, time.Now())
			}
			return ""
		}
	}
	return ""
}
