package repo

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/planted"
)

// Edit says who edits.
type Edit struct {
	// By authors the change. Via is through whom it came, zero when it came
	// from By itself.
	By, Via kaijutsu.Principal
	// Message is kept with the change; at most 64 KiB.
	Message string
	// Right is what By may do with the document, when the caller has asked: the
	// change is judged by it as one that is synced. Zero is not judged.
	Right kaijutsu.Right
}

// Edited says what came of an edit, on disk.
type Edited struct {
	Version uint64 // changes that the document held with it
	Heads   kaijutsu.Heads
	Change  kaijutsu.ChangeHash // zero: nothing was written
}

// Edit runs f on a context's blocks, in the document's owner, and commits what
// it did as one change by the principal's actor, all or nothing. It returns
// when the change is on disk. f sees the edits that went before it and must not
// take long; when it returns an error, nothing is written. The error wraps kaijutsu.ErrNotFound when there is no such
// document and ErrDenied when nobody edits.
func (r *Repo) Edit(ctx context.Context, id kaijutsu.DocumentID, e Edit, f func(View, *blocks.Tx) error) (Edited, error) {
	if e.By.IsZero() && e.Via.IsZero() {
		return Edited{}, fmt.Errorf("edit document %s: no principal: %w", id, kaijutsu.ErrDenied)
	}
	var out Edited
	err := r.orFetch(ctx, id, func() error {
		return r.edit(ctx, id, func(d *document, _ *staged) (err error) {
			if d.graph.Len() == 0 {
				return d.notHere()
			}
			out, err = d.editBlocks(e, f)
			return err
		})
	})
	if err != nil {
		return Edited{}, err
	}
	return out, nil
}

// admit waits until changes may be made here.
func (r *Repo) admit(ctx context.Context) error {
	if r.cfg.Admit == nil {
		return nil
	}
	if err := r.cfg.Admit(ctx); err != nil {
		return fmt.Errorf("changes wait to be taken: %w", err)
	}
	return nil
}

// edit runs f in the owner, between what came before and the commit.
func (r *Repo) edit(ctx context.Context, id kaijutsu.DocumentID, f func(*document, *staged) error) error {
	if err := r.admit(ctx); err != nil {
		return err
	}
	d, err := r.acquire(id)
	if err != nil {
		return err
	}
	defer r.release(d)
	reply := make(chan error, 1)
	return d.await(ctx, edit{f, reply}, reply)
}

// edit carries out an edit request. One that fails has staged nothing; one that
// works is answered by the commit.
func (d *document) edit(r edit, st *staged) {
	if d.failed != nil {
		r.reply <- d.failed
		return
	}
	if d.readOnly != nil {
		r.reply <- d.readOnly
		return
	}
	changes, actors, deltas := len(st.changes), len(st.actors), len(st.deltas)
	if d.graph.Len() > 20 && planted.On("duplicate-apply") {
		_ = r.f(d, st)
	}
	if err := r.f(d, st); err != nil {
		if len(st.changes) > changes {
			d.forget(st, changes, actors)
			st.deltas = st.deltas[:deltas]
		}
		r.reply <- err
		return
	}
	st.replies = append(st.replies, r.reply)
}

// forget takes back what was staged behind these numbers of changes and actors.
func (d *document) forget(st *staged, changes, actors int) {
	d.graph.Truncate(st.from + changes)
	for _, a := range st.actors[actors:] {
		if was, ok := st.were[a.ID]; ok {
			d.actors[a.ID] = was
		} else {
			delete(d.actors, a.ID)
		}
	}
	st.changes, st.actors = st.changes[:changes], st.actors[:actors]
	for len(st.runs) > 0 && st.runs[len(st.runs)-1].at >= changes {
		st.runs = st.runs[:len(st.runs)-1]
	}
	if _, anchored := d.graph.Anchor(); !anchored {
		st.anchor = kaijutsu.ChangeHash{}
	}
	d.model, d.pasts, d.actorCounts = nil, nil, nil // they hold changes that do not exist
	d.decodedKept.clear()
	clear(d.editActors) // their numbers may have got to the disk
}

// editBlocks makes one change of what f does and stages it.
func (d *document) editBlocks(e Edit, f func(View, *blocks.Tx) error) (Edited, error) {
	if err := d.openModel(); err != nil {
		return Edited{}, err
	}
	by := signer{e.By, e.Via}
	actor := d.actorOf(by)
	heads := d.graph.Heads()
	opt := blocks.CommitOptions{
		Actor: actor, Seq: d.graph.NextSeq(actor), StartOp: d.graph.MaxOp() + 1, Deps: heads,
		Time: d.repo.cfg.Now(), Message: e.Message,
	}
	c, err := d.model.Commit(opt, func(tx *blocks.Tx) error { return f(View{d, heads, nil}, tx) })
	if err != nil {
		return Edited{}, err
	}
	done := Edited{Version: uint64(d.graph.Len()), Heads: heads}
	if c == nil {
		return done, nil
	}
	if err := d.judgeEdit(c, e); err != nil {
		return Edited{}, err
	}
	d.author = by
	if _, err := d.graph.Add(c); err != nil {
		return Edited{}, fmt.Errorf("the change that was made: %w", err)
	}
	return Edited{Version: uint64(d.graph.Len()), Heads: d.graph.Heads(), Change: c.Hash}, nil
}

// actorOf returns the actor of a principal's edits here. It is new each time
// the document is opened and never used again after a crash: a change that was
// lost and another with its number would split the document for ever.
func (d *document) actorOf(by signer) kaijutsu.ActorID {
	if a, ok := d.editActors[by]; ok {
		return a
	}
	a := newActor()
	d.editActors[by] = a
	return a
}

// openModel fills the read model from the changes.
func (d *document) openModel() error {
	d.modelUsed = d.repo.cfg.Now()
	if d.model != nil {
		return nil
	}
	if d.readOnly != nil {
		return d.readOnly
	}
	m, err := d.replay(d.graph.Heads(), onModel)
	if err != nil {
		return err
	}
	d.model = m
	d.measure()
	return nil
}

// trim drops the read model and what it was when nobody has used them for long:
// peers need neither. What was encoded for peers goes each time: those who come
// at once have come.
func (d *document) trim() {
	if d.model != nil && len(d.watches) == 0 && d.repo.cfg.Now().Sub(d.modelUsed) >= d.repo.cfg.IdleAfter {
		d.model, d.pasts = nil, nil
		d.decodedKept.clear()
	}
	d.graph.DropSent()
	d.measure()
}
