package repo

import (
	"context"
	"fmt"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/halt"
	"kaijutsu/internal/quarantine"
)

// guarded runs f, which works on data from outside. What it panics with is
// logged and returned, as a *guard.Failure.
func (r *Repo) guarded(id kaijutsu.DocumentID, what string, f func() error) error {
	err := guard.Do("document "+what, f)
	if failed, ok := err.(*guard.Failure); ok {
		r.mishaps.Add(1)
		failed.Log(r.log, "document", id)
	}
	return err
}

// kindOf returns the kind of a failure, and why, for the quarantine.
func kindOf(f *guard.Failure) (kind, why string) {
	switch {
	case f.Stopped == nil:
		return quarantine.Panic, "working on it failed: " + f.Value
	case f.Stopped.Memory:
		return quarantine.Memory, f.Stopped.Why
	}
	return quarantine.Time, f.Stopped.Why
}

// pin puts the change of a unit into quarantine. One that is on disk makes its
// document read-only.
func (r *Repo) pin(ctx context.Context, id kaijutsu.DocumentID, at unit, kind, why string, readOnly bool) {
	e := quarantine.Entry{
		Document: id, Change: at.change, Bytes: len(at.raw), By: at.by, At: r.cfg.Now().UTC(),
		Kind: kind, Why: why, ReadOnly: readOnly,
	}
	r.log.Error("change put into quarantine", "document", id, "change", at.change, "principal", at.by, "kind", kind, "err", why, "read_only", readOnly)
	if err := r.cfg.Quarantine.Add(ctx, e, at.raw); err != nil {
		r.log.Error("quarantine holds until the process ends", "document", id, "change", at.change, "err", err)
	}
	if r.cfg.Quarantined != nil {
		r.cfg.Quarantined(e)
	}
}

// admitChange is told of a change before anything is done with it, and refuses
// what is in quarantine, and everything while the document is read-only.
func (d *document) admitChange(c *amfile.Change, from *changegraph.SyncState) error {
	d.task.begin(unit{what: onChange, change: c.Hash, raw: c.Raw, by: d.bringing(from)})
	if d.readOnly != nil {
		return changegraph.Passing(d.readOnly)
	}
	if e, ok := d.repo.cfg.Quarantine.Entry(d.id, c.Hash); ok {
		return fmt.Errorf("it is in quarantine since %s, and not taken: %s; who owns the server can try again with quarantine_release: %w",
			e.At.Format(time.RFC3339), e.Why, kaijutsu.ErrInvalid)
	}
	return nil
}

// triedChange is told when a change is done with.
func (d *document) triedChange() { d.task.begin(d.around) }

// bringing returns who brings a change.
func (d *document) bringing(from *changegraph.SyncState) kaijutsu.Principal {
	switch who := bringer(from).(type) {
	case *Session:
		return who.who.Principal
	case *absorption:
		return kaijutsu.Principal{}
	}
	if d.author.by.IsZero() {
		return d.author.via
	}
	return d.author.by
}

// hooks connects a graph with the document.
func (d *document) hooks(g *changegraph.Graph) {
	g.Judge, g.Took, g.Admit, g.Tried, g.Stop = d.judge, d.took, d.admitChange, d.triedChange, &d.task.stop
}

// noteRefused lists a change that the rules refused: who brings such changes is
// worth knowing to whoever runs the server.
func (d *document) noteRefused(s *Session, refusal *changegraph.Refusal) {
	if refusal.Judged {
		return
	}
	d.repo.cfg.Quarantine.Note(quarantine.Entry{
		Document: d.id, Change: refusal.Hash, By: s.who.Principal, At: d.repo.cfg.Now().UTC(), Why: refusal.Reason,
	})
}

// NoteRefused lists what a peer sent and nobody worked on: it is no sync message,
// or no change. The bytes are not kept.
func (s *Session) NoteRefused(sent []byte, why error) {
	e := quarantine.Entry{
		Document: s.doc.id, By: s.who.Principal, At: s.doc.repo.cfg.Now().UTC(), Bytes: len(sent), Why: why.Error(),
	}
	if chunks, err := amfile.SplitChunks(sent); err == nil && len(chunks) == 1 {
		e.Change = chunks[0].Hash
	}
	s.doc.repo.cfg.Quarantine.Note(e)
}

// Quarantine returns the changes that are not worked on, and the documents that
// are read-only for one.
func (r *Repo) Quarantine() *quarantine.List { return r.cfg.Quarantine }

// Release takes a change out of quarantine and opens its document anew, so that
// it is asked for and tried again; a document that was read-only is examined
// first, if that can be done. The error wraps kaijutsu.ErrNotFound when the
// change is not in quarantine.
func (r *Repo) Release(ctx context.Context, id kaijutsu.DocumentID, change kaijutsu.ChangeHash) error {
	if err := r.cfg.Quarantine.Release(ctx, id, change); err != nil {
		return err
	}
	return r.Reopen(ctx, id)
}

// Reopen reads an open document from the disk again, as after a failure; its
// sessions go on. One that is not open is left alone.
func (r *Repo) Reopen(ctx context.Context, id kaijutsu.DocumentID) error {
	r.mu.Lock()
	d := r.docs[id]
	if d != nil {
		d.uses++
	}
	r.mu.Unlock()
	if d == nil {
		return nil
	}
	defer r.release(d)
	reply := make(chan error, 1)
	return d.await(ctx, reopen{reply}, reply)
}

// troubled lets a test have a change go wrong.
func (r *Repo) troubled(c *amfile.Change, stop *halt.Flag) {
	if r.cfg.trouble != nil {
		r.cfg.trouble(c, stop)
	}
}
