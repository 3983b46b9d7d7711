package kernel

import (
	"context"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// ContextInfo is a context as lists show it.
type ContextInfo struct {
	Doc     kaijutsu.DocumentID
	ID      string // the UUID, or the automerge-repo id of a document without one
	Short   string // names it for the caller, as Kernel.Short does for everybody
	Label   string // empty: it has none
	Title   string
	Blocks  int // that show
	Heads   kaijutsu.Heads
	Version uint64             // changes that it holds
	By      kaijutsu.Principal // who made it; zero: nobody knows
	Created time.Time          // zero: nobody knows
	// Archived is when it was archived; zero: it is not.
	Archived time.Time
	Fork     Fork           // what it was forked from, if the caller may read that
	Model    Model          // what its agent runs on
	Right    kaijutsu.Right // the caller's
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

// Documents returns how many documents there are, contexts or not.
func (k *Kernel) Documents() int {
	k.shelf.mu.RLock()
	defer k.shelf.mu.RUnlock()
	return len(k.shelf.order)
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
		return ContextInfo{}, unknown(doc.Name())
	}
	if err == nil && !s.context {
		err = notContext(doc)
	}
	if err != nil {
		return ContextInfo{}, err
	}
	return k.info(c, s), nil
}

func (k *Kernel) info(c op.Call, s *summary) ContextInfo {
	rec := k.records.get(s.doc)
	out := ContextInfo{
		Doc: s.doc, ID: s.name, Short: k.shortFor(c, s.doc), Label: k.Label(s.doc), Model: rec.model, Title: s.title, Blocks: s.blocks, Heads: s.heads, Version: s.version,
		By: rec.by, Created: rec.created, Archived: rec.archived, Fork: rec.fork, Right: k.Right(c, s.doc),
	}
	if k.rightTo(c, rec.fork.From) < kaijutsu.RightRead { // it may be deleted, and is told of then too
		out.Fork = Fork{} // which it was is not for them
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

// summarize returns a summary of every document that the caller may read, by
// id. One that cannot be read is left out and logged.
func (k *Kernel) summarize(ctx context.Context, c op.Call) ([]*summary, error) {
	return k.among(ctx, c, k.shelf.all())
}
