package courier

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// Pull has a briefing of another context made and puts it into one's own. The
// caller must be able to read the one and to edit the other. The error wraps
// kaijutsu.ErrInvalid when both are the same, or there is nothing to distil, and
// is otherwise as that of Push.
func (c *Courier) Pull(ctx context.Context, call op.Call, p PullSpec) (Outcome, error) {
	it, err := c.begun(ctx, call, p.ID, p.From, kaijutsu.RightRead)
	if err != nil {
		return Outcome{}, err
	}
	if it.Target, err = c.cfg.Kernel.Resolve(ctx, call, p.Into, kaijutsu.RightEdit); err != nil {
		return Outcome{}, err
	}
	if it.Target == it.From {
		return Outcome{}, &op.FieldError{Field: "from", Reason: "a context cannot pull from itself", Hint: "name another one"}
	}
	it.Meta.Kind = drift.KindPull
	return c.brief(ctx, call, it, p.ID != "", wish{p.Focus, p.Distiller, p.Fallback}, func(ctx context.Context) (drift.Source, error) {
		return c.conversation(ctx, call, it, nil)
	})
}

// Merge tells the context that a fork was made of what came of it: a briefing of
// what is in the fork and was not, or was otherwise, when it was forked. The
// caller must be able to read the fork and to edit its parent. The error wraps
// kaijutsu.ErrInvalid when there is no parent or nothing new, and is otherwise
// as that of Push.
func (c *Courier) Merge(ctx context.Context, call op.Call, p MergeSpec) (Outcome, error) {
	it, err := c.begun(ctx, call, p.ID, p.Fork, kaijutsu.RightRead)
	if err != nil {
		return Outcome{}, err
	}
	info, err := c.cfg.Kernel.Context(ctx, call, it.From)
	if err != nil {
		return Outcome{}, err
	}
	if info.Fork.From.IsZero() {
		return Outcome{}, fmt.Errorf("context %s has no parent — cannot merge: %w: it was not forked from one that you may read", named(info.Title, it.From), kaijutsu.ErrInvalid)
	}
	if it.Target, err = c.cfg.Kernel.Resolve(ctx, call, info.Fork.From.Name(), kaijutsu.RightEdit); err != nil {
		return Outcome{}, fmt.Errorf("merge context %s: its parent: %w", named(info.Title, it.From), err)
	}
	it.Meta.Kind = drift.KindMerge
	return c.brief(ctx, call, it, p.ID != "", wish{p.Focus, p.Distiller, p.Fallback}, func(ctx context.Context) (drift.Source, error) {
		src, err := c.passages(ctx, call, it, sinceFork(info.Fork.Heads))
		if err != nil {
			err = fmt.Errorf("merge context %s, of what is new in it: %w", named(info.Title, it.From), err)
		}
		return src, err
	})
}

// sinceFork wants blocks that were not there, or said something else, at these
// heads.
func sinceFork(heads kaijutsu.Heads) func(repo.View, repo.Block) (bool, error) {
	var was *blocks.Model
	return func(v repo.View, b repo.Block) (bool, error) {
		if was == nil {
			m, err := v.At(heads)
			if err != nil {
				return false, err
			}
			was = m
		}
		before, ok := was.Block(b.ID)
		return !ok || before.Deleted || before.Content != b.Content, nil
	}
}

// brief hands on a briefing of a conversation.
func (c *Courier) brief(ctx context.Context, call op.Call, it *drift.Item, repeats bool, w wish, read func(context.Context) (drift.Source, error)) (Outcome, error) {
	if _, err := c.distiller(w.distiller); err != nil {
		return Outcome{}, err
	}
	return c.hand(ctx, call, it, plan{repeats: repeats, again: true, content: func(ctx context.Context) error {
		s := c.sheet(call, it)
		src, err := read(ctx)
		if err != nil {
			return err
		}
		_, it.Meta.Model = c.cfg.Kernel.Model(it.From)
		if err := c.distil(ctx, s, src, w); err != nil {
			return err
		}
		s.finish(nil)
		return checkItem(it)
	}})
}

// named names a context for people.
func named(title string, doc kaijutsu.DocumentID) string {
	if title == "" {
		return doc.Name()
	}
	return fmt.Sprintf("%q", preview(title))
}
