package courier

import (
	"context"
	"errors"
	"fmt"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/flowbus"
	"kaijutsu/internal/op"
)

// Offer takes what another kernel offers: its item, with To as an address here
// and Via as that kernel's name. The caller is who offers, and becomes the
// author. The gate decides: what is accepted is delivered, if the caller may
// edit the target; what it holds waits for somebody's consent, and is durable
// when Offer returns; a refusal says why. Offered again, the answer is what has
// become of it meanwhile. The error wraps kaijutsu.ErrNotFound for a wrong
// address, ErrConflict when the id was used for something else, and
// ErrUnavailable when the sender should try later.
func (c *Courier) Offer(ctx context.Context, call op.Call, it drift.Item) (Receipt, error) {
	if err := c.receive(ctx, call, &it); err != nil {
		return Receipt{}, err
	}
	release, _, err := c.claim(ctx, it.ID)
	if err != nil {
		return Receipt{}, err
	}
	var came *Delivery
	defer func() { release(came) }()
	verdict, why := Hold, "it waits for somebody's consent"
	if c.cfg.Gate != nil {
		verdict, why = c.cfg.Gate.Foreign(call.By)
	}
	r, known, err := c.offered(ctx, &it, verdict)
	if known || err != nil {
		return r, err
	}
	if verdict == Refuse {
		return c.refusing(&it, why), nil
	}
	if c.queue.get(it.ID) == nil {
		err := c.pass(ctx, &it, false)
		if errors.Is(err, kaijutsu.ErrConflict) {
			return c.refusing(&it, err.Error()), nil
		}
		if err != nil {
			return Receipt{}, err
		}
	}
	if verdict == Accept && c.cfg.Kernel.Right(call, it.Target) >= kaijutsu.RightEdit {
		d, _, err := c.carry(ctx, &it, call)
		if err != nil {
			return Receipt{}, err
		}
		if it.Number != 0 {
			d, err = c.settled(context.WithoutCancel(ctx), it, d, nil)
		} else {
			c.delivered(&it, d.Block)
		}
		came = &d
		return c.receiptOf(&it, d), err
	}
	it.State = drift.StateHeld
	if err := c.stage(ctx, &it); err != nil {
		return Receipt{}, fmt.Errorf("hold a drift: %w", err)
	}
	c.emit(flowbus.DriftStaged, it.By, it.Target, &it, "", clip(why))
	return Receipt{State: drift.StateHeld, Context: it.Target.Name(), Reason: clip(why)}, nil
}

// receive checks an item of another kernel and finds where it goes to.
func (c *Courier) receive(ctx context.Context, call op.Call, it *drift.Item) error {
	id, err := drift.ParseID(it.ID)
	if err != nil {
		return err
	}
	if it.Via == "" || it.Via == c.cfg.Name {
		return &op.FieldError{Field: "from_kernel", Reason: fmt.Sprintf("%.64q is no other kernel", it.Via), Hint: "an offer comes from one that has another name"}
	}
	target, err := c.cfg.Kernel.Resolve(ctx, call, it.To, kaijutsu.RightRead)
	if err != nil {
		return err
	}
	own := drift.Item{
		ID: id, Via: it.Via, Target: target, Content: it.Content, Meta: it.Meta,
		By: call.By, At: c.now(), State: drift.StateStaged,
	}
	own.Meta.SourceKernel, own.Meta.DriftID, own.Meta.Stale = it.Via, id, nil
	own.Meta.Finding = drift.Fingerprint(it.Content)
	own.Meta.Citations = c.foreignCitations(ctx, call, &own)
	if own.Meta.Act != "" {
		own.Meta.Act = drift.ActAsked
	}
	if _, err := drift.EncodeItem(own); err != nil {
		return err
	}
	*it = own
	return nil
}

// foreignCitations returns what an item of another kernel cites: a handle
// without a kernel is of that one, and what of this kernel the caller may not
// read is left out.
func (c *Courier) foreignCitations(ctx context.Context, call op.Call, it *drift.Item) []drift.Citation {
	s := &sheet{c: c, call: call, own: call, it: it}
	var out []drift.Citation
	for _, cited := range it.Meta.Citations {
		switch cited.Handle.Kernel {
		case "":
			cited.Handle.Kernel = it.Via
		case c.cfg.Name:
			good, err := s.resolve(ctx, cited.Handle)
			if err != nil {
				continue
			}
			cited.Handle, cited.Quote = good.Handle, drift.Quote(good.Quote)
		}
		out = append(out, cited)
	}
	return out
}

// offered says what has become of an item that was offered before. One that is
// held and is to be accepted now is left in it, for the caller to deliver.
func (c *Courier) offered(ctx context.Context, it *drift.Item, verdict Verdict) (Receipt, bool, error) {
	if was, err := c.queue.whole(it.ID); err == nil {
		if was.Via != it.Via || was.By != it.By || was.Target != it.Target || was.Content != it.Content {
			return Receipt{}, true, taken(it.ID, "it is of something else here")
		}
		if verdict == Accept {
			*it = was
			return Receipt{}, false, nil
		}
		return Receipt{State: drift.StateHeld, Context: was.Target.Name(), Reason: "it waits for somebody's consent"}, true, nil
	}
	if no, ok := c.queue.refusal(it.ID); ok && no.by == it.By {
		return Receipt{State: drift.StateCancelled, Context: it.Target.Name(), Reason: no.reason}, true, nil
	}
	block, there, err := c.block(ctx, it)
	if err != nil || !there {
		return Receipt{}, false, err
	}
	if block.By != it.By {
		return Receipt{}, true, taken(it.ID, "somebody else has used it")
	}
	if meta, _ := drift.ParseMeta(block.Meta); block.Content != it.Content && meta.Finding != it.Meta.Finding {
		return Receipt{}, true, taken(it.ID, "it had another content")
	}
	return Receipt{State: drift.StateDelivered, Block: block.ID, Context: it.Target.Name()}, true, nil
}

func (c *Courier) receiptOf(it *drift.Item, d Delivery) Receipt {
	return Receipt{State: d.State, Block: d.Block, Context: it.Target.Name(), Reason: d.Reason}
}

// refusing says that an item is not taken.
func (c *Courier) refusing(it *drift.Item, why string) Receipt {
	return Receipt{State: drift.StateCancelled, Context: it.Target.Name(), Reason: clip(why)}
}
