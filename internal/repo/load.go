package repo

import (
	"context"
	"errors"
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/changegraph"
	"kaijutsu/internal/guard"
	"kaijutsu/internal/halt"
	"kaijutsu/internal/planted"
	"kaijutsu/internal/store"
)

// ErrDeleted says that a document was deleted for good.
var ErrDeleted = store.ErrDeleted

// open fills the graph from the store. An unknown document is empty; one that
// was deleted or cannot be read is failed, and answers everything with the
// reason.
func (d *document) open() {
	d.task.begin(unit{what: onOpening})
	err := d.examineFirst()
	if err == nil {
		err = d.repo.guarded(d.id, "opening", d.load)
	}
	if failed, ok := err.(*guard.Failure); ok {
		kind, why := kindOf(failed)
		d.repo.pinClosed(d.id, kind, why)
		d.blank()
		err = d.explain(err)
	}
	switch {
	case errors.Is(err, ErrDeleted):
		d.failed = fmt.Errorf("open document %s: %w", d.id, ErrDeleted)
	case err != nil:
		d.failed = fmt.Errorf("open document %s: %w", d.id, err)
		if !d.repo.damaged(err) {
			d.repo.log.Error("document cannot be opened", "document", d.id, "err", err)
		}
	}
	if d.failed == nil {
		d.checkReadOnly()
	}
	d.unusable.Store(d.failed != nil)
	d.measure()
}

func (d *document) load() error {
	f, err := d.repo.fill(d.id, &d.task.stop, d.quit)
	if errors.Is(err, errBaseGone) { // it was made whole between two reads
		f, err = d.repo.fill(d.id, &d.task.stop, d.quit)
	}
	if errors.Is(err, kaijutsu.ErrNotFound) && !errors.Is(err, ErrDeleted) {
		return nil
	}
	if err != nil {
		return err
	}
	d.take(f)
	if d.base != nil && d.depth >= maxDepth {
		d.maybeSnapshot(false)
	}
	return nil
}

// fill reads a document, in its turn, until stop is set. It does not begin when
// quit is closed first.
func (r *Repo) fill(id kaijutsu.DocumentID, stop *halt.Flag, quit <-chan struct{}) (*filling, error) {
	f := newFilling()
	f.stop = stop
	release, err := r.takeApart(quit)
	if err != nil {
		return nil, err
	}
	defer release()
	return f, f.read(r.cfg.Store, id)
}

// take makes what was read the document's.
func (d *document) take(f *filling) {
	d.hooks(f.graph)
	d.graph, d.actors = f.graph, f.actors
	d.base, d.baseActors, d.before, d.depth = f.base, f.baseActors, f.before, f.depth
	d.covered, d.coveredBytes, d.tailBytes = f.covered, f.coveredBytes, f.tailBytes
	d.headsAt = d.repo.cfg.Now()
}

// takeApart waits until one more document may be taken apart: decoded, it takes
// many times its size.
func (r *Repo) takeApart(quit <-chan struct{}) (release func(), err error) {
	select {
	case r.loading <- struct{}{}:
		return func() { <-r.loading }, nil
	case <-quit:
		return nil, ErrClosed
	}
}

// filling is a document on its way from the store into memory.
type filling struct {
	stop   *halt.Flag
	graph  *changegraph.Graph
	actors map[kaijutsu.ActorID]signer
	rows   []store.Actor // of actors, as stored

	base       *store.Base   // what it rests on; nil: nothing
	baseActors []store.Actor // whose changes are in the base
	before     int           // changes before its own log
	depth      int           // documents below the base, and the base

	covered, coveredBytes int // in the snapshot, or in the base
	tailBytes             int // of the changes behind it
}

func newFilling() *filling {
	return &filling{graph: changegraph.New(), actors: make(map[kaijutsu.ActorID]signer)}
}

