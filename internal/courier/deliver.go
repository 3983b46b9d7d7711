package courier

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/flowbus"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
)

const (
	// maxFailures is how many deliveries of an item may fail.
	maxFailures = 5
	// carryTime bounds an offer to another kernel.
	carryTime = 15 * time.Second
	// pushOp is the operation that the changes of drifts name.
	pushOp = "drift_push"
)

// spec returns the block that an item becomes.
func (c *Courier) spec(it *drift.Item, target kaijutsu.DocumentID) (blocks.BlockSpec, error) {
	meta := it.Meta
	if meta.Act == drift.ActAsked {
		meta.Act = drift.ActDeclined
		if c.cfg.Gate != nil {
			meta.Act = c.cfg.Gate.Act(*it)
		}
	}
	text, err := meta.Encode("")
	if err != nil {
		return blocks.BlockSpec{}, err
	}
	return blocks.BlockSpec{
		ID: drift.BlockID(it.ID, target), Position: blocks.Last(), Kind: blocks.KindDrift, Role: blocks.RoleSystem,
		Status: blocks.StatusDone, Form: blocks.FormBody, Content: it.Content, Meta: text,
	}, nil
}

// carry delivers an item once, wherever it goes to, by somebody's right. What
// it returns is delivered or offered; the error says why it is neither, and
// wraps errRefused when it never will be.
func (c *Courier) carry(ctx context.Context, it *drift.Item, as op.Call) (Delivery, bool, error) {
	d := Delivery{ID: it.ID, Number: it.Number, Target: it.Target}
	if it.ToKernel != "" {
		return c.offerAway(ctx, it, d)
	}
	spec, err := c.spec(it, it.Target)
	if err != nil {
		return d, false, err
	}
	posted, err := c.cfg.Kernel.Post(ctx, kernel.Posting{By: it.By, As: as, Doc: it.Target, Spec: spec, Name: pushOp})
	if err != nil {
		return d, false, err
	}
	d.State, d.Block = drift.StateDelivered, spec.ID
	return d, posted.Already, nil
}

// errRefused says that another kernel will never take an item.
var errRefused = fmt.Errorf("refused: %w", kaijutsu.ErrDenied)

// abroad returns an item as another kernel may read it: citations and handles in
// its text that name no kernel name this one. A text that would get too long
// stays as it is.
func (c *Courier) abroad(it drift.Item) drift.Item {
	it.Meta = it.Meta.Abroad(c.cfg.Name)
	var text strings.Builder
	done := 0
	for _, f := range findHandles(it.Content) {
		if f.Handle.Kernel != "" || f.Start < done {
			continue
		}
		at := f.Start
		if strings.HasPrefix(it.Content[at:f.End], "[[") {
			at += len("[[")
		}
		text.WriteString(it.Content[done:at] + c.cfg.Name)
		if it.Content[at] != ':' { // else the address has one itself
			text.WriteString(":")
		}
		done = at
	}
	if text.WriteString(it.Content[done:]); text.Len() <= drift.MaxContent {
		it.Content = text.String()
	}
	return it
}

// offerAway offers an item to another kernel.
func (c *Courier) offerAway(ctx context.Context, it *drift.Item, d Delivery) (Delivery, bool, error) {
	if c.cfg.Carrier == nil || !c.cfg.Carrier.Knows(it.ToKernel) {
		return d, false, fmt.Errorf("there is no link to the kernel %q: %w", it.ToKernel, kaijutsu.ErrUnavailable)
	}
	ctx, cancel := context.WithTimeout(ctx, carryTime)
	defer cancel()
	r, err := c.cfg.Carrier.Offer(ctx, it.ToKernel, c.abroad(*it))
	refused := fmt.Errorf("kernel %s: %w", it.ToKernel, errRefused)
	switch {
	case errors.Is(err, kaijutsu.ErrDenied):
		return d, false, fmt.Errorf("%w: %s", refused, clip(err.Error()))
	case err != nil:
		return d, false, fmt.Errorf("kernel %s: %w", it.ToKernel, err)
	case r.State == drift.StateHeld:
		d.State, d.Reason = drift.StateOffered, clip(r.Reason)
		return d, it.State == drift.StateOffered, nil
	case r.State == drift.StateCancelled:
		return d, false, fmt.Errorf("%w: %s", refused, clip(r.Reason))
	case r.State != drift.StateDelivered:
		return d, false, fmt.Errorf("kernel %s answers that the drift is %.20q: %w", it.ToKernel, r.State, kaijutsu.ErrUnavailable)
	}
	id, err := blocks.ParseID(string(r.Block))
	if err != nil {
		return d, false, fmt.Errorf("kernel %s answers with no block: %w", it.ToKernel, kaijutsu.ErrUnavailable)
	}
	d.State, d.Block = drift.StateDelivered, id
	return d, false, nil
}

// settle writes what came of the delivery of an item that is in the queue, and
// tells it: a delivered one is closed, one that failed is tried again until it
// has failed five times. What could not be written is as it was, and is tried
// again by the next flush.
func (c *Courier) settle(it drift.Item, d Delivery, err error, done func(Delivery, error)) {
	rec := records.Record{Name: itemRecord + it.ID}
	tell := func() {}
	switch {
	case err == nil && d.State == drift.StateDelivered:
		tell = func() { c.delivered(&it, d.Block) }
	case err == nil: // offered
		it.State, it.Failures, it.LastError, it.Tried = drift.StateOffered, 0, d.Reason, c.now()
	default:
		d.State, d.Reason = drift.StateStaged, clip(err.Error())
		it.State, it.Failures, it.LastError, it.Tried = drift.StateStaged, it.Failures+1, d.Reason, c.now()
		if it.Failures >= maxFailures || errors.Is(err, errRefused) {
			d.State, it.State = drift.StateDead, drift.StateDead
			tell = func() { c.emit(flowbus.DriftFailed, it.By, home(&it), &it, "", d.Reason) }
		}
	}
	if d.State != drift.StateDelivered {
		if c.queue.get(it.ID) == nil { // cancelled by a node that this one does not see
			d.State = drift.StateCancelled
			done(d, nil)
			return
		}
		value, err := drift.EncodeItem(it)
		if err != nil {
			done(d, err)
			return
		}
		rec.Value = value
	}
	c.begin(&job{recs: []records.Record{rec}, done: func(err error) {
		if err == nil {
			tell()
		} else {
			c.log.Warn("what came of a drift was not written: the next flush does it", "drift", it.ID, "state", d.State, "err", err)
		}
		done(d, err)
	}})
}

// delivered tells that an item was delivered: where it went to when that is
// here, else where it comes from.
func (c *Courier) delivered(it *drift.Item, block blocks.ID) {
	doc := it.Target
	if it.ToKernel != "" {
		doc = it.From
	}
	c.emit(flowbus.DriftDelivered, it.By, doc, it, block, "")
}

// settled is settle that waits.
func (c *Courier) settled(ctx context.Context, it drift.Item, d Delivery, err error) (Delivery, error) {
	type answer struct {
		d   Delivery
		err error
	}
	came := make(chan answer, 1)
	c.settle(it, d, err, func(d Delivery, err error) { came <- answer{d, err} })
	select {
	case a := <-came:
		return a.d, a.err
	case <-ctx.Done():
		return d, ctx.Err()
	}
}
