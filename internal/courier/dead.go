package courier

import (
	"context"
	"errors"
	"fmt"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
)

// lostTitle is the title of the context that gets a copy of every dead letter.
const lostTitle = "lost+found"

// Replay tries again to deliver a dead letter, or one that is staged, by the
// caller's right: to where it was to go, or to another context. Its failures
// are forgotten. "all" means every dead letter that the caller may cancel; the
// errors are joined then, and the outcomes are those of all. One that fails
// again is staged.
func (c *Courier) Replay(ctx context.Context, call op.Call, ref, to string) ([]Outcome, error) {
	if ref != "all" {
		e, err := c.find(call, ref)
		if err != nil {
			return nil, err
		}
		out, err := c.replay(ctx, call, e, to)
		if out.Item.ID == "" {
			return nil, err
		}
		return []Outcome{out}, err
	}
	var outs []Outcome
	var errs []error
	for _, e := range c.queue.all(func(e *entry) bool { return e.State == drift.StateDead && c.mayUse(call, &e.Item) }) {
		out, err := c.replay(ctx, call, e, to)
		if out.Item.ID == "" { // as it was
			out = Outcome{Item: e.Item, State: e.State, Doc: e.Target, Reason: clip(err.Error())}
		}
		outs = append(outs, out)
		if err != nil && len(errs) < 5 {
			errs = append(errs, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return outs, errors.Join(errs...)
}

func (c *Courier) replay(ctx context.Context, call op.Call, e *entry, to string) (Outcome, error) {
	if !c.mayUse(call, &e.Item) {
		return Outcome{}, fmt.Errorf("replay drift #%d: %w: it is not yours, and takes the role %s in its source", e.Number, kaijutsu.ErrDenied, kaijutsu.RightEdit)
	}
	leave, err := c.lease.hold(ctx, home(&e.Item))
	if err != nil {
		return Outcome{}, fmt.Errorf("replay drift #%d: %w", e.Number, err)
	}
	defer leave()
	release, came, err := c.claim(ctx, e.ID)
	if err != nil {
		return Outcome{}, fmt.Errorf("replay drift #%d: %w", e.Number, err)
	}
	defer func() { release(came) }()
	it, err := c.queue.whole(e.ID)
	if err != nil {
		return Outcome{}, fmt.Errorf("replay drift #%d: %w", e.Number, err)
	}
	if it.State != drift.StateDead && it.State != drift.StateStaged {
		return Outcome{}, fmt.Errorf("replay drift #%d: %w: it is %s", it.Number, kaijutsu.ErrConflict, it.State)
	}
	if it.State == drift.StateStaged || it.Failures > 0 || to != "" {
		if to != "" {
			if err := c.redirect(ctx, call, &it, to); err != nil {
				return Outcome{}, fmt.Errorf("replay drift #%d: %w", it.Number, err)
			}
		}
	}
	it.State, it.Failures, it.LastError = drift.StateStaged, 0, ""
	if err := c.put(ctx, it); err != nil {
		return Outcome{}, fmt.Errorf("replay drift #%d: %w", it.Number, err)
	}
	out, err := c.atOnce(ctx, call, it, false)
	if d := out.delivery(); d != nil {
		came = d
	}
	return out, err
}

// redirect has an item go to another context, unless it has arrived where it was
// to go. There it is by who sends it, who must be its stager or own the kernel:
// nobody says in another's name what that one did not say there.
func (c *Courier) redirect(ctx context.Context, call op.Call, it *drift.Item, to string) error {
	block, there, err := c.block(ctx, it)
	if err != nil {
		return err
	}
	if there && block.By == it.By {
		return fmt.Errorf("it was delivered to context %s (block %s): %w: replay it without another target to close it", it.Target.Name(), block.ID, kaijutsu.ErrConflict)
	}
	if call.By != it.By && !owns(call) {
		return fmt.Errorf("%s has sent it to %s: %w: only who sent it, or an owner of the kernel, may send it elsewhere", it.By.Name, c.place(call, it), kaijutsu.ErrDenied)
	}
	if err := c.aim(ctx, call, it, to); err != nil {
		return err
	}
	it.By = call.By // its meta goes on saying who wrote it
	return nil
}

// fillLostFound copies the dead letters that are not there yet into lost+found,
// which is made when there is a first one, and returns how many. They stay dead
// letters. What goes wrong is logged: the next flush tries again.
func (c *Courier) fillLostFound(ctx context.Context) (copied int) {
	dead := c.queue.all(func(e *entry) bool { return e.State == drift.StateDead })
	if len(dead) == 0 {
		return 0
	}
	doc, err := c.findLostFound(ctx)
	if err != nil {
		c.log.Warn("dead letters are not copied to lost+found", "err", err)
		return 0
	}
	for _, e := range dead {
		c.mu.Lock()
		done := c.copied[e.ID] == doc
		c.mu.Unlock()
		if done {
			continue
		}
		it, err := c.queue.whole(e.ID)
		if err != nil {
			continue
		}
		already, err := c.postLost(ctx, &it, doc)
		if err != nil {
			c.log.Warn("dead letters are not copied to lost+found", "drift", e.ID, "err", err)
			return copied
		}
		if !already {
			copied++
		}
		c.mu.Lock()
		c.copied[e.ID] = doc
		c.mu.Unlock()
	}
	return copied
}

// postLost writes a dead letter into lost+found.
func (c *Courier) postLost(ctx context.Context, it *drift.Item, doc kaijutsu.DocumentID) (already bool, err error) {
	own := *it
	own.Meta.Act = ""
	spec, err := c.spec(&own, doc)
	if err != nil {
		return false, err
	}
	spec.ID = drift.CopyID(it.ID, doc)
	posted, err := c.cfg.Kernel.Post(ctx, kernel.Posting{By: it.By, Doc: doc, Spec: spec, Name: pushOp})
	return posted.Already, err
}

// findLostFound returns lost+found, making it when there is none.
func (c *Courier) findLostFound(ctx context.Context) (kaijutsu.DocumentID, error) {
	select {
	case c.finding <- struct{}{}:
		defer func() { <-c.finding }()
	case <-ctx.Done():
		return kaijutsu.DocumentID{}, ctx.Err()
	}
	if doc := c.queue.lostFound(); !doc.IsZero() && !c.cfg.Kernel.Deleted(doc) {
		return doc, nil
	}
	ctx = context.WithoutCancel(ctx)
	info, err := c.cfg.Kernel.CreateAs(ctx, authority(), kernel.NewContext{Title: lostTitle}, "drift_flush", nil)
	if err == nil {
		err = c.write(ctx, records.Record{Name: lostRecord, Value: []byte(info.Doc.String())})
	}
	return info.Doc, err
}
