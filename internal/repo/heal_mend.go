package repo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/store"
)

// Mended says what came of Mend.
type Mended struct {
	// Path is the file that holds the rows of the document as they were.
	Path string
	// Changes is how many the document holds now, of which Own were read from
	// the damaged rows or were in memory, and the others came from another node.
	Changes, Own uint64
	// Had is how many changes the document was known to hold, 0 when even that
	// could not be read.
	Had uint64
	// Short says that it holds fewer than it did, or that this is not known:
	// whoever holds the others brings them when they next connect.
	Short bool
}

// Mend sets a damaged document aside (store.SetAside) and fills it again: with
// what is in memory, else with what can be read of it and what another node
// holds. Everything is validated as if a peer had sent it. What nobody holds
// any more is missing until an editor that has it connects. A document that is
// not damaged is left as it is.
//
// The error wraps kaijutsu.ErrNotFound when there is no such document, ErrDeleted
// when it was deleted, kaijutsu.ErrUnavailable when the disk refuses.
func (r *Repo) Mend(ctx context.Context, id kaijutsu.DocumentID) (Mended, error) {
	r.healing.one.Lock()
	defer r.healing.one.Unlock()
	mended, err := r.mend(ctx, id, true)
	if err != nil {
		r.healing.unhealed.Add(1)
		return Mended{}, fmt.Errorf("mend document %s: %w", id, err)
	}
	return mended, nil
}

// mendWhole is Mend, but leaves a document as it is, damaged and refused, when it
// is not in memory and no other node holds it: what is left of it is not to be
// taken for all of it by those who do not know.
func (r *Repo) mendWhole(ctx context.Context, id kaijutsu.DocumentID) (Mended, error) {
	r.healing.one.Lock()
	defer r.healing.one.Unlock()
	return r.mend(ctx, id, false)
}

// errNowhere says that nobody holds a damaged document whole.
var errNowhere = fmt.Errorf("no other node holds it: %w", kaijutsu.ErrUnavailable)

func (r *Repo) mend(ctx context.Context, id kaijutsu.DocumentID, short bool) (Mended, error) {
	err := r.verify(ctx, id)
	var u *unsoundError
	switch {
	case err == nil:
		r.cfg.Store.NoteSound(id)
		info, err := r.cfg.Store.Info(ctx, id)
		return Mended{Changes: info.Changes, Own: info.Changes, Had: info.Changes}, err
	case !errors.As(err, &u):
		return Mended{}, err
	case u.doc != id:
		return Mended{}, fmt.Errorf("it rests on document %s, which is damaged: mend that: %w", u.doc, kaijutsu.ErrUnavailable)
	}
	var mended Mended
	if info, err := r.cfg.Store.Info(ctx, id); err == nil {
		mended.Had = info.Changes
	}
	switch err := r.rewrite(ctx, id, &mended); {
	case err == nil:
		r.healed(id, mended, "memory")
		return mended, nil
	case !errors.Is(err, errNotOpen):
		return mended, err
	}
	if !short && (r.cfg.Elsewhere == nil || !r.cfg.Elsewhere(ctx, id)) {
		return mended, errNowhere
	}
	return r.refill(ctx, id, mended)
}

func (r *Repo) healed(id kaijutsu.DocumentID, m Mended, from string) {
	r.healing.healed.Add(1)
	r.cfg.Store.NoteSound(id)
	log := r.log.Info
	if m.Short {
		log = r.log.Error
	}
	log("damaged document filled again", "document", id, "from", from, "changes", m.Changes, "own", m.Own, "had", m.Had, "path", m.Path)
}

// errNotOpen says that a document is not in memory as it was.
var errNotOpen = errors.New("the document is not open")

// isOpen reports whether a document is in memory as it was.
func (r *Repo) isOpen(id kaijutsu.DocumentID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.docs[id]
	return d != nil && !d.unusable.Load()
}

// rewrite writes a document that is in memory anew, in its owner: nobody who
// uses it notices. The log keeps its order.
func (r *Repo) rewrite(ctx context.Context, id kaijutsu.DocumentID, m *Mended) error {
	r.mu.Lock()
	d := r.docs[id]
	if d != nil {
		d.uses++
	}
	r.mu.Unlock()
	if d == nil {
		return errNotOpen
	}
	defer r.release(d)
	err := d.call(ctx, func(d *document) error { return d.rewrite(m) })
	if d.unusable.Load() || errors.Is(err, ErrClosed) {
		return errNotOpen
	}
	return err
}

