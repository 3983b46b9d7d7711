package repo

import (
	"context"
	"slices"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/store"
)

// signer is who an actor is, and through whom it came; zero when it came
// itself.
type signer struct{ by, via kaijutsu.Principal }

// signerOf returns who the actors of a peer's changes are: those of a service
// are somebody's, but whose is not known.
func signerOf(p kaijutsu.Principal) signer {
	if p.Kind == kaijutsu.Service {
		return signer{via: p}
	}
	return signer{by: p}
}

// is reports whether a peer is who an actor is.
func (s signer) is(peer signer) bool {
	if peer.by.IsZero() {
		return s == peer
	}
	return s.by == peer.by
}

// relayed returns who an actor is when somebody else brings a change of its: it
// is the same principal's, and came through them. That may be a peer that
// passes on what it was given, or one that forges; who reads can tell that it
// was not the principal's own connection.
func (s signer) relayed(peer signer) signer {
	if s.by.IsZero() || !s.via.IsZero() || s.is(peer) {
		return s
	}
	s.via = peer.by
	if s.via.IsZero() {
		s.via = peer.via
	}
	return s
}

// stage notes a change that the graph has taken, for the next commit, and lets
// the read model follow: later edits of the batch build on it.
func (d *document) stage(c *amfile.Change, by signer) {
	st := d.st
	st.changes = append(st.changes, c)
	actor := c.Author()
	known, ok := d.actors[actor]
	if ok {
		by = known.relayed(by)
	}
	if !ok || by != known {
		if ok {
			st.rebound(actor, known)
		}
		d.actors[actor] = by
		st.actors = append(st.actors, store.Actor{ID: actor, Principal: by.by, Via: by.via, At: d.repo.cfg.Now().UTC()})
	}
	if d.model == nil {
		st.all = true
		return
	}
	st.deltas = append(st.deltas, Delta{d.model.Apply(c), by.by, by.via})
}

// rebound notes who an actor was before the batch, if it was anybody.
func (st *staged) rebound(actor kaijutsu.ActorID, was signer) {
	if slices.ContainsFunc(st.actors, func(a store.Actor) bool { return a.ID == actor }) {
		return
	}
	if st.were == nil {
		st.were = make(map[kaijutsu.ActorID]signer)
	}
	st.were[actor] = was
}

// commit puts what is staged on disk and then makes it visible; or, when the
// disk refuses, forgets it and tells those who brought it.
func (d *document) commit(st *staged) {
	if len(st.changes) == 0 {
		st.answer(nil)
		return
	}
	w := store.Write{
		Doc: d.id, Heads: d.graph.Heads(), Anchor: st.anchor,
		Actors: st.actors, Changes: make([]store.Change, len(st.changes)),
	}
	for i := range w.Changes {
		w.Changes[i] = store.Change{Index: uint64(st.from - d.before + i), Hash: st.changes[i].Hash, Raw: st.changes[i].Raw}
	}
	if _, err := d.repo.cfg.Store.Commit(context.Background(), w); err != nil {
		d.rollback(st, storeError(err))
		return
	}
	d.headsAt = d.repo.cfg.Now()
	for _, c := range st.changes {
		d.tailBytes += len(c.Raw)
	}
	d.show(st)
	st.answer(nil)
	d.measure()
	d.maybeSnapshot()
}

// rollback forgets what the disk refused. The peers that sent it keep it and
// send it again when they reconnect.
func (d *document) rollback(st *staged, err error) {
	d.repo.log.Error("changes not stored", "document", d.id, "changes", len(st.changes), "err", err)
	d.forget(st, 0, 0)
	d.measure()
	for s := range st.receivers {
		d.refuse(s, err)
	}
	st.answer(err)
}

// show makes durable changes visible: peers and watchers are woken.
func (d *document) show(st *staged) {
	d.tell(st)
	for w := range d.watches {
		w.note(st.deltas)
	}
	for s := range d.sessions {
		s.wants, s.unavailable = false, false
		s.who.Notify()
	}
}

// answer replies to the edits of the batch.
func (st *staged) answer(err error) {
	for _, reply := range st.replies {
		reply <- err
	}
}
