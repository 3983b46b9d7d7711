package repo

import (
	"context"
	"maps"
	"slices"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/planted"
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

// confirmed returns who an actor is when another node says who it is. What is
// known here stands, but for what is not known and that it came through others.
func (s signer) confirmed(there signer) signer {
	if s.by == there.by && s.via.IsZero() {
		return there
	}
	return s
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
func (d *document) stage(c *amfile.Change, by signer, remote bool) {
	st := d.st
	actor := c.Author()
	known, ok := d.actors[actor]
	switch {
	case ok && remote:
		by = known.confirmed(by)
	case ok:
		by = known.relayed(by)
	}
	if by != known {
		if ok {
			st.rebound(actor, known)
		} else {
			d.countActor(by)
		}
		d.actors[actor] = by
		st.actors = append(st.actors, store.Actor{ID: actor, Principal: by.by, Via: by.via, At: d.repo.cfg.Now().UTC()})
	}
	st.count(remote)
	kept := slim(c)
	kept.Raw = d.graph.Raw(d.graph.Len() - 1) // and not the message that it came in
	staged := Change{Change: kept, By: by.by, Via: by.via, Remote: remote}
	defer func() { st.changes = append(st.changes, staged) }()
	if d.model == nil || len(st.changes) > 0 && planted.On("stale-model") {
		st.all = true
		return
	}
	d.repo.troubled(c, &d.task.stop)
	var delta blocks.Delta
	if st.trace {
		delta, staged.Steps = d.model.Trace(c)
		staged.Heads = d.graph.Heads()
		if !st.traced(stepsBytes(staged.Steps)) {
			staged = staged.Bare()
		}
	} else {
		delta = d.model.Apply(c)
	}
	st.deltas = append(st.deltas, Delta{delta, by.by, by.via})
}

// run is a stretch of staged changes that get one entry of the journal.
type run struct {
	at     int // number of the first of them in staged.changes
	remote bool
}

// maxRuns is how many entries one commit may have. What comes behind counts as
// local: then it is told to nodes that have it, which does no harm.
const maxRuns = 512

// count adds one change to the runs.
func (st *staged) count(remote bool) {
	if n := len(st.runs); n == 0 || n < maxRuns && st.runs[n-1].remote != remote {
		st.runs = append(st.runs, run{len(st.changes), remote})
	} else if n == maxRuns && st.runs[n-1].remote != remote {
		st.runs[n-1].remote = false
	}
}

// end returns the number behind the last change of run k.
func (st *staged) end(k int) int {
	if k+1 < len(st.runs) {
		return st.runs[k+1].at
	}
	return len(st.changes)
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
		Doc: d.id, Heads: d.graph.Heads(), Base: d.newBase, Anchor: st.anchor,
		Actors: st.actors, Changes: make([]store.Change, len(st.changes)), Outbox: make([][]byte, len(st.runs)),
	}
	for i := range w.Changes {
		w.Changes[i] = store.Change{Index: uint64(st.from - d.before + i), Hash: st.changes[i].Hash, Raw: st.changes[i].Raw}
	}
	for k, r := range st.runs {
		e := Entry{Doc: d.id, From: uint64(st.from + r.at), N: uint64(st.end(k) - r.at), Remote: r.remote}
		w.Outbox[k] = e.encode()
	}
	if !d.task.commits() {
		panic(errGivenUp)
	}
	stored, err := d.repo.cfg.Store.Commit(context.Background(), w)
	d.task.begin(unit{what: onMessage})
	if err != nil {
		d.rollback(st, storeError(err))
		return
	}
	st.seq, st.base, d.newBase = stored.FirstOutbox, d.newBase, nil
	d.headsAt = d.repo.cfg.Now()
	for _, c := range st.changes {
		d.tailBytes += len(c.Raw)
	}
	d.measured(st)
	_ = d.repo.guarded(d.id, "telling", func() error { d.show(st); return nil }) // it is on disk
	st.answer(nil)
	d.measure()
	d.maybeSnapshot(len(st.absorbed) > 0 || d.bulk)
	d.awaitQuiet()
}

// rollback forgets what the disk refused. The peers that sent it keep it and
// send it again when they reconnect.
func (d *document) rollback(st *staged, err error) {
	d.repo.log.Error("changes not stored", "document", d.id, "changes", len(st.changes), "err", err)
	if !planted.On("rollback-forgotten") {
		d.forget(st, 0, 0)
	}
	d.forgetBase()
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
		d.stir(s)
	}
}

// answer replies to the edits of the batch.
func (st *staged) answer(err error) {
	for _, reply := range st.replies {
		reply <- err
	}
	for _, a := range st.absorbed {
		a.answer(err)
	}
}

// tell tells whoever wants to know what is on disk now, each run apart.
func (d *document) tell(st *staged) {
	told := d.repo.cfg.Committed
	if told == nil {
		return
	}
	before := st.before
	for k, r := range st.runs {
		end := st.end(k)
		c := Committed{
			Doc: d.id, Before: before, Heads: d.graph.Heads(), From: uint64(st.from + r.at), Version: uint64(st.from + end),
			Seq: st.seq + uint64(k), Changes: st.changes[r.at:end:end], Traced: st.trace && !st.all, All: st.all,
		}
		if end < len(st.changes) {
			c.Heads = headsAfter(before, c.Changes)
		}
		if !st.all {
			c.Deltas = st.deltas[r.at:end:end]
		}
		if k == 0 {
			c.Base = st.base
		}
		if st.anchor != (kaijutsu.ChangeHash{}) && slices.ContainsFunc(c.Changes, func(c Change) bool { return c.Hash == st.anchor }) {
			c.Anchor = st.anchor
		}
		told(c)
		before = c.Heads
	}
}

// headsAfter returns the heads of a document that had these and got changes.
func headsAfter(heads kaijutsu.Heads, changes []Change) kaijutsu.Heads {
	open := make(map[kaijutsu.ChangeHash]struct{}, len(heads)+1)
	for _, h := range heads {
		open[h] = struct{}{}
	}
	for _, c := range changes {
		for _, dep := range c.Deps {
			delete(open, dep)
		}
		open[c.Hash] = struct{}{}
	}
	return kaijutsu.NewHeads(slices.Collect(maps.Keys(open))...)
}
