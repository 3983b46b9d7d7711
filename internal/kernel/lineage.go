package kernel

import (
	"context"
	"slices"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// Kin is a context in a tree of forks.
type Kin struct {
	Doc      kaijutsu.DocumentID
	ID       string
	Short    string
	Label    string
	Title    string
	Archived time.Time // zero: it is not
	// Deleted says that the context is gone; its id is all that is known of it.
	Deleted bool
	Fork    Fork // what it was forked from, if that is in the tree
	Depth   int  // how many ancestors are above it in the tree
	Here    bool // it is the one that was asked for
}

// Lineage returns the tree of forks that a context is in: what it was forked
// from, and what that was, then the context, then all that was forked of it, a
// parent before its forks and the oldest fork first. What the caller may not
// read is left out, and the tree ends there.
func (k *Kernel) Lineage(ctx context.Context, c op.Call, doc kaijutsu.DocumentID) ([]Kin, error) {
	info, err := k.Context(ctx, c, doc)
	if err != nil {
		return nil, err
	}
	seen := map[kaijutsu.DocumentID]bool{doc: true}
	tree := []Kin{kinOf(info)}
	tree[0].Here = true
	for from := info.Fork.From; !from.IsZero() && !seen[from]; {
		seen[from] = true
		up, there := k.kin(ctx, c, from)
		if !there {
			break
		}
		tree = append(tree, up)
		from = up.Fork.From
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	tree[len(tree)-1].Fork = Fork{} // what it was forked from is not in the tree
	slices.Reverse(tree)
	for i := range tree {
		tree[i].Depth = i
	}
	return k.forksOf(ctx, c, tree, seen)
}

// forksOf adds all that was forked of the last of a tree.
func (k *Kernel) forksOf(ctx context.Context, c op.Call, tree []Kin, seen map[kaijutsu.DocumentID]bool) ([]Kin, error) {
	forks := k.records.forks()
	type place struct {
		doc   kaijutsu.DocumentID
		depth int
	}
	var open []place // the next one last
	add := func(of Kin) {
		for _, doc := range slices.Backward(forks[of.Doc]) {
			open = append(open, place{doc, of.Depth + 1})
		}
	}
	add(tree[len(tree)-1])
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		if seen[at.doc] {
			continue
		}
		seen[at.doc] = true
		one, there := k.kin(ctx, c, at.doc)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !there {
			continue
		}
		one.Depth = at.depth
		tree = append(tree, one)
		add(one)
	}
	return tree, nil
}

// kin returns a context of a tree, if the caller may read it.
func (k *Kernel) kin(ctx context.Context, c op.Call, doc kaijutsu.DocumentID) (Kin, bool) {
	if k.records.isDeleted(doc) {
		gone := Kin{Doc: doc, ID: doc.Name(), Short: k.shortFor(c, doc), Deleted: true}
		return gone, k.rightTo(c, doc) >= kaijutsu.RightRead
	}
	if !k.MayRead(c, doc) || !k.shelf.has(doc) {
		return Kin{}, false
	}
	s, err := k.summary(ctx, doc)
	if err != nil {
		if !absent(err) && ctx.Err() == nil {
			k.log.Warn("context left out of a lineage", "context", doc, "err", err)
		}
		return Kin{}, false
	}
	return kinOf(k.info(c, s)), true
}

func kinOf(info ContextInfo) Kin {
	return Kin{Doc: info.Doc, ID: info.ID, Short: info.Short, Label: info.Label, Title: info.Title, Archived: info.Archived, Fork: info.Fork}
}

// forks returns the contexts that were forked of each, by id.
func (r *contextRecords) forks() map[kaijutsu.DocumentID][]kaijutsu.DocumentID {
	all := make(map[kaijutsu.DocumentID][]kaijutsu.DocumentID)
	r.mu.RLock()
	for doc, rec := range r.all {
		if !rec.fork.From.IsZero() {
			all[rec.fork.From] = append(all[rec.fork.From], doc)
		}
	}
	r.mu.RUnlock()
	for _, docs := range all {
		slices.SortFunc(docs, kaijutsu.DocumentID.Compare)
	}
	return all
}
