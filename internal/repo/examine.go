package repo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"kaijutsu"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/examine"
	"kaijutsu/internal/quarantine"
	"kaijutsu/internal/store"
)

// Examiner does with a document, in a process of its own, what would be done
// with it here.
type Examiner interface {
	Examine(context.Context, examine.Job) (examine.Report, error)
}

// suspects are documents that were being worked on when the last process died,
// and the changes that were then on their way in.
type suspects struct {
	mu      sync.Mutex
	docs    map[kaijutsu.DocumentID]bool                             // not examined yet; guarded by mu
	changes map[kaijutsu.DocumentID]map[kaijutsu.ChangeHash]struct{} // guarded by mu
	turn    chan struct{}                                            // a token: one examination at a time
}

// suspect takes in what the marks say.
func (r *Repo) suspect(found []marked) {
	s := &r.suspects
	s.turn = make(chan struct{}, 1)
	s.docs = make(map[kaijutsu.DocumentID]bool)
	s.changes = make(map[kaijutsu.DocumentID]map[kaijutsu.ChangeHash]struct{})
	for _, m := range found {
		s.docs[m.doc] = true
		if s.changes[m.doc] == nil {
			s.changes[m.doc] = make(map[kaijutsu.ChangeHash]struct{})
		}
		for _, h := range m.changes {
			s.changes[m.doc][h] = struct{}{}
		}
	}
}

// takeDoc reports whether a document is yet to be examined, and that it is being
// from now on.
func (s *suspects) takeDoc(id kaijutsu.DocumentID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	is := s.docs[id]
	delete(s.docs, id)
	return is
}

// has reports whether a document is yet to be examined.
func (s *suspects) has(id kaijutsu.DocumentID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.docs[id]
}

// among returns those of the changes that are suspected.
func (s *suspects) among(id kaijutsu.DocumentID, changes []*amfile.Change) []*amfile.Change {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.changes[id]
	if len(of) == 0 {
		return nil
	}
	var out []*amfile.Change
	for _, c := range changes {
		if _, is := of[c.Hash]; is {
			out = append(out, c)
		}
	}
	return out
}

func (s *suspects) clear(id kaijutsu.DocumentID, changes []*amfile.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range changes {
		delete(s.changes[id], c.Hash)
	}
	if len(s.changes[id]) == 0 {
		delete(s.changes, id)
	}
}

// Examine examines a document as it is on disk, with these changes behind it.
// The error wraps kaijutsu.ErrUnavailable when that cannot be done, ErrNotFound
// when there is no such document, and is of the store when that cannot read it.
func (r *Repo) Examine(ctx context.Context, id kaijutsu.DocumentID, new ...[]byte) (examine.Report, error) {
	if r.cfg.Examiner == nil {
		return examine.Report{}, fmt.Errorf("examine document %s: there is no examiner: %w", id, kaijutsu.ErrUnavailable)
	}
	job, err := JobOf(ctx, r.cfg.Store, id, new...)
	if err != nil {
		return examine.Report{}, err
	}
	select {
	case r.suspects.turn <- struct{}{}:
		defer func() { <-r.suspects.turn }()
	case <-ctx.Done():
		return examine.Report{}, ctx.Err()
	}
	return r.cfg.Examiner.Examine(ctx, job)
}

// JobOf reads what is to be examined of a document from the store.
func JobOf(ctx context.Context, s *store.Store, id kaijutsu.DocumentID, new ...[]byte) (examine.Job, error) {
	job := examine.Job{New: new}
	var upto kaijutsu.Heads
	for next := &id; next != nil; {
		doc, err := s.Load(ctx, *next)
		if err != nil {
			return examine.Job{}, fmt.Errorf("examine document %s: %w", id, err)
		}
		l := examine.Layer{Upto: upto}
		if doc.Snapshot != nil {
			l.Snapshot = doc.Snapshot.Chunk
		}
		for _, c := range doc.Changes {
			l.Changes = append(l.Changes, c.Raw)
		}
		job.Layers = append(job.Layers, l)
		next = nil
		if doc.Base != nil {
			next, upto = &doc.Base.Doc, doc.Base.Heads
		}
	}
	slices.Reverse(job.Layers)
	return job, nil
}

