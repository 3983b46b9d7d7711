package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/dgraph-io/badger/v4/table"

	"kaijutsu"
)

// ScrubOptions say how to scrub. The zero value reads everything as fast as it
// goes.
type ScrubOptions struct {
	// Verify reads a document and compares its changes with their hashes and
	// heads. Its error wraps ErrDamaged when they differ. Default: only the
	// checksums and counts of its rows are compared, by Load.
	Verify func(context.Context, kaijutsu.DocumentID) error
	// BytesPerSecond is how much is read in a second; default: no limit.
	BytesPerSecond int64
	// Progress is told how far it is, after every table and document. It must
	// return at once. Default: nobody is told; Stats tells too.
	Progress func(ScrubProgress)
}

// ScrubProgress is how far a scrub is.
type ScrubProgress struct {
	Began                    time.Time
	Tables, TablesDone       int
	Documents, DocumentsDone uint64
	Bytes                    int64 // read from tables, and of documents
	Damaged                  int   // tables and documents, records and outbox entries
}

// ScrubReport is what a scrub found.
type ScrubReport struct {
	ScrubProgress
	Ended    time.Time
	Records  uint64   // that were read
	Outbox   uint64   // entries that were read
	Damage   []Damage // documents
	Problems []string // what else is damaged: tables, records, counts
}

// maxProblems bounds the list in a report.
const maxProblems = 1000

// ErrScrubbing says that a scrub is under way already.
var ErrScrubbing = fmt.Errorf("a scrub is under way: %w", kaijutsu.ErrConflict)

// Scrub reads everything: every block of every table, every record and outbox
// entry, and every document, and compares checksums, counts and what
// o.Verify compares. What is damaged is listed in the report and by Damaged; a
// damaged table is replaced as described in the package comment. Documents that
// come or go meanwhile are not missed. It returns ErrScrubbing when another is
// under way, and an error when it could not be finished; finding damage is none.
func (s *Store) Scrub(ctx context.Context, o ScrubOptions) (ScrubReport, error) {
	run := scrubbing{s: s, o: o, report: ScrubReport{ScrubProgress: ScrubProgress{Began: time.Now().UTC()}}}
	if !s.scrubs.begin(run.report.ScrubProgress) {
		return ScrubReport{}, ErrScrubbing
	}
	err := run.all(ctx)
	if err != nil {
		s.scrubs.end(nil)
		return run.report, fmt.Errorf("scrub store %s: %w", s.dir, err)
	}
	run.report.Ended = time.Now().UTC()
	s.scrubs.end(&run.report)
	if err := s.putRecord(ctx, scrubRecord, run.report.encode()); err != nil {
		s.log.Warn("scrub not noted", "err", err) // it was done all the same
	}
	return run.report, nil
}

// scrubs is what is known of scrubs.
type scrubs struct {
	mu   sync.Mutex
	now  *ScrubProgress // nil: none is under way
	last LastScrub
}

// LastScrub is the last scrub that was finished, zero when there was none.
type LastScrub struct {
	Ended     time.Time
	Took      time.Duration
	Documents uint64
	Bytes     int64
	Damaged   int
}

func (s *scrubs) begin(p ScrubProgress) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now != nil {
		return false
	}
	s.now = &p
	return true
}

func (s *scrubs) note(p ScrubProgress) {
	s.mu.Lock()
	s.now = &p
	s.mu.Unlock()
}

func (s *scrubs) end(r *ScrubReport) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = nil
	if r != nil {
		s.last = r.last()
	}
}

// Scrubbing returns how far the scrub is that is under way, nil when none is.
func (s *Store) Scrubbing() *ScrubProgress {
	s.scrubs.mu.Lock()
	defer s.scrubs.mu.Unlock()
	if s.scrubs.now == nil {
		return nil
	}
	now := *s.scrubs.now
	return &now
}

// LastScrub returns the last scrub that was finished, also before a restart.
func (s *Store) LastScrub() LastScrub {
	s.scrubs.mu.Lock()
	defer s.scrubs.mu.Unlock()
	return s.scrubs.last
}

// scrubRecord is where the store notes its last scrub.
const scrubRecord = ownRecords + "scrubbed"

func (r *ScrubReport) last() LastScrub {
	return LastScrub{Ended: r.Ended, Took: r.Ended.Sub(r.Began), Documents: r.DocumentsDone, Bytes: r.Bytes, Damaged: r.Damaged}
}

func (r *ScrubReport) encode() []byte {
	var e encoder
	e.int(r.Ended.Unix())
	e.int(int64(r.Ended.Sub(r.Began)))
	e.uint(r.DocumentsDone)
	e.uint(uint64(r.Bytes))
	e.uint(uint64(r.Damaged))
	return e.b
}

// recallScrub reads the note of the last scrub; without one there was none.
func (s *Store) recallScrub() {
	b, err := s.Record(scrubRecord)
	if err != nil {
		return
	}
	d := decoder{b: b}
	last := LastScrub{Ended: time.Unix(d.int(), 0).UTC(), Took: time.Duration(d.int()), Documents: d.uint(), Bytes: int64(d.uint()), Damaged: int(d.uint())}
	if d.broken {
		return
	}
	s.scrubs.mu.Lock()
	s.scrubs.last = last
	s.scrubs.mu.Unlock()
}

