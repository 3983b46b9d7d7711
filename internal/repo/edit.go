package repo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
)

// CreateContext makes a context with this title and returns when it is on
// disk.
func (r *Repo) CreateContext(ctx context.Context, by kaijutsu.Principal, title string) (kaijutsu.ContextID, error) {
	id := kaijutsu.NewContextID(r.cfg.Now())
	err := r.edit(ctx, id.Document(), func(d *document, st *staged) error {
		d.author = signer{by: by}
		if _, err := d.graph.Add(blocks.Genesis()); err != nil {
			return fmt.Errorf("add the genesis change: %w", err)
		}
		if title == "" {
			return nil
		}
		_, err := d.editBlocks(st, Edit{By: by}, func(_ View, tx *blocks.Tx) error { return tx.SetTitle(title) })
		return err
	})
	if err != nil {
		return kaijutsu.ContextID{}, fmt.Errorf("create context %q: %w", title, err)
	}
	return id, nil
}

// Edit says who edits.
type Edit struct {
	// By authors the change. Via is through whom it came, zero when it came
	// from By itself.
	By, Via kaijutsu.Principal
	// Message is kept with the change; at most 64 KiB.
	Message string
}

// Edited says what came of an edit, on disk.
type Edited struct {
	Version uint64 // changes that the document held with it
	Heads   kaijutsu.Heads
	Change  kaijutsu.ChangeHash // zero: nothing was written
}

// Edit runs f on a context's blocks, in the document's owner, and commits what
// it did as one change by the principal's actor, all or nothing. It returns
// when the change is on disk. f sees the edits that went before it, must not
// take long, and may be asked about in vain: when it returns an error, nothing
// was written. The error wraps kaijutsu.ErrNotFound when there is no such
// document and ErrDenied when nobody edits.
func (r *Repo) Edit(ctx context.Context, id kaijutsu.DocumentID, e Edit, f func(View, *blocks.Tx) error) (Edited, error) {
	if e.By.IsZero() && e.Via.IsZero() {
		return Edited{}, fmt.Errorf("edit document %s: no principal: %w", id, kaijutsu.ErrDenied)
	}
	var out Edited
	err := r.edit(ctx, id, func(d *document, st *staged) (err error) {
		if d.graph.Len() == 0 {
			return fmt.Errorf("document %s: %w", id, kaijutsu.ErrNotFound)
		}
		out, err = d.editBlocks(st, e, f)
		return err
	})
	if err != nil {
		return Edited{}, err
	}
	return out, nil
}

// EditBlocks is Edit by a principal, without a look at the document.
func (r *Repo) EditBlocks(ctx context.Context, id kaijutsu.DocumentID, by kaijutsu.Principal, f func(*blocks.Tx) error) error {
	_, err := r.Edit(ctx, id, Edit{By: by}, func(_ View, tx *blocks.Tx) error { return f(tx) })
	return err
}

