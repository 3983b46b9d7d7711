package kernel

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// minBlockPrefix is the shortest beginning of an id that may name a block.
const minBlockPrefix = 6

// ResolveBlock finds a block and its context. A full id is enough: where no
// context is named and the call has none, the block is looked for in all that
// the caller may read. Where the context is known, the beginning of an id will
// do, from 6 characters on, if it fits one block, deleted ones included. That a
// full id in a known context is there is for the caller to see.
func (k *Kernel) ResolveBlock(ctx context.Context, c op.Call, name, block string, need kaijutsu.Right) (kaijutsu.DocumentID, blocks.ID, error) {
	id, err := blocks.ParseID(strings.ToLower(block))
	full := err == nil
	switch {
	case full && name == "" && c.Context == "":
		doc, err := k.locate(c, id)
		if err != nil {
			return doc, id, err
		}
		return doc, id, k.need(c, doc, need)
	case !full && name == "" && c.Context == "":
		return kaijutsu.DocumentID{}, "", &op.FieldError{Field: "block_id", Reason: fmt.Sprintf("%.64q is no whole id, and no context is named", block), Hint: "give all 36 characters, or name the context"}
	case !full && (len(block) < minBlockPrefix || len(block) > 36):
		return kaijutsu.DocumentID{}, "", &op.FieldError{Field: "block_id", Reason: fmt.Sprintf("%.64q is no block", block), Hint: fmt.Sprintf("want a UUID of 36 characters, or its first %d or more", minBlockPrefix)}
	}
	doc, err := k.Resolve(ctx, c, name, need)
	if err != nil || full {
		return doc, id, err
	}
	id, err = k.completeBlock(ctx, c, doc, strings.ToLower(block))
	return doc, id, err
}

// locate returns the one document, of those the caller may read, that holds a
// block.
func (k *Kernel) locate(c op.Call, id blocks.ID) (kaijutsu.DocumentID, error) {
	found := slices.DeleteFunc(slices.Clone(k.cfg.Locate(id)), func(doc kaijutsu.DocumentID) bool { return !k.MayRead(c, doc) })
	switch len(found) {
	case 0:
		return kaijutsu.DocumentID{}, kaijutsu.About("block_id", fmt.Errorf("block %s: %w; name its context if you know it", id, kaijutsu.ErrNotFound))
	case 1:
		return found[0], nil
	}
	names := make([]string, 0, len(found))
	for _, doc := range found {
		names = append(names, doc.Name())
	}
	slices.Sort(names)
	const most = 5
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("… (%d in all)", len(names)))
	}
	return kaijutsu.DocumentID{}, fmt.Errorf("block %s: %w: it is in several contexts; name one of %s", id, kaijutsu.ErrConflict, strings.Join(names, ", "))
}

// completeBlock returns the block of a context whose id begins so.
func (k *Kernel) completeBlock(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, prefix string) (blocks.ID, error) {
	var found []string
	err := k.View(ctx, c, doc, func(v repo.View) error {
		for s := range v.Model().Summaries() {
			if strings.HasPrefix(string(s.ID), prefix) {
				found = append(found, string(s.ID))
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", kaijutsu.About("block_id", fmt.Errorf("block %.64q: %w in context %s", prefix, kaijutsu.ErrNotFound, doc.Name()))
	case len(found) > 1:
		const most = 5
		n := len(found)
		if n > most {
			found = append(found[:most], fmt.Sprintf("… (%d in all)", n))
		}
		return "", kaijutsu.About("block_id", fmt.Errorf("block %.64q: %w: it may mean %s", prefix, kaijutsu.ErrConflict, strings.Join(found, ", ")))
	}
	return blocks.ID(found[0]), nil
}
