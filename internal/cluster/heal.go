package cluster

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"kaijutsu"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/repo"
)

// Heal says what a comparison of digests brought.
type Heal struct {
	Node      string
	At        time.Time
	Took      time.Duration
	Documents int   // that differed
	Changes   int64 // that were taken
}

// heal gets what a node has in some buckets and this one does not.
func (c *Cluster) heal(ctx context.Context, node string, ready which, urgent bool) {
	begun := c.now()
	result := Heal{Node: node, At: begun.UTC()}
	docs, err := c.differing(ctx, node, ready)
	docs = c.behind(ctx, docs)
	if len(docs) > 0 && !urgent { // what is on its way arrives meanwhile
		if !sleep(ctx, c.tune.quiet) {
			return
		}
		docs = c.behind(ctx, docs)
	}
	if err == nil && len(docs) > 0 {
		result.Documents = len(docs)
		result.Changes, err = c.getAll(ctx, node, docs)
	}
	result.Took = c.now().Sub(begun)
	if err != nil && ctx.Err() == nil {
		c.log.Debug("comparison broke off", "peer", node, "err", err) // it is repeated
	}
	c.count.healed.Add(result.Changes)
	c.healer.mu.Lock()
	if result.Documents > 0 {
		c.healer.lastHeal = result
	}
	c.healer.mu.Unlock()
	if result.Changes > 0 {
		c.log.Info("changes got by comparison", "peer", node, "documents", result.Documents, "changes", result.Changes, "dur", result.Took)
		c.healer.nudge()
	}
}

// side is how many documents are looked at, and questions asked, side by side.
const side = 4

// behind returns the documents of whose heads some are not here.
func (c *Cluster) behind(ctx context.Context, docs []listed) []listed {
	lacks := make([]bool, len(docs))
	var running sync.WaitGroup
	for w := range side {
		running.Go(guard.Func(c.log, "comparison of nodes", func() {
			for i := w; i < len(docs) && ctx.Err() == nil; i += side {
				has, err := c.repo.Has(ctx, docs[i].doc, docs[i].heads)
				lacks[i] = err == nil && slices.Contains(has, false)
			}
		}))
	}
	running.Wait()
	var found []listed
	for i, d := range docs {
		if lacks[i] {
			found = append(found, d)
		}
	}
	return found
}

// getAll gets documents, several at a time, and returns how many changes it
// was.
func (c *Cluster) getAll(ctx context.Context, node string, docs []listed) (int64, error) {
	portions := make(chan []listed)
	var running sync.WaitGroup
	var mu sync.Mutex
	var taken int64
	var failed error
	for range side {
		running.Go(guard.Func(c.log, "getter of documents", func() {
			for part := range portions {
				n, err := c.getSome(ctx, node, part)
				mu.Lock()
				taken += n
				if err != nil {
					failed = err
				}
				mu.Unlock()
			}
		}))
	}
	size := min(max(len(docs)/(2*side), 1), maxAskDocs)
	for part := range slices.Chunk(docs, size) {
		portions <- part
	}
	close(portions)
	running.Wait()
	return taken, failed
}

// getSome asks for documents, with as few questions as hold them.
func (c *Cluster) getSome(ctx context.Context, node string, docs []listed) (taken int64, err error) {
	var ask []wanted
	size := 0
	for i, d := range docs {
		c.healer.attempt(d.doc, sumOf(d.doc, d.heads), c.digest.sum(d.doc), c.now())
		have := c.haveOf(ctx, d.doc)
		ask = append(ask, wanted{doc: d.doc, have: have})
		if size += 64 + 32*len(have); size < partBytes && i < len(docs)-1 {
			continue
		}
		n, err := c.pull(ctx, node, ask)
		taken += n
		if err != nil {
			return taken, err
		}
		ask, size = nil, 0
	}
	return taken, nil
}

// differing asks a node for its documents in some buckets, and returns those of
// which it may have what is not here.
func (c *Cluster) differing(ctx context.Context, node string, of which) ([]listed, error) {
	var found []listed
	u := unpacker{f: func(item []byte) error {
		docs, err := decodeListed(item)
		for _, d := range docs {
			own, theirs := c.digest.sum(d.doc), sumOf(d.doc, d.heads)
			if own == theirs || c.healer.vain(d.doc, theirs, own, c.now()) || own == 0 && c.deleted(ctx, d.doc) {
				continue
			}
			found = append(found, d)
		}
		return err
	}}
	err := c.ask(ctx, node, encodeList(of), &u)
	return found, err
}

// deleted reports whether a document was deleted here for good.
func (c *Cluster) deleted(ctx context.Context, doc kaijutsu.DocumentID) bool {
	_, err := c.store.Info(ctx, doc)
	return errors.Is(err, repo.ErrDeleted)
}
