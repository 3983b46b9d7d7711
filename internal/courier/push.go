package courier

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/flowbus"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
)

// Push hands something on: at once, or, with Stage, when From is flushed. The
// caller must be able to read From and to edit To, or to edit From when To is on
// another kernel. When the delivery fails after all of that was found good, the
// item is in the queue, and the error and the outcome say so. The error wraps
// kaijutsu.ErrNotFound or ErrConflict for a wrong address, ErrConflict when the
// id was used for something else or the target has had the finding, and what a
// distiller says; nothing is staged then.
func (c *Courier) Push(ctx context.Context, call op.Call, p Push) (Outcome, error) {
	if err := p.check(); err != nil {
		return Outcome{}, err
	}
	if op.Denied(call.Deny, pushOp) {
		return Outcome{}, fmt.Errorf("%s may not push: %w", call.By.Name, kaijutsu.ErrDenied)
	}
	if _, err := c.distiller(p.Distiller); err != nil {
		return Outcome{}, err
	}
	it, err := c.begun(ctx, call, p.ID, p.From, kaijutsu.RightRead)
	if err != nil {
		return Outcome{}, err
	}
	if err := c.aim(ctx, call, it, p.To); err != nil {
		return Outcome{}, err
	}
	it.Meta.Kind = drift.KindPush
	if p.Summarize {
		it.Meta.Kind = drift.KindDistill
	}
	return c.hand(ctx, call, it, plan{
		again: p.Again, stage: p.Stage, repeats: p.ID != "",
		fixed: !p.Summarize && len(p.Blocks) == 0,
		content: func(ctx context.Context) error {
			return c.compose(ctx, call, it, p)
		},
	})
}

// check refuses a push that says too little or too much.
func (p *Push) check() error {
	switch {
	case p.To == "":
		return &op.FieldError{Field: "to", Reason: "no target is named", Hint: "name a context by label, id or title"}
	case p.Summarize && p.Content != "":
		return &op.FieldError{Field: "content", Reason: "a briefing has none of its own", Hint: "leave it out, or give it as the focus"}
	case !p.Summarize && len(p.Blocks) == 0 && strings.TrimSpace(p.Content) == "":
		return &op.FieldError{Field: "content", Reason: "Content required for direct push", Hint: "Use --summarize for auto-summary."}
	case len(p.Content) > drift.MaxContent:
		return fmt.Errorf("content of %d bytes: at most %d: %w", len(p.Content), drift.MaxContent, kaijutsu.ErrTooLarge)
	case !utf8.ValidString(p.Content):
		return &op.FieldError{Field: "content", Reason: "it is not UTF-8"}
	case len(p.Blocks) > maxSelected:
		return &op.FieldError{Field: "blocks", Reason: fmt.Sprintf("%d are named: at most %d", len(p.Blocks), maxSelected)}
	case len(p.Cite) > maxCited:
		return &op.FieldError{Field: "cite", Reason: fmt.Sprintf("%d handles: at most %d", len(p.Cite), maxCited)}
	}
	return nil
}

// begun returns an item that comes from a context, without a target.
func (c *Courier) begun(ctx context.Context, call op.Call, id, from string, need kaijutsu.Right) (*drift.Item, error) {
	if id == "" {
		id = drift.NewID(c.cfg.Now())
	}
	id, err := drift.ParseID(id)
	if err != nil {
		return nil, err
	}
	doc, err := c.cfg.Kernel.Resolve(ctx, call, from, need)
	if err != nil {
		return nil, err
	}
	it := &drift.Item{ID: id, From: doc, By: call.By, At: c.now(), State: drift.StateStaged}
	it.Meta = drift.Meta{SourceKernel: c.cfg.Name, SourceContext: doc.Name(), Principal: call.By, DriftID: id}
	return it, nil
}

// aim finds where an item goes to.
func (c *Courier) aim(ctx context.Context, call op.Call, it *drift.Item, to string) error {
	at, err := c.cfg.Kernel.Address(ctx, call, to)
	if err != nil {
		return err
	}
	it.Target, it.ToKernel, it.To = at.Doc, at.Kernel, at.Rest
	k := c.cfg.Kernel
	switch {
	case at.Kernel == "":
		_, err = k.Resolve(ctx, call, at.Doc.Name(), kaijutsu.RightEdit)
	case c.cfg.Carrier == nil || !c.cfg.Carrier.Knows(at.Kernel):
		err = fmt.Errorf("context %.100q: %w: there is no link to a kernel %q, and this one is %q", to, kaijutsu.ErrNotFound, at.Kernel, c.cfg.Name)
	case k.Right(call, it.From) < kaijutsu.RightEdit:
		err = fmt.Errorf("push to the kernel %s: %w: it takes the role %s in the source", at.Kernel, kaijutsu.ErrDenied, kaijutsu.RightEdit)
	}
	return err
}

// plan says how an item is handed on.
type plan struct {
	again, stage bool
	repeats      bool // the caller has given the id
	fixed        bool // the same id must mean the same content
	// content fills in the content and what is known of it.
	content func(context.Context) error
}

