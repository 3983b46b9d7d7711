package cluster

import (
	"context"
	"errors"
	"fmt"

	"kaijutsu"
	"kaijutsu/flowbus"
	"kaijutsu/internal/repo"
)

// answer answers a question of another node.
func (c *Cluster) answer(ctx context.Context, m flowbus.Message, send func([]byte) error) error {
	p := &packer{send: send}
	var err error
	switch kindOf(m.Data) {
	case kindWho:
		return c.answerWho(ctx, m, send)
	case kindFind:
		return c.answerFind(ctx, m, send)
	case kindSince:
		err = c.answerSince(ctx, m, p)
	case kindList:
		err = c.answerList(ctx, m, p)
	default:
		err = fmt.Errorf("question of kind %d: %w", kindOf(m.Data), kaijutsu.ErrInvalid)
		c.refused.note(m.Node, err)
	}
	if err != nil {
		return err
	}
	return p.flush()
}

// answerWho says that this node has a document, or fails with ErrNotFound.
func (c *Cluster) answerWho(ctx context.Context, m flowbus.Message, send func([]byte) error) error {
	doc, err := decodeWho(m.Data)
	if err != nil {
		c.refused.note(m.Node, err)
		return err
	}
	info, err := c.store.Info(ctx, doc)
	if err != nil {
		return err
	}
	return send(has{c.bus.Node(), info.Changes}.encode())
}

// answerList lists the documents of some buckets.
func (c *Cluster) answerList(ctx context.Context, m flowbus.Message, p *packer) error {
	of, err := decodeList(m.Data)
	if err != nil {
		c.refused.note(m.Node, err)
		return err
	}
	part := make([]listed, 0, maxListed)
	for doc := range c.digest.list(of) {
		info, err := c.store.Info(ctx, doc)
		if err != nil || len(info.Heads) > maxHeads {
			continue // gone meanwhile
		}
		if part = append(part, listed{doc, info.Heads}); len(part) == maxListed {
			if err := p.item(encodeListed(part)); err != nil {
				return err
			}
			part = part[:0]
		}
	}
	if len(part) == 0 {
		return nil
	}
	return p.item(encodeListed(part))
}

// answerSince sends what documents have gained.
func (c *Cluster) answerSince(ctx context.Context, m flowbus.Message, p *packer) error {
	docs, err := decodeSince(m.Data)
	if err != nil {
		c.refused.note(m.Node, err)
		return err
	}
	for _, w := range docs {
		state, err := c.sendSince(ctx, w, p)
		if err != nil {
			return err
		}
		if err := p.item(end{w.doc, state}.encode()); err != nil {
			return err
		}
	}
	return nil
}

// sendSince sends one document's changes. An error is one of sending.
func (c *Cluster) sendSince(ctx context.Context, w wanted, p *packer) (state byte, _ error) {
	_, err := c.store.Info(ctx, w.doc)
	switch {
	case errors.Is(err, kaijutsu.ErrNotFound), errors.Is(err, repo.ErrDeleted):
		return endUnknown, nil
	case err != nil:
		return endUnavailable, nil
	}
	var origin repo.Origin
	if len(w.have) == 0 {
		if origin, err = c.repo.Origin(ctx, w.doc); err != nil {
			return endUnavailable, nil
		}
		if w.whole {
			origin.Base = nil
		}
		if origin.Base != nil {
			w.have = origin.Base.Heads
		}
	}
	var sending error
	err = c.repo.Since(ctx, w.doc, w.have, func(changes []repo.Change) error {
		for _, b := range split(w.doc, origin, changes) {
			if sending = p.item(b.encode()); sending != nil {
				return sending
			}
			origin.Base = nil // it went with the first
		}
		return nil
	})
	if sending != nil {
		return 0, sending
	}
	if err != nil {
		c.log.Debug("changes not sent", "document", w.doc, "err", err)
		return endUnavailable, ctx.Err()
	}
	return endWhole, nil
}
