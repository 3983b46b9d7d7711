package kernel

import (
	"context"
	"fmt"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// minPrefix is the shortest beginning of an id that may name a context.
const minPrefix = 4

// Resolve finds the context of this kernel that an address means, as Address
// does. The caller needs a right to it: the error wraps kaijutsu.ErrDenied when
// it may only be read, and ErrInvalid when the address is that of another
// kernel.
func (k *Kernel) Resolve(ctx context.Context, c op.Call, name string, need kaijutsu.Right) (kaijutsu.DocumentID, error) {
	at, err := k.Address(ctx, c, name)
	if err == nil && at.Kernel != "" && k.cfg.Seek != nil && k.cfg.Seek(ctx, name) { // perhaps it is a title
		at, err = k.Address(ctx, c, name)
	}
	if err == nil && at.Kernel != "" {
		err = k.elsewhere(ctx, c, at)
	}
	if err != nil {
		return kaijutsu.DocumentID{}, err
	}
	return at.Doc, k.need(c, at.Doc, need)
}

// find finds the context that a name means.
func (k *Kernel) find(ctx context.Context, c op.Call, name string) (kaijutsu.DocumentID, error) {
	if doc, full := fullID(name); full {
		return doc, k.reach(ctx, c, doc, doc.Name())
	}
	if doc, ok := k.ByLabel(name); ok && k.MayRead(c, doc) {
		return doc, k.reach(ctx, c, doc, name)
	}
	doc, sure, err := k.match(ctx, c, name)
	if !sure && ctx.Err() == nil && k.cfg.Seek != nil && k.cfg.Seek(ctx, name) {
		doc, _, err = k.match(ctx, c, name)
	}
	return doc, err
}

// match finds the context that a name means among those that are here. It is
// sure unless the name is the beginning of a title, or none: another node may
// have one that fits better.
func (k *Kernel) match(ctx context.Context, c op.Call, name string) (doc kaijutsu.DocumentID, sure bool, err error) {
	found, err := k.exactly(ctx, c, name)
	sure = len(found) > 0
	var all []*summary
	if err == nil && !sure {
		if all, err = k.summarize(ctx, c); err == nil {
			found, sure = k.meant(all, name)
		}
	}
	switch {
	case err != nil:
		return kaijutsu.DocumentID{}, true, err
	case len(found) == 0:
		return kaijutsu.DocumentID{}, false, fmt.Errorf("context %.100q: %w%s", name, kaijutsu.ErrNotFound, k.suggest(c, name, all))
	case len(found) == 1:
		return found[0].doc, sure, nil
	}
	return kaijutsu.DocumentID{}, sure, k.ambiguous(c, name, found)
}

// exact returns the documents that have this title or whose UUID begins or ends
// so. A title is what anybody may write: it does not come before the id of
// another context.
func (k *Kernel) exact(all []*summary, name string) []*summary {
	has := titled(name)
	if len(name) < minPrefix {
		return k.pick(all, has)
	}
	lower := strings.ToLower(name)
	return k.pick(all, func(s *summary) bool {
		return has(s) || s.name != s.url && (strings.HasPrefix(s.name, lower) || len(name) >= shortDigits && strings.HasSuffix(s.name, lower))
	})
}

// meant returns what a name that is no full id and no label may mean among these
// documents, by the first rule that fits any; sure unless that is the beginning
// of a title.
func (k *Kernel) meant(all []*summary, name string) (found []*summary, sure bool) {
	if found = k.exact(all, name); len(found) > 0 {
		return found, true
	}
	if bare := strings.TrimPrefix(name, "automerge:"); len(bare) >= minPrefix {
		found = k.pick(all, func(s *summary) bool { return strings.HasPrefix(s.url, bare) })
	}
	if len(found) > 0 {
		return found, true
	}
	lower := strings.ToLower(name)
	return k.pick(all, func(s *summary) bool { return s.context && strings.HasPrefix(s.lower, lower) }), false
}

// titled matches the contexts with just this title.
func titled(title string) func(*summary) bool {
	return func(s *summary) bool { return s.context && s.title == title }
}

// reach has a document here that the caller may read, called by this name.
func (k *Kernel) reach(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, name string) error {
	if !k.MayRead(c, doc) || !k.shelf.has(doc) && (!k.fetch(ctx, doc) || !k.MayRead(c, doc)) { // its roles came with it
		return unknown(name)
	}
	return nil
}

// fetch has a context that is not here brought from another node.
func (k *Kernel) fetch(ctx context.Context, doc kaijutsu.DocumentID) bool {
	if k.cfg.Fetch == nil || !k.cfg.Fetch(ctx, doc) {
		return false
	}
	return k.shelf.has(doc)
}

// pick returns the documents that match; archived ones only when no other does.
func (k *Kernel) pick(all []*summary, match func(*summary) bool) []*summary {
	var live, archived []*summary
	for _, s := range all {
		switch {
		case !match(s):
		case k.records.archived(s.doc):
			archived = append(archived, s)
		default:
			live = append(live, s)
		}
	}
	if len(live) > 0 {
		return live
	}
	return archived
}

// fullID reads an id that needs no list: an automerge URL, its bare id, or a
// UUID.
func fullID(name string) (kaijutsu.DocumentID, bool) {
	if id, err := kaijutsu.ParseDocumentID(name); err == nil {
		return id, true
	}
	if id, err := kaijutsu.ParseContextID(strings.ToLower(name)); err == nil {
		return id.Document(), true
	}
	return kaijutsu.DocumentID{}, false
}
