package courier

import (
	"context"
	"fmt"
	"slices"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/flowbus"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
)

// Cancel takes an item out of the queue, for its stager and who may edit where
// it comes from. The item is gone then, and no flush delivers it; or it was
// delivered before, and the state of what is returned and its Block say so. The
// error is that of find, and wraps kaijutsu.ErrUnavailable when another node is
// flushing and does not come to an end.
func (c *Courier) Cancel(ctx context.Context, call op.Call, ref string) (Shown, error) {
	e, err := c.find(call, ref)
	if err != nil && owns(call) && slices.Contains(c.queue.illegible(), ref) {
		return c.cancelUnread(ctx, call, ref)
	}
	if err != nil {
		return Shown{}, c.gone(call, ref, err)
	}
	if !c.mayUse(call, &e.Item) {
		return Shown{}, fmt.Errorf("cancel drift #%d: %w: it is not yours, and takes the role %s in its source; decline it instead", e.Number, kaijutsu.ErrDenied, kaijutsu.RightEdit)
	}
	leave, err := c.lease.hold(ctx, home(&e.Item))
	if err != nil {
		return Shown{}, fmt.Errorf("cancel drift #%d: %w", e.Number, err)
	}
	defer leave()
	release, came, err := c.claim(ctx, e.ID)
	if err != nil {
		return Shown{}, fmt.Errorf("cancel drift #%d: %w", e.Number, err)
	}
	defer func() { release(came) }()
	out := show(call, e)
	if now := c.queue.get(e.ID); now == nil {
		if came == nil || came.State != drift.StateDelivered {
			if r, ok := c.receipt(e.ID, e.By, e.Target); ok {
				came = &Delivery{ID: e.ID, Number: e.Number, State: drift.StateDelivered, Target: r.doc, Block: r.block}
			}
		}
		if came == nil || came.State != drift.StateDelivered {
			return Shown{}, c.notFound(call, ref)
		}
		return deliveredShown(out, came), nil
	} else {
		out = show(call, now)
	}
	it := out.Item
	block, there, err := c.block(ctx, &it)
	if err != nil {
		return Shown{}, fmt.Errorf("cancel drift #%d: %w", e.Number, err)
	}
	ctx = context.WithoutCancel(ctx)
	if err := c.write(ctx, records.Record{Name: itemRecord + it.ID}); err != nil {
		return Shown{}, fmt.Errorf("cancel drift #%d: %w", e.Number, err)
	}
	if there && block.By == it.By { // delivered, and not closed before the server went
		came = &Delivery{ID: it.ID, Number: it.Number, State: drift.StateDelivered, Target: it.Target, Block: block.ID}
		c.delivered(&it, block.ID)
		return deliveredShown(out, came), nil
	}
	if it.State == drift.StateOffered {
		out.Reason = fmt.Sprintf("the kernel %s holds it and may still take it", it.ToKernel)
	}
	out.State = drift.StateCancelled
	came = &Delivery{ID: it.ID, Number: it.Number, State: drift.StateCancelled, Target: it.Target}
	c.emit(flowbus.DriftCancelled, call.By, home(&it), &it, "", "by "+call.By.Name)
	return out, nil
}

// cancelUnread takes an item out of the queue whose record cannot be read.
func (c *Courier) cancelUnread(ctx context.Context, call op.Call, id string) (Shown, error) {
	if err := c.write(context.WithoutCancel(ctx), records.Record{Name: itemRecord + id}); err != nil {
		return Shown{}, fmt.Errorf("cancel drift %s: %w", id, err)
	}
	c.log.Info("an item of the queue that could not be read was cancelled", "drift", id, "by", call.By)
	return Shown{Item: drift.Item{ID: id, State: drift.StateCancelled}, Reason: "its record could not be read"}, nil
}

// deliveredShown is an item that was delivered before it could be cancelled.
func deliveredShown(s Shown, d *Delivery) Shown {
	s.State, s.Block, s.LastError = drift.StateDelivered, d.Block, ""
	s.Reason = "it was delivered before"
	return s
}

// gone says of an item that is not in the queue, and is named by its id, that it
// was delivered, if it was, the caller may read where to, and has pushed it or
// the courier remembers it.
func (c *Courier) gone(call op.Call, ref string, err error) error {
	id, bad := drift.ParseID(ref)
	if bad != nil {
		return err
	}
	if r, ok := c.receipt(id, call.By, kaijutsu.DocumentID{}); ok && c.cfg.Kernel.MayRead(call, r.doc) {
		return fmt.Errorf("drift %s: %w: it was delivered to context %s (block %s)", id, kaijutsu.ErrConflict, r.doc.Name(), r.block)
	}
	return err
}

// notFound says that there is no such item any more.
func (c *Courier) notFound(call op.Call, ref string) error {
	return fmt.Errorf("staged drift %s: %w; %s", ref, kaijutsu.ErrNotFound, c.contents(call))
}
