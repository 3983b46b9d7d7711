package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/internal/repo"
)

const (
	askIdle    = 15 * time.Second // an answer that brings nothing for so long has broken off
	whoTime    = time.Second      // to find out who has a document
	fetchTime  = 5 * time.Minute  // to get it
	baseDepth  = 16               // documents that a fork rests on
	maxMissing = 256              // documents of one answer that need more
)

// ask puts a question to a node and takes its answer apart.
func (c *Cluster) ask(ctx context.Context, node string, question []byte, u *unpacker) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(askIdle, func() {
		cancel(fmt.Errorf("node %s has sent nothing for %v: %w", node, askIdle, kaijutsu.ErrUnavailable))
	})
	defer idle.Stop()
	var bad error // what is wrong with the answer
	err := c.bus.Ask(ctx, "node.ask."+node, question, func(part []byte) error {
		idle.Stop()
		defer idle.Reset(askIdle)
		bad = u.part(part)
		return bad
	})
	if err == nil {
		bad = u.end()
		err = bad
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	if errors.Is(bad, kaijutsu.ErrInvalid) {
		c.refused.note(node, bad)
	}
	return err
}

// pull gets what a node has of some documents and this one does not, and
// returns when it is on disk and how many changes it was.
func (c *Cluster) pull(ctx context.Context, node string, docs []wanted) (int64, error) {
	return c.pullDeep(ctx, node, docs, 0)
}

func (c *Cluster) pullDeep(ctx context.Context, node string, docs []wanted, depth int) (int64, error) {
	asked := make(map[kaijutsu.DocumentID]bool, len(docs))
	for _, d := range docs {
		asked[d.doc] = true
	}
	a := &answer{}
	u := unpacker{f: func(item []byte) error {
		switch kindOf(item) {
		case kindBatch:
			b, err := decodeBatch(item)
			if err != nil {
				return err
			}
			if !asked[b.doc] {
				return fmt.Errorf("document %s, which nobody asked for: %w", b.doc, kaijutsu.ErrInvalid)
			}
			return c.receive(ctx, node, b, a)
		case kindEnd:
			_, err := decodeEnd(item)
			return err
		}
		return fmt.Errorf("item of kind %d: %w", kindOf(item), kaijutsu.ErrInvalid)
	}}
	err := c.ask(ctx, node, encodeSince(docs), &u)
	a.running.Wait()
	taken := a.taken
	if err == nil {
		err = a.err
	}
	for doc, missing := range a.missing {
		if err != nil || depth >= baseDepth {
			break
		}
		var more int64
		more, err = c.pullMissing(ctx, node, doc, missing, depth)
		taken += more
	}
	return taken, err
}

// haveOf returns what to tell of a document on disk, none when it is not here:
// its heads, and changes ever further back, so that a node that does not know
// the newest need not send everything.
func (c *Cluster) haveOf(ctx context.Context, doc kaijutsu.DocumentID) kaijutsu.Heads {
	info, err := c.store.Info(ctx, doc)
	if err != nil {
		return nil
	}
	have := info.Heads
	for back := uint64(8); back < info.Changes; back *= 16 {
		old, err := c.repo.Raw(ctx, doc, info.Changes-back, 1)
		if err != nil || len(old) == 0 {
			break
		}
		have = append(have[:len(have):len(have)], old[0].Hash)
	}
	return kaijutsu.NewHeads(have...)
}

// answer is what came of the batches in an answer.
type answer struct {
	running sync.WaitGroup

	mu      sync.Mutex
	taken   int64
	err     error
	missing map[kaijutsu.DocumentID]*missingError
}

// receive gives a batch to its document's lane.
func (c *Cluster) receive(ctx context.Context, node string, b *batch, a *answer) error {
	p := &parcel{from: fromAsk, node: node, batch: b, bytes: 256}
	for _, raw := range b.raws {
		p.bytes += len(raw) + 32
	}
	p.done = func(err error) {
		a.note(p, err)
		a.running.Done()
	}
	a.running.Add(1)
	err := c.lanes.deliver(ctx, c, p)
	if err != nil {
		a.running.Done()
	}
	return err
}

func (a *answer) note(p *parcel, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.taken += int64(p.taken)
	doc := p.doc()
	var missing *missingError
	switch {
	case err == nil:
	case errors.As(err, &missing):
		if a.missing == nil {
			a.missing = make(map[kaijutsu.DocumentID]*missingError)
		}
		if old := a.missing[doc]; len(a.missing) < maxMissing && (old == nil || old.base == nil) {
			a.missing[doc] = missing
		}
	case errors.Is(err, kaijutsu.ErrUnavailable) && !errors.Is(err, repo.ErrDeleted):
		a.err = err // nothing else will fare better
	}
}

// pullMissing gets a document again of which changes wait: first what it rests
// on, if it is a fork, and when that does not help, all of it.
func (c *Cluster) pullMissing(ctx context.Context, node string, doc kaijutsu.DocumentID, m *missingError, depth int) (int64, error) {
	whole := m.base == nil
	var taken int64
	if m.base != nil {
		n, err := c.pullDeep(ctx, node, []wanted{{doc: m.base.Doc, have: c.haveOf(ctx, m.base.Doc)}}, depth+1)
		taken += n
		if err != nil {
			return taken, err
		}
		has, err := c.repo.Has(ctx, m.base.Doc, m.base.Heads)
		whole = err != nil
		for _, known := range has {
			whole = whole || !known
		}
	}
	if whole {
		depth = baseDepth - 1
	}
	n, err := c.pullDeep(ctx, node, []wanted{{doc: doc, have: c.haveOf(ctx, doc), whole: whole}}, depth+1)
	return taken + n, err
}

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
		if _, err := c.pull(life, node, []wanted{{doc: doc}}); err != nil && life.Err() == nil {
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
