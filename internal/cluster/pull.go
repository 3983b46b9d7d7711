package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"kaijutsu"
	"kaijutsu/internal/repo"
)

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