// readRows fills in a document, from the bottom of what it rests on.
func (f *filling) readRows(s *store.Store, id kaijutsu.DocumentID) error {
	doc, err := s.Load(context.Background(), id)
	if err != nil {
		return err
	}
	if doc.Base != nil {
		if err := f.rest(s, doc.Base.Doc, doc.Base.Heads); err != nil {
			return err
		}
		if got := *f.base; got.Changes != doc.Base.Changes || !got.Heads.Equal(doc.Base.Heads) {
			return fmt.Errorf("base %s: it holds %d changes up to %v, the store says %d up to %v: %w", got.Doc, got.Changes, got.Heads, doc.Base.Changes, doc.Base.Heads, store.ErrDamaged)
		}
	}
	f.before = int(doc.Before)
	if err := f.readSnapshot(doc); err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	if n := len(doc.Changes); n > 0 && planted.On("lost-tail") {
		doc.Changes = doc.Changes[:n-1]
	}
	for _, c := range doc.Changes {
		f.stop.Check()
		if err := f.graph.Restore(c.Raw); err != nil {
			return fmt.Errorf("change %d: %w", c.Index, err)
		}
		f.tailBytes += len(c.Raw)
	}
	if got := f.graph.Heads(); !got.Equal(doc.Heads) && !planted.On("lost-tail") {
		return fmt.Errorf("heads are %v, the store says %v: %w", got, doc.Heads, store.ErrDamaged)
	}
	for _, a := range doc.Actors {
		f.note(a)
	}
	return f.anchor(doc.Anchor)
}

func (f *filling) note(a store.Actor) {
	f.actors[a.ID] = signer{a.Principal, a.Via}
	f.rows = append(f.rows, a)
}

func (f *filling) readSnapshot(doc store.Document) error {
	if doc.Snapshot == nil {
		return nil
	}
	changes, err := amfile.DecodeDocument(doc.Snapshot.Chunk)
	if err != nil {
		return err
	}
	if want := doc.Snapshot.Covers + doc.Before; uint64(len(changes)) != want {
		return fmt.Errorf("it holds %d changes, the store says %d: %w", len(changes), want, store.ErrDamaged)
	}
	for _, c := range changes {
		f.stop.Check()
		if err := f.graph.RestoreChange(c); err != nil {
			return err
		}
		f.coveredBytes += len(c.Raw)
	}
	f.covered = len(changes)
	f.graph.SetSnapshot(doc.Snapshot.Chunk, f.covered)
	return nil
}

func (f *filling) anchor(h kaijutsu.ChangeHash) error {
	if h == (kaijutsu.ChangeHash{}) {
		return nil
	}
	i, ok := f.graph.Index(h)
	if !ok {
		return fmt.Errorf("its anchor %v is missing: %w", h, store.ErrDamaged)
	}
	f.graph.SetAnchor(i)
	return nil
}

// errBaseGone says that what a document rests on is not there.
var errBaseGone = errors.New("the document that it rests on is gone; restore a backup")

// rest fills in the changes of another document at and behind these heads.
func (f *filling) rest(s *store.Store, id kaijutsu.DocumentID, heads kaijutsu.Heads) error {
	under := newFilling()
	under.stop = f.stop
	if err := under.read(s, id); err != nil {
		if errors.Is(err, kaijutsu.ErrNotFound) {
			err = errBaseGone
		}
		return fmt.Errorf("base %s: %w", id, err)
	}
	for _, h := range heads {
		if !under.graph.Has(h) {
			return unsound(id, fmt.Errorf("base %s: it holds no change %v: %w", id, h, store.ErrDamaged))
		}
	}
	here := make(map[kaijutsu.ActorID]bool)
	for i := range behind(under.graph, heads) {
		raw := under.graph.Raw(i)
		if err := f.graph.Restore(raw); err != nil {
			return fmt.Errorf("base %s: %w", id, err)
		}
		here[under.graph.Author(i)] = true
		f.coveredBytes += len(raw)
	}
	for _, a := range under.rows {
		if here[a.ID] {
			f.note(a)
		}
	}
	f.baseActors = f.rows
	f.covered, f.before = f.graph.Len(), f.graph.Len()
	f.depth = under.depth + 1
	f.base = &store.Base{Doc: id, Heads: f.graph.Heads(), Changes: uint64(f.before)}
	return nil
}