// rewrite is done in the owner, between two batches.
func (d *document) rewrite(m *Mended) error {
	if d.graph.Len() == 0 || d.snapshotting || d.lent > 0 || d.deleting {
		return fmt.Errorf("it is in use: %w", kaijutsu.ErrUnavailable)
	}
	from := 0
	if d.base != nil {
		from = d.before
	}
	w := store.Write{Doc: d.id, Heads: slices.Clone(d.graph.Heads()), Base: d.base}
	for i := from; i < d.graph.Len(); i++ {
		w.Changes = append(w.Changes, store.Change{Index: uint64(i - from), Hash: d.graph.Hash(i), Raw: d.graph.Raw(i)})
	}
	if i, ok := d.graph.Anchor(); ok {
		w.Anchor = d.graph.Hash(i)
	}
	now := d.repo.cfg.Now()
	for id, s := range d.actors {
		w.Actors = append(w.Actors, store.Actor{ID: id, Principal: s.by, Via: s.via, At: now})
	}
	ctx, s := context.Background(), d.repo.cfg.Store
	aside, err := s.SetAside(ctx, d.id)
	if err != nil {
		return err
	}
	if at := timesOf(aside.Actors); len(at) > 0 {
		for i := range w.Actors {
			if t, ok := at[w.Actors[i].ID]; ok {
				w.Actors[i].At = t
			}
		}
	}
	m.Path = aside.Path
	if _, err := s.Commit(ctx, w); err != nil {
		d.failed = fmt.Errorf("open document %s: %w", d.id, storeError(err)) // what is in memory is nowhere else
		d.unusable.Store(true)
		return err
	}
	d.before, d.covered, d.coveredBytes, d.tailBytes = from, from, 0, 0
	for i := range w.Changes {
		d.tailBytes += len(w.Changes[i].Raw)
	}
	d.snapshotFrom = 0
	d.maybeSnapshot(false)
	m.Changes, m.Own = uint64(d.graph.Len()), uint64(d.graph.Len())
	m.Short = m.Had > m.Changes
	return nil
}

// refill sets a document aside and fills it with what can be read of it, and
// from another node.
func (r *Repo) refill(ctx context.Context, id kaijutsu.DocumentID, m Mended) (Mended, error) {
	aside, err := r.cfg.Store.SetAside(ctx, id)
	if err != nil {
		return m, err
	}
	m.Path = aside.Path
	r.expel(id)
	if err := r.bringBack(ctx, id, aside); err != nil {
		return m, err
	}
	if info, err := r.cfg.Store.Info(ctx, id); err == nil {
		m.Own = info.Changes
	}
	from := "its own rows"
	if r.refetch(ctx, id) {
		from = "another node"
	}
	if info, err := r.cfg.Store.Info(ctx, id); err == nil {
		m.Changes = info.Changes
	}
	m.Short = m.Had == 0 || m.Changes < m.Had
	r.healed(id, m, from)
	return m, nil
}

func (r *Repo) refetch(ctx context.Context, id kaijutsu.DocumentID) bool {
	if r.cfg.Refetch == nil {
		return r.fetch(ctx, id)
	}
	ctx, cancel := context.WithTimeout(ctx, refetchTimeout)
	defer cancel()
	return r.cfg.Refetch(ctx, id)
}

// refetchTimeout bounds one call of Refetch: large documents take their time.
const refetchTimeout = 5 * time.Minute

// expel takes a document that could not be opened out of the table: the next
// use reads what is on disk then.
func (r *Repo) expel(id kaijutsu.DocumentID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if d := r.docs[id]; d != nil && d.unusable.Load() {
		r.removeLocked(d)
		d.stop()
	}
}

// bringOps is how many operations are decoded at a time when what can be read
// of a document is brought back, unless one change has more.
const bringOps = 200_000

// bringBack gives the document what could be read of it. What depends on changes
// that could not be read waits for them, in memory.
func (r *Repo) bringBack(ctx context.Context, id kaijutsu.DocumentID, aside store.Aside) error {
	in := Delivery{Node: r.cfg.Store.StorageID(), Anchor: aside.Anchor, Signers: make(map[kaijutsu.ActorID]Signer)}
	for _, a := range aside.Actors {
		in.Signers[a.ID] = Signer{By: a.Principal, Via: a.Via}
	}
	raws := readable(aside)
	if aside.Base != nil {
		if len(aside.Changes) == 0 || aside.Changes[0].Index != 0 {
			return nil // nothing of it can be read without its beginning
		}
		in.Base = aside.Base
	}
	for len(raws) > 0 {
		in.Changes = in.Changes[:0:0]
		ops := 0
		for len(raws) > 0 {
			if ops += amfile.CountOps(raws[0]); ops > bringOps && len(in.Changes) > 0 {
				break
			}
			if c, err := amfile.DecodeChange(raws[0]); err == nil {
				in.Changes = append(in.Changes, c)
			}
			raws = raws[1:]
		}
		_, err := r.Absorb(ctx, id, in)
		switch {
		case errors.Is(err, kaijutsu.ErrInvalid), errors.Is(err, kaijutsu.ErrConflict), errors.Is(err, kaijutsu.ErrTooLarge):
			r.log.Warn("change of a damaged document not taken", "document", id, "err", err)
		case err != nil:
			return err
		}
		in.Base = nil
	}
	return nil
}

// readable returns the changes that can be read of a document, in the order of
// its log.
func readable(aside store.Aside) [][]byte {
	var raws [][]byte
	if aside.Snapshot != nil {
		if changes, err := amfile.DecodeDocument(aside.Snapshot.Chunk); err == nil {
			for _, c := range changes {
				raws = append(raws, c.Raw)
			}
		}
	}
	for _, c := range aside.Changes {
		if aside.Snapshot == nil || c.Index >= aside.Snapshot.Covers {
			raws = append(raws, c.Raw)
		}
	}
	return raws
}

// timesOf returns since when each actor is known.
func timesOf(actors []store.Actor) map[kaijutsu.ActorID]time.Time {
	at := make(map[kaijutsu.ActorID]time.Time, len(actors))
	for _, a := range actors {
		at[a.ID] = a.At
	}
	return at
}