// scrubbing is a scrub that is under way.
type scrubbing struct {
	s      *Store
	o      ScrubOptions
	report ScrubReport
	owed   int64 // bytes that were read and not waited for
}

func (r *scrubbing) all(ctx context.Context) error {
	for _, step := range []func(context.Context) error{r.tables, r.records, r.outbox, r.documents} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (r *scrubbing) tell() {
	r.s.scrubs.note(r.report.ScrubProgress)
	if r.o.Progress != nil {
		r.o.Progress(r.report.ScrubProgress)
	}
}

// read counts bytes that were read, and waits so that they are not too many in
// a second.
func (r *scrubbing) read(ctx context.Context, n int64) error {
	r.report.Bytes += n
	if r.o.BytesPerSecond <= 0 {
		return ctx.Err()
	}
	if r.owed += n; r.owed < r.o.BytesPerSecond/64 {
		return ctx.Err()
	}
	timer := time.NewTimer(time.Duration(float64(r.owed) / float64(r.o.BytesPerSecond) * float64(time.Second)))
	defer timer.Stop()
	r.owed = 0
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-r.s.stop:
		return errClosed
	}
}

func (r *scrubbing) problem(format string, args ...any) {
	r.report.Damaged++
	if len(r.report.Problems) < maxProblems {
		r.report.Problems = append(r.report.Problems, oneLine(fmt.Sprintf(format, args...)))
	}
}

func (r *scrubbing) tables(ctx context.Context) error {
	var ids []uint64
	err := r.s.view(func(v view) error {
		for _, t := range v.s.db.Tables() {
			ids = append(ids, t.ID)
		}
		return nil
	})
	r.report.Tables = len(ids)
	for _, id := range ids {
		if err != nil {
			return err
		}
		var stopped error
		damage := checkListed(r.s.databaseDir(), id, func(n int) error {
			stopped = r.read(ctx, int64(n))
			return stopped
		})
		switch {
		case stopped != nil:
			return stopped
		case errors.Is(damage, errCompacted):
		case damage != nil:
			damage = fmt.Errorf("table %s is damaged: %w", table.IDToFilename(id), damage)
			r.problem("%v", damage)
			r.s.foundDamage(id, damage)
		}
		r.report.TablesDone++
		r.tell()
	}
	return err
}

func (r *scrubbing) records(ctx context.Context) error {
	for name, err := range r.s.Records("") {
		if err == nil {
			var value []byte
			if value, err = r.s.Record(name); err == nil {
				r.report.Records++
				if err := r.read(ctx, int64(len(value))); err != nil {
					return err
				}
			}
		}
		if err := r.judge(err); err != nil {
			return err
		}
	}
	return nil
}

func (r *scrubbing) outbox(ctx context.Context) error {
	for entry, err := range r.s.Outbox(0) {
		if err != nil {
			return r.judge(err)
		}
		r.report.Outbox++
		if err := r.read(ctx, int64(len(entry.Value))); err != nil {
			return err
		}
	}
	return nil
}

// judge notes damage and returns other errors.
func (r *scrubbing) judge(err error) error {
	switch {
	case err == nil, errors.Is(err, kaijutsu.ErrNotFound): // gone meanwhile
		return nil
	case errors.Is(err, ErrDamaged):
		r.problem("%v", err)
		return nil
	}
	return err
}

func (r *scrubbing) documents(ctx context.Context) error {
	r.report.Documents = r.s.durable.Load().documents
	for doc, err := range r.s.Documents() {
		if err != nil {
			if err := r.judge(err); err != nil {
				return err
			}
			break
		}
		if err := r.document(ctx, doc); err != nil {
			return err
		}
		r.report.DocumentsDone++
		r.report.Documents = max(r.report.Documents, r.report.DocumentsDone)
		r.tell()
	}
	return nil
}

func (r *scrubbing) document(ctx context.Context, doc kaijutsu.DocumentID) error {
	var size int64
	if info, err := r.s.Info(ctx, doc); err == nil {
		size = int64(info.Bytes)
	}
	verify := r.o.Verify
	if verify == nil {
		verify = func(ctx context.Context, doc kaijutsu.DocumentID) error {
			_, err := r.s.Load(ctx, doc)
			return err
		}
	}
	err := verify(ctx, doc)
	switch {
	case err == nil:
		if r.o.Verify != nil {
			r.s.NoteSound(doc)
		}
	case errors.Is(err, kaijutsu.ErrNotFound): // deleted meanwhile
	case errors.Is(err, ErrDamaged):
		if r.s.NoteDamage(doc, err) {
			r.s.log.Error("document is damaged", "document", doc, "err", err)
		}
		r.report.Damaged++
		r.report.Damage = append(r.report.Damage, Damage{Doc: doc, Why: oneLine(err.Error()), Since: time.Now().UTC()})
	default:
		return fmt.Errorf("document %s: %w", doc, err)
	}
	return r.read(ctx, size)
}
