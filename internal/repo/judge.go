package repo

import (
	"fmt"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
	"kaijutsu/internal/planted"
)

// keyContext is the root key that names the context (docs/schema.md).
const keyContext = "context"

// judge says why a change is not taken, although it is well formed. The graph
// asks when everything the change depends on is there. from is nil for changes
// made here.
func (d *document) judge(c *amfile.Change, from *changegraph.SyncState) error {
	who := bringer(from)
	if a, ok := who.(*absorption); ok {
		return d.judgeAbsorbed(c, a)
	}
	if err := d.judgeContext(c); err != nil {
		return err
	}
	s, ok := who.(*Session)
	if !ok {
		return d.judgeGrowth(c, d.author)
	}
	for _, a := range d.editActors {
		if a == c.Author() {
			return fmt.Errorf("actor %s is this server's own, which makes all of its changes: %w", a, kaijutsu.ErrDenied)
		}
	}
	switch right := s.right(); right {
	case kaijutsu.RightNone, kaijutsu.RightRead:
		return fmt.Errorf("principal %s may only read this document: %w", s.who.Principal.Name, kaijutsu.ErrDenied)
	case kaijutsu.RightComment:
		if planted.On("commenter-writes") {
			return nil
		}
		if err := d.judgeComment(c, s.who.Principal); err != nil {
			return err
		}
	}
	return d.judgeGrowth(c, signerOf(s.who.Principal))
}

// bringer returns who brought a change: a *Session, an *absorption, or nil when
// it was made here.
func bringer(from *changegraph.SyncState) any {
	if from == nil {
		return nil
	}
	return from.Peer
}

// judgeContext refuses what says that the document is another one: it was made
// in that, and sent under the wrong id. In a document that is nobody's context
// the key may hold anything but the id of a context.
func (d *document) judgeContext(c *amfile.Change) error {
	for i := range c.Ops {
		op := &c.Ops[i]
		if !isContextKey(op) {
			continue
		}
		if named, ok := names(op); ok {
			if named.Document() != d.id {
				return fmt.Errorf("it belongs to context %v and came for document %s: %w", named, d.id, kaijutsu.ErrConflict)
			}
			continue
		}
		if _, anchored := d.graph.Anchor(); anchored {
			return fmt.Errorf("it takes away the id of the context, ROOT.%s: %w", keyContext, kaijutsu.ErrInvalid)
		}
	}
	return nil
}

// judgeEdit says why a change that was made here is not taken.
func (d *document) judgeEdit(c *amfile.Change, e Edit) error {
	switch e.Right {
	case kaijutsu.RightRead:
		return fmt.Errorf("principal %s may only read this document: %w", e.By.Name, kaijutsu.ErrDenied)
	case kaijutsu.RightComment:
		return d.judgeComment(c, e.By)
	}
	return nil
}

// judgeComment refuses what a commenter may not do: anything but to make blocks
// that are comments, and to edit those it made.
func (d *document) judgeComment(c *amfile.Change, by kaijutsu.Principal) error {
	denied := func(format string, args ...any) error {
		return fmt.Errorf("principal %s may only comment in this document: %s: %w", by.Name, fmt.Sprintf(format, args...), kaijutsu.ErrDenied)
	}
	if known, ok := d.actors[c.Author()]; ok && !known.is(signerOf(by)) {
		return denied("the change is by an actor of somebody else")
	}
	if err := d.openModel(); err != nil {
		return err
	}
	e := d.model.Examine(c)
	if e.Outside {
		return denied("it touches more than blocks")
	}
	for i := range e.Blocks {
		b := &e.Blocks[i]
		for _, kind := range b.Kinds {
			if kind != blocks.KindComment {
				return denied("it makes block %s a %.32q", b.ID, kind)
			}
		}
		old, exists := d.model.Block(b.ID)
		switch {
		case exists && (old.Kind != blocks.KindComment || !d.actors[old.Author].is(signerOf(by))):
			return denied("block %s is not a comment of its own", b.ID)
		case !exists && (b.How&blocks.TouchInserted == 0 || len(b.Kinds) == 0):
			return denied("block %s is not a comment", b.ID)
		}
	}
	return nil
}

// took notes a change that the graph has taken.
func (d *document) took(c *amfile.Change, from *changegraph.SyncState) {
	switch who := bringer(from).(type) {
	case *Session:
		if d.author != (signer{}) && planted.On("wrong-attribution") {
			d.stage(c, d.author, false)
			break
		}
		d.stage(c, signerOf(who.who.Principal), false)
	case *absorption:
		d.stage(c, who.signer(c.Author()), true)
		if c.Hash == who.anchor {
			d.graph.SetAnchor(d.graph.Len() - 1)
			d.st.anchor = c.Hash
		}
	default:
		d.stage(c, d.author, false)
	}
	if d.isAnchor(c) {
		d.graph.SetAnchor(1)
		d.st.anchor = c.Hash
	}
}

// isAnchor reports whether the change just taken is the anchor that a client
// gave a context it made: the first behind the genesis change, with the id.
func (d *document) isAnchor(c *amfile.Change) bool {
	if d.graph.Len() != 2 || d.graph.Hash(0) != genesis {
		return false
	}
	if _, anchored := d.graph.Anchor(); anchored {
		return false
	}
	for i := range c.Ops {
		if named, ok := names(&c.Ops[i]); ok {
			return named.Document() == d.id
		}
	}
	return false
}

func isContextKey(op *amfile.Op) bool { return op.Obj.Counter == 0 && !op.Seq && op.Key == keyContext }

// names returns the context that an operation says the document is.
func names(op *amfile.Op) (kaijutsu.ContextID, bool) {
	s, ok := op.Value.Str()
	if !ok || op.Action != amfile.Put || !isContextKey(op) {
		return kaijutsu.ContextID{}, false
	}
	id, err := kaijutsu.ParseContextID(s)
	return id, err == nil
}

var genesis = blocks.Genesis().Hash