// examineFirst has a document examined that was being worked on when the last
// process died, or that could not be opened, before it is opened. It returns
// why it is not to be opened.
func (d *document) examineFirst() error {
	r := d.repo
	e, closed := r.cfg.Quarantine.Entry(d.id, kaijutsu.ChangeHash{})
	closed = closed && e.Closed
	suspected := r.suspects.takeDoc(d.id)
	if !suspected && !closed {
		return nil
	}
	if r.cfg.Examiner == nil || closed && !suspected {
		if closed {
			return readOnlyError(e)
		}
		return nil
	}
	d.task.begin(unit{what: onDisk}) // the examiner has limits of its own
	report, err := r.Examine(r.life, d.id)
	d.task.begin(unit{what: onOpening})
	if err != nil {
		if !errors.Is(err, kaijutsu.ErrNotFound) {
			r.log.Error("document not examined", "document", d.id, "err", err)
		}
		return nil // as it was before there was an examiner
	}
	r.settle(d.id, report)
	if e, is := r.cfg.Quarantine.Entry(d.id, kaijutsu.ChangeHash{}); is && e.Closed {
		return readOnlyError(e)
	}
	return nil
}

// settle puts a document into quarantine, or takes it out, by what its
// examination found.
func (r *Repo) settle(id kaijutsu.DocumentID, report examine.Report) {
	if report.Sound || report.New {
		r.absolve(id)
		return
	}
	r.log.Error("document does not stand its examination", "document", id, "what", report.Phase, "change", report.Change, "kind", report.Kind, "err", report.Why)
	if !report.Served {
		r.pinClosed(id, report.Kind, report.Why)
		return
	}
	if e, is := r.cfg.Quarantine.Entry(id, kaijutsu.ChangeHash{}); is && e.Closed {
		r.free(id, e.Change)
	}
	r.pin(r.life, id, unit{change: report.Change}, report.Kind, report.Why, true)
}

// absolve takes out of quarantine what made a document read-only.
func (r *Repo) absolve(id kaijutsu.DocumentID) {
	for {
		e, is := r.cfg.Quarantine.ReadOnly(id)
		if !is || !r.free(id, e.Change) {
			return
		}
		r.log.Info("document is out of quarantine: its examination went well", "document", id)
	}
}

func (r *Repo) free(id kaijutsu.DocumentID, change kaijutsu.ChangeHash) bool {
	err := r.cfg.Quarantine.Release(r.life, id, change)
	if err != nil && !errors.Is(err, kaijutsu.ErrNotFound) {
		r.log.Error("quarantine entry not deleted", "document", id, "change", change, "err", err)
	}
	return err == nil
}

// pinClosed notes that a document cannot even be opened.
func (r *Repo) pinClosed(id kaijutsu.DocumentID, kind, why string) {
	e := quarantine.Entry{Document: id, At: r.cfg.Now().UTC(), Kind: kind, Why: why, ReadOnly: true, Closed: true}
	r.log.Error("document put into quarantine: it cannot be opened", "document", id, "kind", kind, "err", why)
	if err := r.cfg.Quarantine.Add(r.life, e, nil); err != nil {
		r.log.Error("quarantine holds until the process ends", "document", id, "err", err)
	}
	if r.cfg.Quarantined != nil {
		r.cfg.Quarantined(e)
	}
}

// ExamineAll examines every document that is read-only, and those that were being
// worked on when the last process died, one after the other; those that stand it
// are read-only no more. It returns when it has been through, or ctx ends.
func (r *Repo) ExamineAll(ctx context.Context) error {
	if r.cfg.Examiner == nil {
		return nil
	}
	docs := make(map[kaijutsu.DocumentID]bool)
	for _, e := range r.cfg.Quarantine.Entries() {
		if e.ReadOnly {
			docs[e.Document] = true
		}
	}
	r.suspects.mu.Lock()
	for id := range r.suspects.docs {
		docs[id] = true
	}
	r.suspects.mu.Unlock()
	var errs []error
	for id := range docs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.suspects.takeDoc(id)
		report, err := r.Examine(ctx, id)
		if err == nil {
			r.settle(id, report)
			err = r.Reopen(ctx, id)
		}
		if err != nil && !errors.Is(err, kaijutsu.ErrNotFound) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// probe examines changes that were on their way in when the last process died,
// before they are worked on again. Who brings them waits; nobody else does.
func (r *Repo) probe(ctx context.Context, id kaijutsu.DocumentID, by kaijutsu.Principal, changes []*amfile.Change) {
	if r.cfg.Examiner == nil {
		return
	}
	suspected := r.suspects.among(id, changes)
	for _, c := range suspected {
		report, err := r.Examine(ctx, id, c.Raw)
		if errors.Is(err, kaijutsu.ErrNotFound) { // the document died with the process
			report, err = r.cfg.Examiner.Examine(ctx, examine.Job{Layers: []examine.Layer{{}}, New: [][]byte{c.Raw}})
		}
		switch {
		case err != nil:
			r.log.Error("change not examined", "document", id, "change", c.Hash, "err", err)
		case report.New:
			r.pin(ctx, id, unit{change: c.Hash, raw: c.Raw, by: by}, report.Kind, report.Why, false)
		}
	}
	r.suspects.clear(id, suspected)
}
