package cluster

import (
	"context"
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/guard"
)

const (
	findTime    = time.Second // to find documents by a name, and to get them
	maxFindName = 4096        // bytes of a name
	maxFound    = 16          // documents of one node
)

// Seek gets the documents that go by a name on other nodes, as they are there,
// and reports whether it got any that are not here or not up to date. It takes
// a second at most, and no time where no other node lives; what takes longer
// goes on.
func (c *Cluster) Seek(ctx context.Context, name string) bool {
	if c.bus.Embedded() || !c.connected.Load() || name == "" || len(name) > maxFindName {
		return false
	}
	nodes, known := c.nodes.living()
	if known && len(nodes) == 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, findTime)
	defer cancel()
	select {
	case c.fetches <- struct{}{}:
		defer func() { <-c.fetches }()
	case <-ctx.Done():
		return false
	}
	some := false
	for _, f := range c.whoFinds(ctx, nodes, name) {
		docs := c.lacking(ctx, f)
		if len(docs) == 0 {
			continue
		}
		done := make(chan struct{})
		spawned := c.spawn(func(life context.Context) {
			defer close(done)
			life, cancel := context.WithTimeout(life, fetchTime)
			defer cancel()
			if err := c.bring(life, f.node, docs); err != nil && life.Err() == nil {
				c.log.Warn("documents not fetched", "documents", len(docs), "peer", f.node, "err", err)
			}
		})
		if !spawned {
			return some
		}
		select {
		case <-done:
			some = true
		case <-ctx.Done():
			return some
		}
	}
	return some
}

// bring gets documents from a node, behind the kernel's records as they are
// there: they say who may read them.
func (c *Cluster) bring(ctx context.Context, node string, docs []wanted) error {
	if !c.cfg.Records.IsZero() {
		records := wanted{doc: c.cfg.Records, have: c.haveOf(ctx, c.cfg.Records)}
		if _, err := c.pull(ctx, node, []wanted{records}); err != nil {
			return fmt.Errorf("the records of the kernel: %w", err)
		}
		if c.cfg.Settle != nil {
			if err := c.cfg.Settle(ctx); err != nil {
				return fmt.Errorf("the records of the kernel: %w", err)
			}
		}
	}
	_, err := c.pull(ctx, node, docs)
	return err
}

// lacking returns what to ask for of the documents that a node has found.
func (c *Cluster) lacking(ctx context.Context, f found) (docs []wanted) {
	for _, l := range f.docs {
		if info, err := c.store.Info(ctx, l.doc); l.doc == c.cfg.Records || err == nil && info.Heads.Equal(l.heads) {
			continue
		}
		docs = append(docs, wanted{doc: l.doc, have: c.haveOf(ctx, l.doc)})
	}
	return docs
}

// whoFinds asks nodes for the documents that go by a name, or, when it is not
// known which live, whoever answers first.
func (c *Cluster) whoFinds(ctx context.Context, nodes []string, name string) (all []found) {
	if len(nodes) == 0 {
		var f found
		_, err := c.bus.AskAll(ctx, "node.ask", encodeFind(name), func(part []byte) (err error) {
			f, err = decodeFound(part)
			return err
		})
		if err != nil || f.node == "" {
			return nil
		}
		return []found{f}
	}
	answers := make(chan found, len(nodes))
	for _, node := range nodes {
		guard.Go(c.log, "question to a node", func() { // ends with ctx, which ends when the caller returns
			var said found
			defer func() { answers <- said }()
			_ = c.bus.Ask(ctx, "node.ask."+node, encodeFind(name), func(part []byte) error { // an error is a no
				f, err := decodeFound(part)
				if err == nil && f.node == node {
					said = f
				}
				return err
			})
		})
	}
	for range nodes {
		select {
		case f := <-answers:
			if f.node != "" {
				all = append(all, f)
			}
		case <-ctx.Done():
			return all
		}
	}
	return all
}

// answerFind says which documents go by a name here, or fails with ErrNotFound.
func (c *Cluster) answerFind(ctx context.Context, m flowbus.Message, send func([]byte) error) error {
	name, err := decodeFind(m.Data)
	if err != nil {
		c.refused.note(m.Node, err)
		return err
	}
	f := found{node: c.bus.Node()}
	if c.cfg.Find != nil {
		ctx, cancel := context.WithTimeout(ctx, findTime)
		defer cancel()
		for _, doc := range c.cfg.Find(ctx, name) {
			info, err := c.store.Info(ctx, doc)
			if err == nil && len(info.Heads) > 0 && len(info.Heads) <= maxHeads && len(f.docs) < maxFound {
				f.docs = append(f.docs, listed{doc, info.Heads})
			}
		}
	}
	if len(f.docs) == 0 {
		return fmt.Errorf("no document goes by this name: %w", kaijutsu.ErrNotFound)
	}
	for len(f.docs) > 1 && len(f.encode()) > flowbus.MaxMessage-1024 { // unlikely heads
		f.docs = f.docs[:len(f.docs)-1]
	}
	return send(f.encode())
}

// encodeFind asks for the documents that go by a name.
func encodeFind(name string) []byte {
	w := writer{}
	w.byte(kindFind)
	w.text(name)
	return w.b
}

func decodeFind(data []byte) (string, error) {
	r := reader{b: data}
	if r.byte() != kindFind {
		r.fail("it names no document")
	}
	name := string(r.bytes(maxFindName))
	if name == "" {
		r.fail("it names nothing")
	}
	return name, named("question", r.done())
}

// found answers find.
type found struct {
	node string
	docs []listed
}

func (f found) encode() []byte {
	w := writer{}
	w.byte(kindFound)
	w.text(f.node)
	w.uint(uint64(len(f.docs)))
	for _, d := range f.docs {
		w.doc(d.doc)
		w.hashes(d.heads)
	}
	return w.b
}

func decodeFound(data []byte) (found, error) {
	r := reader{b: data}
	if r.byte() != kindFound {
		r.fail("it is no answer")
	}
	f := found{node: string(r.bytes(maxNode))}
	n := int(r.uint(maxFound))
	if f.node == "" || n == 0 {
		r.fail("it names no node or no document")
	}
	for range n {
		d := listed{doc: r.doc(), heads: r.heads(maxHeads)}
		if len(d.heads) == 0 {
			r.fail("a document has no heads")
		}
		if r.err != nil {
			break
		}
		f.docs = append(f.docs, d)
	}
	if err := r.done(); err != nil {
		return found{}, named("answer", err)
	}
	return f, nil
}
