package courier

import (
	"context"
	"errors"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/internal/op"
)

// Queue returns the items that the caller may see, by number, without their
// contents. The error is that of an address.
func (c *Courier) Queue(ctx context.Context, call op.Call, f Filter) ([]Shown, error) {
	var from kaijutsu.DocumentID
	if f.From != "" {
		var err error
		if from, err = c.source(ctx, call, f.From, kaijutsu.RightRead); err != nil {
			return nil, err
		}
	}
	return c.shown(call, func(e *entry) bool {
		return (from.IsZero() || e.From == from) && (f.State == e.State || f.State == "" && e.State != drift.StateDead)
	}), nil
}

// DeadLetters returns the items whose delivery was given up, as Queue does.
func (c *Courier) DeadLetters(_ context.Context, call op.Call) ([]Shown, error) {
	return c.shown(call, func(e *entry) bool { return e.State == drift.StateDead }), nil
}

// Show returns one item, with its content. The error is that of find.
func (c *Courier) Show(_ context.Context, call op.Call, ref string) (Shown, error) {
	e, err := c.find(call, ref)
	if err != nil {
		return Shown{}, err
	}
	it, err := c.queue.whole(e.ID)
	if err != nil {
		return Shown{}, err
	}
	s := show(call, e)
	s.Item = it
	return s, nil
}

func (c *Courier) shown(call op.Call, keep func(*entry) bool) []Shown {
	items := c.queue.all(func(e *entry) bool { return keep(e) && c.maySee(call, &e.Item) })
	out := make([]Shown, len(items))
	for i, e := range items {
		out[i] = show(call, e)
	}
	return out
}

func show(call op.Call, e *entry) Shown {
	s := Shown{Item: e.Item, Preview: e.preview, Bytes: e.bytes, Mine: e.By == call.By, Reason: e.LastError}
	s.Content = ""
	return s
}

// source finds the context that items come from. One that is gone is named by
// its UUID as long as the queue has something of it that the caller may see.
func (c *Courier) source(ctx context.Context, call op.Call, name string, need kaijutsu.Right) (kaijutsu.DocumentID, error) {
	doc, err := c.cfg.Kernel.Resolve(ctx, call, name, need)
	if err == nil {
		return doc, nil
	}
	id, bad := kaijutsu.ParseContextID(name)
	if bad != nil || !errors.Is(err, kaijutsu.ErrNotFound) {
		return doc, err
	}
	mine := c.queue.of(id.Document(), func(e *entry) bool { return owns(call) || e.By == call.By })
	if len(mine) == 0 {
		return doc, err
	}
	return id.Document(), nil
}