// Export returns the document with its whole history as one document chunk,
// the content of an .automerge file.
func (r *Repo) Export(ctx context.Context, id kaijutsu.DocumentID) ([]byte, error) {
	var raws [][]byte
	err := r.with(ctx, id, func(d *document) error {
		if d.graph.Len() == 0 {
			return fmt.Errorf("document %s: %w", id, kaijutsu.ErrNotFound)
		}
		raws = d.raws()
		return nil
	})
	if err != nil {
		return nil, err
	}
	select { // the work takes as much memory as a snapshot's
	case r.snapshot <- struct{}{}:
		defer func() { <-r.snapshot }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	chunk, err := encodeVerified(raws)
	if err != nil {
		return nil, fmt.Errorf("export document %s: %w", id, err)
	}
	return chunk, nil
}

// edit runs f in the owner, between what came before and the commit.
func (r *Repo) edit(ctx context.Context, id kaijutsu.DocumentID, f func(*document, *staged) error) error {
	d, err := r.acquire(id)
	if err != nil {
		return err
	}
	defer r.release(d)
	reply := make(chan error, 1)
	return d.await(ctx, edit{f, reply}, reply)
}

// edit carries out an edit request. One that fails has staged nothing that is
// visible; one that works is answered by the commit.
func (d *document) edit(r edit, st *staged) {
	if d.failed != nil {
		r.reply <- d.failed
		return
	}
	if err := r.f(d, st); err != nil {
		r.reply <- err
		return
	}
	st.replies = append(st.replies, r.reply)
}

// editBlocks makes one change of what f does and stages it.
func (d *document) editBlocks(st *staged, e Edit, f func(View, *blocks.Tx) error) (Edited, error) {
	if err := d.openEditor(); err != nil {
		return Edited{}, err
	}
	by := signer{e.By, e.Via}
	opt := blocks.CommitOptions{Actor: d.actorOf(by), Time: d.repo.cfg.Now(), Message: e.Message, Model: d.model}
	view := View{d, d.graph.Heads()}
	raw, err := d.editor.Commit(opt, func(tx *blocks.Tx) error { return f(view, tx) })
	if err != nil {
		if !refusesInput(err) {
			d.closeEditor()
		}
		return Edited{}, err
	}
	if raw == nil { // f changed nothing
		return Edited{Version: uint64(d.graph.Len()), Heads: d.graph.Heads()}, nil
	}
	c, err := amfile.DecodeChange(raw)
	if err != nil {
		d.closeEditor()
		return Edited{}, fmt.Errorf("the engine's change: %w", err)
	}
	d.author = by
	if _, err := d.graph.Add(c); err != nil {
		d.closeEditor()
		return Edited{}, fmt.Errorf("the engine's change: %w", err)
	}
	return Edited{Version: uint64(d.graph.Len()), Heads: d.graph.Heads(), Change: c.Hash}, nil
}

// refusesInput reports whether an edit failed for what was asked, not for the
// engine, which then goes on as before.
func refusesInput(err error) bool {
	for _, kind := range []error{kaijutsu.ErrNotFound, kaijutsu.ErrInvalid, kaijutsu.ErrConflict, kaijutsu.ErrDenied, kaijutsu.ErrTooLarge} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// actorOf returns the actor of a principal's edits here. It is new each time
// the document is opened and never used again after a crash: a change that was
// lost and another with its number would split the document for ever.
func (d *document) actorOf(by signer) kaijutsu.ActorID {
	if a, ok := d.editActors[by]; ok {
		return a
	}
	var raw [16]byte
	rand.Read(raw[:])
	a := kaijutsu.ActorID(raw[:])
	d.editActors[by] = a
	return a
}

// openModel fills the read model from the changes.
func (d *document) openModel() error {
	d.modelUsed = d.repo.cfg.Now()
	if d.model != nil {
		return nil
	}
	m := blocks.NewModel()
	for i := range d.graph.Len() {
		c, err := amfile.DecodeChange(d.graph.Raw(i))
		if err != nil {
			return fmt.Errorf("read change %d of document %s: %w", i, d.id, err)
		}
		m.Apply(c)
	}
	d.model = m
	d.measure()
	return nil
}

// openEditor starts the engine on the changes, and the read model it needs.
func (d *document) openEditor() error {
	if err := d.openModel(); err != nil {
		return err
	}
	d.editorUsed = d.repo.cfg.Now()
	if d.editor != nil {
		raws := d.raws()
		if err := d.editor.Apply(raws[d.editorLen:]); err != nil {
			d.closeEditor()
			return err
		}
		d.editorLen = len(raws)
		return nil
	}
	e, err := blocks.OpenEditor(d.raws())
	if err != nil {
		return fmt.Errorf("open document %s in the engine: %w", d.id, err)
	}
	d.editor, d.editorLen = e, d.graph.Len()
	d.measure()
	return nil
}

// trim closes the engine and the read model when nobody has used them for
// long: peers need neither.
func (d *document) trim() {
	now, idle := d.repo.cfg.Now(), d.repo.cfg.IdleAfter
	if d.editor != nil && now.Sub(d.editorUsed) >= idle {
		d.closeEditor()
	}
	if d.model != nil && d.editor == nil && len(d.watches) == 0 && now.Sub(d.modelUsed) >= idle {
		d.model = nil
	}
	d.measure()
}

// closeEditor frees the engine. The next edit starts it again.
func (d *document) closeEditor() {
	if d.editor != nil {
		d.editor.Close()
		d.editor = nil
	}
}

// raws returns the bytes of every change in order. The slices are shared.
func (d *document) raws() [][]byte {
	raws := make([][]byte, d.graph.Len())
	for i := range raws {
		raws[i] = d.graph.Raw(i)
	}
	return raws
}
