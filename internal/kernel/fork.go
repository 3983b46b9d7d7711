package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
	"kaijutsu/internal/repo"
)

// forkRecords is how many records are written with one change when a context is
// forked.
const forkRecords = 500

// fork makes a fork at these heads. Who may read it, and its label, which is
// reserved, are on record before it is there.
func (k *Kernel) fork(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, heads kaijutsu.Heads, n NewContext) (ContextInfo, error) {
	id := kaijutsu.NewContextID(k.cfg.Now())
	rec := record{by: c.By, created: createdOf(id.Document()), fork: Fork{From: doc, Heads: heads}}
	value, err := json.Marshal(rowOf(rec))
	if err != nil {
		return ContextInfo{}, err
	}
	labels, err := k.labelRecords(c.By, n.Label, id.Document())
	if err != nil {
		return ContextInfo{}, err
	}
	rs := append(k.cfg.Access.Inherited(doc, id.Document(), c.By), records.Record{Name: contextRecord + id.Document().String(), Value: value})
	rs = append(rs, labels...)
	for some := range slices.Chunk(rs, forkRecords) {
		if err = k.cfg.Records.Write(ctx, c.By, some...); err != nil {
			break
		}
	}
	if err == nil {
		err = k.cfg.Repo.ForkAs(ctx, id, c.By, doc, heads, n.Title)
	}
	ctx = context.WithoutCancel(ctx) // it is there: say so
	if err != nil {
		return ContextInfo{}, errors.Join(fmt.Errorf("fork context %s: %w", doc.Name(), err), k.unwrite(ctx, c.By, rs))
	}
	k.shelf.saw(id.Document(), nil)
	return k.shown(ctx, c, id)
}

// unwrite takes back what was written of a fork that came to nothing.
func (k *Kernel) unwrite(ctx context.Context, by kaijutsu.Principal, rs []records.Record) error {
	for some := range slices.Chunk(rs, forkRecords) {
		for i := range some {
			some[i].Value = nil
		}
		if err := k.cfg.Records.Write(ctx, by, some...); err != nil {
			return fmt.Errorf("take back the records of a fork: %w", err)
		}
	}
	return nil
}

// noteFork looks at what is committed: a fork may come from another node before
// its records. Nobody may do more with it, until they are here, than with what
// it is a fork of. Document owners call it.
func (k *Kernel) noteFork(c repo.Committed) {
	known := func() bool { return !k.records.get(c.Doc).created.IsZero() }
	if c.Base == nil || c.Deleted || known() {
		return
	}
	k.cfg.Access.Rest(c.Doc, c.Base.Doc)
	if known() { // it came meanwhile
		k.cfg.Access.Stand(c.Doc)
	}
}
