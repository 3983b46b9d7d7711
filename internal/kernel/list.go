package kernel

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// ContextInfo is a context as lists show it.
type ContextInfo struct {
	Doc     kaijutsu.DocumentID
	ID      string // the UUID, or the automerge-repo id of a document without one
	Title   string
	Blocks  int // that show
	Heads   kaijutsu.Heads
	Version uint64             // changes that it holds
	By      kaijutsu.Principal // who made it; zero: nobody knows
	Created time.Time          // zero: nobody knows
	// Archived is when it was archived; zero: it is not.
	Archived time.Time
	Fork     Fork           // what it was forked from
	Right    kaijutsu.Right // the caller's
}

// summary is what lists need of a document, valid at its heads.
type summary struct {
	doc     kaijutsu.DocumentID
	heads   kaijutsu.Heads
	context bool
	title   string
	blocks  int
	version uint64
	by      kaijutsu.Principal // who made the first change behind the genesis
}

// Contexts returns the contexts that the caller may read, by id: those made
// here sort by time. Archived ones are left out unless asked for.
func (k *Kernel) Contexts(ctx context.Context, c op.Call, archived bool) ([]ContextInfo, error) {
	all, err := k.summarize(ctx, c)
	if err != nil {
		return nil, err
	}
	var out []ContextInfo
	for _, s := range all {
		if s.context && (archived || !k.records.archived(s.doc)) {
			out = append(out, k.info(c, s))
		}
	}
	return out, nil
}

// Context returns one context, with everything that was appended to it. The
// error wraps kaijutsu.ErrNotFound when there is none that the caller may read,
// and ErrInvalid when the document is no context.
func (k *Kernel) Context(ctx context.Context, c op.Call, doc kaijutsu.DocumentID) (ContextInfo, error) {
	if err := k.need(c, doc, kaijutsu.RightRead); err != nil {
		return ContextInfo{}, err
	}
	if err := k.appends.flush(ctx, doc, c.By); err != nil {
		return ContextInfo{}, err
	}
	s, err := k.summary(ctx, doc)
	if absent(err) {
		return ContextInfo{}, unknown(contextName(doc))
	}
	if err == nil && !s.context {
		err = notContext(doc)
	}
	if err != nil {
		return ContextInfo{}, err
	}
	return k.info(c, s), nil
}

func (k *Kernel) info(c op.Call, s summary) ContextInfo {
	rec := k.records.get(s.doc)
	out := ContextInfo{
		Doc: s.doc, ID: contextName(s.doc), Title: s.title, Blocks: s.blocks, Heads: s.heads, Version: s.version,
		By: rec.by, Created: rec.created, Archived: rec.archived, Fork: rec.fork, Right: k.Right(c, s.doc),
	}
	if out.By.IsZero() {
		out.By = s.by
	}
	if out.Created.IsZero() {
		out.Created = createdOf(s.doc)
	}
	return out
}

// createdOf returns the time in an id that is a UUIDv7, else zero.
func createdOf(doc kaijutsu.DocumentID) time.Time {
	b := doc.Bytes()
	if len(b) != 16 || b[6]>>4 != 7 {
		return time.Time{}
	}
	ms := int64(0)
	for _, v := range b[:6] {
		ms = ms<<8 | int64(v)
	}
	return time.UnixMilli(ms).UTC()
}

// contextName is a document's id as contexts show it: the UUID of one of 16
// bytes, the automerge-repo text of a longer one.
func contextName(doc kaijutsu.DocumentID) string {
	if b := doc.Bytes(); len(b) == 16 {
		return kaijutsu.ContextID(b).String()
	}
	return doc.String()
}

// summarize returns a summary of every document that the caller may read, by
// id. One that cannot be read is left out and logged.
func (k *Kernel) summarize(ctx context.Context, c op.Call) ([]summary, error) {
	var all []summary
	for doc, err := range k.cfg.Store.Documents() {
		if err != nil {
			return nil, fmt.Errorf("list documents: %w", err)
		}
		if !k.MayRead(c, doc) {
			continue
		}
		s, err := k.summary(ctx, doc)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if absent(err) {
			continue // deleted meanwhile
		}
		if err != nil {
			k.log.Warn("document left out of the list", "document", doc, "err", err)
			continue
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b summary) int { return cmp.Compare(string(a.doc.Bytes()), string(b.doc.Bytes())) })
	return all, nil
}

// summary returns the summary of a document, from memory when its heads have
// not moved.
func (k *Kernel) summary(ctx context.Context, doc kaijutsu.DocumentID) (summary, error) {
	info, err := k.cfg.Store.Info(ctx, doc)
	if err != nil {
		return summary{}, err
	}
	k.summaryMu.Lock()
	s, ok := k.summaries[doc]
	k.summaryMu.Unlock()
	if ok && s.heads.Equal(info.Heads) {
		return s, nil
	}
	err = k.cfg.Repo.View(ctx, doc, func(v repo.View) error {
		s = summary{doc: doc, heads: v.Heads, context: v.IsContext(), title: v.Title(), blocks: v.Len(), version: v.Version(), by: k.maker(v)}
		return nil
	})
	if err != nil {
		return summary{}, err
	}
	k.summaryMu.Lock()
	k.summaries[doc] = s
	k.summaryMu.Unlock()
	return s, nil
}

// forgetSummary lets go of the summary of a document that is gone.
func (k *Kernel) forgetSummary(doc kaijutsu.DocumentID) {
	k.summaryMu.Lock()
	delete(k.summaries, doc)
	k.summaryMu.Unlock()
}

// maker returns who made the first change of a document behind the genesis.
func (k *Kernel) maker(v repo.View) kaijutsu.Principal {
	log := v.Log()
	for i := range min(log.Len(), 2) {
		if log.Hash(i) == k.genesis {
			continue
		}
		by, _ := v.Principal(log.Author(i))
		return by
	}
	return kaijutsu.Principal{}
}