// hand composes an item and delivers or stages it. What is in the queue while it
// is delivered, is so under the lease of its source.
func (c *Courier) hand(ctx context.Context, call op.Call, it *drift.Item, p plan) (Outcome, error) {
	if p.repeats && c.queue.get(it.ID) != nil {
		leave, err := c.lease.hold(ctx, it.From)
		if err != nil {
			return Outcome{}, err
		}
		defer leave()
	}
	release, _, err := c.claim(ctx, it.ID)
	if err != nil {
		return Outcome{}, err
	}
	var came *Delivery
	defer func() { release(came) }()
	if p.repeats {
		out, known, err := c.before(ctx, call, it, p)
		if known || err != nil {
			if err == nil && out.State == drift.StateDelivered {
				came = &Delivery{ID: it.ID, State: out.State, Target: out.Doc, Block: out.Block}
			}
			return out, err
		}
	}
	if err := p.content(ctx); err != nil {
		return Outcome{}, err
	}
	if err := c.pass(ctx, it, p.again); err != nil {
		return Outcome{}, err
	}
	if it.ToKernel != "" && !p.stage {
		leave, err := c.lease.hold(ctx, it.From)
		if err != nil {
			return Outcome{}, err
		}
		defer leave()
	}
	if p.stage || it.ToKernel != "" { // what another kernel has must be known here, whatever happens
		if err := c.stage(ctx, it); err != nil {
			return Outcome{}, fmt.Errorf("stage a drift: %w", err)
		}
	}
	if p.stage {
		c.emit(flowbus.DriftStaged, it.By, it.From, it, "", "")
		return Outcome{Item: *it, State: drift.StateStaged, Doc: it.Target}, nil
	}
	out, err := c.atOnce(ctx, call, *it, true)
	came = out.delivery()
	return out, err
}

// delivery is what others are told of a drift that was delivered; nil of one
// that was not.
func (o *Outcome) delivery() *Delivery {
	if o.State != drift.StateDelivered {
		return nil
	}
	return &Delivery{ID: o.Item.ID, Number: o.Item.Number, State: o.State, Target: o.Doc, Block: o.Block}
}

// pass asks the gate.
func (c *Courier) pass(ctx context.Context, it *drift.Item, again bool) error {
	if c.cfg.Gate == nil {
		return nil
	}
	err := c.cfg.Gate.Push(ctx, it, false)
	if again && errors.Is(err, kaijutsu.ErrConflict) {
		return nil
	}
	return err
}

// atOnce delivers an item by the caller's right. The caller has claimed it. One
// whose delivery fails is in the queue afterwards, and the error names it; but a
// fresh one that another kernel does not understand is not.
func (c *Courier) atOnce(ctx context.Context, call op.Call, it drift.Item, fresh bool) (Outcome, error) {
	d, already, err := c.carry(ctx, &it, call)
	out := Outcome{Item: it, State: d.State, Doc: d.Target, Block: d.Block, Already: already, Reason: d.Reason}
	queued := it.Number != 0
	switch {
	case err == nil && !queued:
		c.delivered(&it, d.Block)
		return out, nil
	case fresh && queued && misunderstood(err):
		return Outcome{}, c.forget(ctx, it, err)
	}
	ctx = context.WithoutCancel(ctx) // nothing is lost because somebody does not wait
	if err != nil && !queued {
		out.State, out.Reason = drift.StateStaged, clip(err.Error())
		it.Failures, it.LastError, it.Tried = 1, out.Reason, c.now()
		if serr := c.stage(ctx, &it); serr != nil {
			return Outcome{}, errors.Join(fmt.Errorf("deliver a drift: %w", err), fmt.Errorf("stage it: %w", serr))
		}
		out.Item = it
		c.emit(flowbus.DriftStaged, it.By, home(&it), &it, "", out.Reason)
		return out, notDelivered(&it, err)
	}
	settled, serr := c.settled(ctx, it, d, err)
	out.State = settled.State
	if settled.State == drift.StateCancelled {
		out.Item.State = drift.StateCancelled
	}
	if e := c.queue.get(it.ID); e != nil && settled.State != drift.StateDelivered {
		out.Item.State, out.Item.Failures, out.Item.LastError, out.Item.Tried = e.State, e.Failures, e.LastError, e.Tried
	}
	if err != nil {
		out.Reason = settled.Reason
		return out, notDelivered(&out.Item, err)
	}
	if serr != nil && d.State != drift.StateDelivered {
		return out, serr
	}
	return out, nil
}

// notDelivered says that an item waits because its delivery failed.
func notDelivered(it *drift.Item, err error) error {
	switch it.State {
	case drift.StateDead:
		return fmt.Errorf("drift #%d (%s) was not delivered, and is a dead letter now: %w", it.Number, it.ID, err)
	case drift.StateCancelled:
		return fmt.Errorf("drift #%d (%s) was not delivered, and somebody has cancelled it meanwhile: %w", it.Number, it.ID, err)
	}
	return fmt.Errorf("drift #%d (%s) was not delivered, and is staged: flush or cancel it: %w", it.Number, it.ID, err)
}

// misunderstood reports whether another kernel has answered, and will not answer
// otherwise: it knows no such context, or several, or takes nothing like it.
func misunderstood(err error) bool {
	for _, kind := range []error{kaijutsu.ErrNotFound, kaijutsu.ErrConflict, kaijutsu.ErrInvalid, kaijutsu.ErrTooLarge} {
		if errors.Is(err, kind) {
			return !errors.Is(err, kaijutsu.ErrUnavailable)
		}
	}
	return false
}

// forget takes an item that was about to be delivered out of the queue: who
// pushes it is told why, and has it.
func (c *Courier) forget(ctx context.Context, it drift.Item, why error) error {
	return errors.Join(why, c.write(context.WithoutCancel(ctx), records.Record{Name: itemRecord + it.ID}))
}
