package kernel

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// Posting is a block to be written for somebody, who need not be the one that
// asks.
type Posting struct {
	// By authors the block; required.
	By kaijutsu.Principal
	// As is whose right counts, as it is when the block is written; one without a
	// principal is the kernel's own authority.
	As  op.Call
	Doc kaijutsu.DocumentID
	// Spec is the block. Its id is what makes a second Post of it harmless.
	Spec blocks.BlockSpec
	// Next takes the place of Spec: it is called in the document's owner when the
	// posting has its turn, and says which block that is, or that there is none to
	// write any more. It must not take long. Nil: Spec counts.
	Next func() (spec blocks.BlockSpec, ok bool)
	// Name is the operation's; the change says it.
	Name string
}

// Posted says what came of a Posting, on disk.
type Posted struct {
	repo.Edited
	// Already says that the context held the block before, perhaps deleted since:
	// nothing was written.
	Already bool
}

// Post inserts a block, or finds that the context holds one of its id already,
// which By has written. It returns when the block is on disk. The error wraps
// kaijutsu.ErrNotFound when there is no such context, or it is not for whose
// right counts, ErrDenied when that is not enough, and ErrConflict when the
// context is archived, or somebody else has used the id. A block that is there
// is found whatever became of the right, and of an archived context, unless Next
// says which it is.
func (k *Kernel) Post(ctx context.Context, p Posting) (Posted, error) {
	if p.By.IsZero() {
		return Posted{}, fmt.Errorf("post a block: nobody writes it: %w", kaijutsu.ErrDenied)
	}
	if k.hidden(p.Doc) {
		return Posted{}, unknown(p.Doc.Name())
	}
	right, err := k.mayPost(p)
	if err != nil {
		if done, there := k.posted(ctx, p); there && p.Next == nil {
			return done, nil
		}
		return Posted{}, err
	}
	if err := k.appends.flush(ctx, p.Doc, kaijutsu.Principal{}); err != nil {
		return Posted{}, err
	}
	var out Posted
	out.Edited, err = k.write(ctx, repo.Edit{By: p.By, Message: "op:" + p.Name, Right: right}, p.Doc, func(v repo.View, tx *blocks.Tx) error {
		spec, ok := p.Spec, true
		if p.Next != nil {
			spec, ok = p.Next()
		}
		if !ok {
			return nil
		}
		if b, there := v.Block(spec.ID); there && b.By == p.By {
			out.Already = true
			return nil
		}
		return tx.InsertBlock(spec)
	})
	if err != nil {
		return Posted{}, err
	}
	return out, nil
}

// mayPost refuses a posting that whose right counts may not make, and returns
// the right by which its change is judged: none when the kernel itself posts.
func (k *Kernel) mayPost(p Posting) (kaijutsu.Right, error) {
	right := kaijutsu.RightNone
	if !p.As.By.IsZero() {
		right = k.Right(p.As, p.Doc)
		if err := k.allow(p.As, p.Doc, right, kaijutsu.RightComment); err != nil {
			return right, err
		}
	}
	if k.records.archived(p.Doc) {
		return right, archived(p.Doc)
	}
	return right, nil
}

// posted reports whether a context holds a posting already.
func (k *Kernel) posted(ctx context.Context, p Posting) (done Posted, there bool) {
	if !k.shelf.has(p.Doc) {
		return Posted{}, false
	}
	err := k.cfg.Repo.View(ctx, p.Doc, func(v repo.View) error {
		b, ok := v.Block(p.Spec.ID)
		if there = ok && b.By == p.By; there {
			done = Posted{repo.Edited{Version: v.Version(), Heads: v.Heads}, true}
		}
		return nil
	})
	return done, there && err == nil
}

// CallOf returns a call by a principal with the role that it has on the kernel
// now: none, in no context either, when no token of it is good any more.
func (k *Kernel) CallOf(p kaijutsu.Principal) op.Call {
	return op.Call{By: p, Right: k.cfg.Access.Kernel(p)}
}
