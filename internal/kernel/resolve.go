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

// Resolve finds the context that a name means among those the caller may read:
// an id or automerge URL in full, a title, the beginning of an id from 4
// characters on, or that of a title. "" and "." are the context of the call.
// The caller needs a right to it. The error wraps kaijutsu.ErrNotFound when
// there is none, on any node that can be asked, and says what may have been meant, ErrConflict when there are
// several and names them, ErrDenied when it may only be read.
func (k *Kernel) Resolve(ctx context.Context, c op.Call, name string, need kaijutsu.Right) (kaijutsu.DocumentID, error) {
	if name == "" || name == "." {
		name = c.Context
	}
	if name == "" || name == "." {
		return kaijutsu.DocumentID{}, &op.FieldError{Field: "context", Reason: "none is named, and the call has none", Hint: "name one by id, automerge URL or title"}
	}
	doc, err := k.find(ctx, c, name)
	if err != nil {
		return kaijutsu.DocumentID{}, err
	}
	return doc, k.need(c, doc, need)
}

// find is Resolve for reading.
func (k *Kernel) find(ctx context.Context, c op.Call, name string) (kaijutsu.DocumentID, error) {
	if doc, ok := fullID(name); ok {
		if !k.MayRead(c, doc) {
			return kaijutsu.DocumentID{}, unknown(doc.Name())
		}
		if !k.shelf.has(doc) && (!k.fetch(ctx, doc) || !k.MayRead(c, doc)) { // its roles came with it
			return kaijutsu.DocumentID{}, unknown(doc.Name())
		}
		return doc, nil
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
	all, err := k.summarize(ctx, c)
	if err != nil {
		return kaijutsu.DocumentID{}, true, err
	}
	for i, match := range matchesOf(name) {
		found := k.pick(all, match)
		sure := i < titleBegins
		switch {
		case len(found) == 1:
			return found[0].doc, sure, nil
		case len(found) > 1:
			return kaijutsu.DocumentID{}, sure, fmt.Errorf("context %.100q: %w: it may mean %s", name, kaijutsu.ErrConflict, listed(found))
		}
	}
	return kaijutsu.DocumentID{}, false, fmt.Errorf("context %.100q: %w%s", name, kaijutsu.ErrNotFound, k.suggest(name, all))
}

// titleBegins is which of matchesOf takes a name for the beginning of a title.
const titleBegins = 3

// matchesOf are the ways in which a name may mean a context, the best first.
func matchesOf(name string) []func(*summary) bool {
	lower, bare := strings.ToLower(name), strings.TrimPrefix(name, "automerge:")
	return []func(*summary) bool{
		func(s *summary) bool { return s.context && s.title == name },
		func(s *summary) bool {
			return len(name) >= minPrefix && strings.HasPrefix(s.name, lower)
		},
		func(s *summary) bool { return len(bare) >= minPrefix && strings.HasPrefix(s.url, bare) },
		func(s *summary) bool {
			return s.context && strings.HasPrefix(s.lower, lower)
		},
	}
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

// listed names a few candidates.
func listed(found []*summary) string {
	const most = 5
	var parts []string
	for i, s := range found {
		if i == most {
			parts = append(parts, fmt.Sprintf("… (%d in all)", len(found)))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %q", s.name, clip(s.title)))
	}
	return strings.Join(parts, ", ")
}

// clip shortens a title for an error.
func clip(title string) string {
	const most = 60
	runes := []rune(title)
	if len(runes) <= most {
		return title
	}
	return string(runes[:most]) + "…"
}

// suggest says what a wrong name may have meant, or what there is.
func (k *Kernel) suggest(name string, all []*summary) string {
	var contexts []*summary
	var titles []string
	for _, s := range all {
		if s.context && !k.records.archived(s.doc) {
			contexts = append(contexts, s)
			titles = append(titles, s.title)
		}
	}
	if near := op.Nearest(name, titles); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	if len(contexts) == 0 {
		return "; there are none yet"
	}
	return "; there are " + listed(contexts)
}
