package courier

import (
	"context"
	"errors"
	"fmt"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// before says what became of a drift whose id the caller has given, if there was
// one before: the same is not made twice, and something else is refused. One
// that waits because its delivery failed is tried again. The caller has claimed
// the id.
func (c *Courier) before(ctx context.Context, call op.Call, it *drift.Item, p plan) (Outcome, bool, error) {
	if e := c.queue.get(it.ID); e != nil {
		return c.waiting(ctx, call, it, p)
	}
	if r, ok := c.receipt(it.ID, it.By, it.Target); ok && r.doc != it.Target {
		return Outcome{}, true, taken(it.ID, "it went to another context")
	}
	if it.ToKernel != "" {
		return Outcome{}, false, nil // asked there
	}
	block, there, err := c.block(ctx, it)
	if err != nil || !there {
		return Outcome{}, false, err
	}
	meta, ok := drift.ParseMeta(block.Meta)
	switch {
	case block.By != it.By:
		return Outcome{}, true, taken(it.ID, "somebody else has used it")
	case ok && meta.SourceContext != it.Meta.SourceContext:
		return Outcome{}, true, taken(it.ID, "it came from another context")
	case ok && meta.Kind != it.Meta.Kind:
		return Outcome{}, true, taken(it.ID, "it was a "+string(meta.Kind))
	}
	if p.fixed {
		if err := p.content(ctx); err != nil {
			return Outcome{}, true, err
		}
		if block.Content != it.Content && meta.Finding != it.Meta.Finding {
			return Outcome{}, true, taken(it.ID, "it had another content")
		}
	}
	out := *it
	if ok {
		out.Meta = meta
	}
	out.Content = block.Content
	return Outcome{Item: out, State: drift.StateDelivered, Doc: it.Target, Block: block.ID, Already: true}, true, nil
}

// waiting says the same of a drift that is in the queue.
func (c *Courier) waiting(ctx context.Context, call op.Call, it *drift.Item, p plan) (Outcome, bool, error) {
	was, err := c.queue.whole(it.ID)
	if err != nil {
		return Outcome{}, true, err
	}
	switch {
	case was.By != it.By || was.Via != "":
		return Outcome{}, true, taken(it.ID, "somebody else has used it")
	case was.From != it.From:
		return Outcome{}, true, taken(it.ID, "it comes from another context")
	case was.Target != it.Target || was.ToKernel != it.ToKernel || was.To != it.To:
		return Outcome{}, true, taken(it.ID, "it goes to another context")
	case was.Meta.Kind != it.Meta.Kind:
		return Outcome{}, true, taken(it.ID, "it is a "+string(was.Meta.Kind))
	}
	if p.fixed {
		if err := p.content(ctx); err != nil {
			return Outcome{}, true, err
		}
		if was.Content != it.Content {
			return Outcome{}, true, taken(it.ID, "it has another content")
		}
	}
	if p.stage || was.State != drift.StateStaged {
		return Outcome{Item: was, State: was.State, Doc: was.Target, Already: true, Reason: was.LastError}, true, nil
	}
	out, err := c.atOnce(ctx, call, was, false)
	return out, true, err
}

func taken(id, why string) error {
	return fmt.Errorf("drift id %s: %w: %s; take a fresh one", id, kaijutsu.ErrConflict, why)
}

// block returns the block that an item is in its target, if it is there.
func (c *Courier) block(ctx context.Context, it *drift.Item) (repo.Block, bool, error) {
	if it.Target.IsZero() {
		return repo.Block{}, false, nil
	}
	type found struct {
		repo.Block
		there bool
	}
	id := drift.BlockID(it.ID, it.Target)
	b, err := view(ctx, c, authority(), it.Target, func(v repo.View) (found, error) {
		b, ok := v.Block(id)
		return found{b, ok}, nil
	})
	if errors.Is(err, kaijutsu.ErrNotFound) {
		err = nil
	}
	return b.Block, b.there, err
}

// view returns what f makes of a context. When ctx ends, f may still be under
// way: what it works on is its own.
func view[T any](ctx context.Context, c *Courier, call op.Call, doc kaijutsu.DocumentID, f func(repo.View) (T, error)) (T, error) {
	var out, none T
	err := c.cfg.Kernel.View(ctx, call, doc, func(v repo.View) (err error) {
		out, err = f(v)
		return err
	})
	if err != nil {
		return none, err
	}
	return out, nil
}
