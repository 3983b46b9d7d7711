package store

import (
	"context"
	"fmt"
	"time"

	"kaijutsu"
)

// Limits of one Write.
const (
	maxHeads       = 8192
	maxOutbox      = 1024      // entries
	maxBlobBytes   = 1 << 30   // a snapshot, or all changes of a Write
	maxInlineBytes = 128 << 10 // a Write's rows beyond this become a blob
	maxInlineRows  = 512
)

// Change is one Automerge change of a document's log.
type Change struct {
	// Index is the change's place in the log, from 0 without gaps.
	Index uint64
	Hash  kaijutsu.ChangeHash
	Raw   []byte
}

// Actor says which principal an actor of a document is, and through whom it
// came (Via, zero when it came itself), since when. One of the two is there: of
// what comes through others the principal may be unknown.
type Actor struct {
	ID        kaijutsu.ActorID
	Principal kaijutsu.Principal
	Via       kaijutsu.Principal
	At        time.Time
}

// Write is what becomes durable and visible at once.
type Write struct {
	Doc kaijutsu.DocumentID
	// Changes continue the document's log; the first makes the document.
	Changes []Change
	// Heads are the document's after the changes.
	Heads kaijutsu.Heads
	// Base makes a new document a fork.
	Base *Base
	// Anchor, one of the document's changes, is kept with it; once.
	Anchor kaijutsu.ChangeHash
	// Actors are added to those the document has.
	Actors []Actor
	// Outbox entries get ascending sequence numbers.
	Outbox [][]byte
}

// Stored says what came of a Write.
type Stored struct {
	// FirstOutbox is the number of the first of its outbox entries; the others
	// follow it. 0 when it has none.
	FirstOutbox uint64
}

func (w Write) check() error {
	if w.Doc.IsZero() {
		return fmt.Errorf("no document: %w", kaijutsu.ErrInvalid)
	}
	if len(w.Heads) > maxHeads || len(w.Outbox) > maxOutbox {
		return fmt.Errorf("%d heads and %d outbox entries, at most %d and %d: %w",
			len(w.Heads), len(w.Outbox), maxHeads, maxOutbox, kaijutsu.ErrTooLarge)
	}
	if len(w.Changes) > 0 && len(w.Heads) == 0 {
		return fmt.Errorf("changes without heads: %w", kaijutsu.ErrInvalid)
	}
	if (w.Base != nil || w.Anchor != kaijutsu.ChangeHash{}) && len(w.Changes) == 0 {
		return fmt.Errorf("a base or an anchor without changes: %w", kaijutsu.ErrInvalid)
	}
	if w.Base != nil {
		if err := w.Base.check(); err != nil {
			return err
		}
	}
	for i, c := range w.Changes {
		if c.Index != w.Changes[0].Index+uint64(i) || len(c.Raw) == 0 {
			return fmt.Errorf("change %d of %d has index %d and %d bytes: %w",
				i, len(w.Changes), c.Index, len(c.Raw), kaijutsu.ErrInvalid)
		}
	}
	for _, a := range w.Actors {
		if len(a.ID) == 0 || a.Principal.IsZero() && a.Via.IsZero() {
			return fmt.Errorf("actor %q of principal %q via %q: %w", a.ID, a.Principal, a.Via, kaijutsu.ErrInvalid)
		}
	}
	return nil
}

// Commit makes w durable: when it returns nil, all of w is on disk and every
// Load sees it; otherwise Load sees nothing of it. Writes of many goroutines
// share one fsync.
//
// ctx is heeded until the write is taken into a transaction; from then on
// Commit waits for the disk. Other errors wrap ErrConflict when the changes
// do not continue the log (another writer was there first), ErrDeleted when the
// document was deleted, ErrNotFound when its base is not there, ErrTooLarge,
// ErrInvalid, and ErrUnavailable when the disk is full, failing or the store
// is closed. Only when the disk fails in the middle of an fsync may Load find
// a write that was refused, and may a restart bring it back or not; the
// document's next Commit may use the same indexes and replaces it. The numbers
// of its outbox entries were told to nobody and are given to the next ones: those
// that Commit returns have no gaps, whatever was refused in between.
//
// Commit keeps no reference to w. It is safe for concurrent use, but two
// writers of one document race for its next index.
func (s *Store) Commit(ctx context.Context, w Write) (Stored, error) {
	stored, err := s.commit(ctx, w)
	if err != nil {
		return Stored{}, fmt.Errorf("commit to document %s: %w", w.Doc, err)
	}
	return stored, nil
}

func (s *Store) commit(ctx context.Context, w Write) (Stored, error) {
	if err := w.check(); err != nil {
		return Stored{}, err
	}
	if len(w.Changes)+len(w.Actors)+len(w.Outbox) == 0 {
		return Stored{}, ctx.Err()
	}
	p := prepared{doc: w.Doc, heads: append(kaijutsu.Heads(nil), w.Heads...), anchor: w.Anchor}
	if w.Base != nil {
		p.base = &Base{Doc: w.Base.Doc, Heads: append(kaijutsu.Heads(nil), w.Base.Heads...), Changes: w.Base.Changes}
	}
	blobs := &staging{s: s}
	defer blobs.abandon()
	if err := p.encode(ctx, blobs, w); err != nil {
		return Stored{}, err
	}
	it := &item{rows: p.rowCount() + len(blobs.rows), bytes: p.bytes + blobs.bytes}
	it.stage = func(b *batch) error {
		if err := p.stage(b); err != nil {
			return err
		}
		blobs.publish(b)
		return nil
	}
	if err := s.submit(ctx, it); err != nil {
		return Stored{}, err
	}
	blobs.keep()
	s.count.commits.Add(1)
	s.count.changes.Add(uint64(len(w.Changes)))
	s.count.bytes.Add(p.changes.bytes)
	return Stored{FirstOutbox: p.firstOutbox}, nil
}

// prepared is a Write whose rows are encoded, but for what only the committer
// knows: the next actor position and outbox number.
type prepared struct {
	doc     kaijutsu.DocumentID
	first   uint64
	heads   kaijutsu.Heads
	base    *Base
	anchor  kaijutsu.ChangeHash
	changes records
	actors  records
	outbox  []value
	bytes   int

	firstOutbox uint64 // what stage gave the first entry
}

// value is a payload with its kind, to be sealed under a key.
type value struct {
	kind    byte
	payload []byte
}

// records are consecutive entries of one of a document's logs: a row each, or
// all in one segment.
type records struct {
	n       uint64
	bytes   uint64 // of what was encoded, as the caller knows it
	values  []value
	segment bool
}

func (p *prepared) encode(ctx context.Context, blobs *staging, w Write) error {
	changes := make([][]byte, len(w.Changes))
	for i, c := range w.Changes {
		changes[i] = encodeChange(c)
		p.changes.bytes += uint64(len(c.Raw))
	}
	actors := make([][]byte, len(w.Actors))
	for i, a := range w.Actors {
		actors[i] = encodeActor(a)
	}
	if len(w.Changes) > 0 {
		p.first = w.Changes[0].Index
	}
	if err := p.changes.fill(ctx, blobs, changes); err != nil {
		return err
	}
	if err := p.actors.fill(ctx, blobs, actors); err != nil {
		return err
	}
	inline := 0
	for _, entry := range w.Outbox {
		v := value{kindInline, append([]byte(nil), entry...)}
		if inline += len(entry); inline > maxInlineBytes {
			b, err := blobs.add(ctx, entry)
			if err != nil {
				return err
			}
			v = value{kindBlob, encodeBlob(b)}
		}
		p.outbox = append(p.outbox, v)
	}
	p.bytes = 64 + 32*len(p.heads) + 256
	if p.base != nil {
		p.bytes += 64 + 32*len(p.base.Heads)
	}
	for _, values := range [][]value{p.changes.values, p.actors.values, p.outbox} {
		for _, v := range values {
			p.bytes += len(v.payload) + rowOverhead
		}
	}
	return nil
}

// fill decides between rows and a segment, and stages the segment's blob.
func (r *records) fill(ctx context.Context, blobs *staging, encoded [][]byte) error {
	r.n = uint64(len(encoded))
	size := 0
	for _, record := range encoded {
		size += len(record) + rowOverhead
	}
	if size <= maxInlineBytes && len(encoded) <= maxInlineRows {
		for _, record := range encoded {
			r.values = append(r.values, value{kindRecords, record})
		}
		return nil
	}
	e := encoder{b: make([]byte, 0, size)}
	for _, record := range encoded {
		e.bytes(record)
	}
	b, err := blobs.add(ctx, e.b)
	if err != nil {
		return err
	}
	row := encoder{}
	row.uint(r.n)
	row.b = append(row.b, encodeBlob(b)...)
	r.values, r.segment = []value{{kindSegment, row.b}}, true
	return nil
}

func (p *prepared) rowCount() int {
	return 1 + len(p.changes.values) + len(p.actors.values) + len(p.outbox)
}

// stage adds the write to the batch, or leaves the batch as it is and says
// why. The committer calls it.
func (p *prepared) stage(b *batch) error {
	row, err := b.document(p.doc)
	if err != nil {
		return err
	}
	if !row.stored {
		if err := b.checkDeleted(p.doc); err != nil {
			return err
		}
	}
	switch {
	case p.changes.n > 0:
		row = b.rewound(p.doc, row, p.first)
		if p.first != row.changes {
			return fmt.Errorf("change %d does not continue a log of %d changes: %w", p.first, row.changes, kaijutsu.ErrConflict)
		}
		if err := p.trace(b, &row); err != nil {
			return err
		}
		b.putRecords(classChange, p.doc, p.first, p.changes)
		row.changes += p.changes.n
		row.bytes += p.changes.bytes
		row.heads = p.heads
	case p.actors.n > 0 && !row.stored:
		return fmt.Errorf("actors without a change: %w", kaijutsu.ErrNotFound)
	}
	if p.changes.n+p.actors.n > 0 {
		b.putRecords(classActor, p.doc, row.actors, p.actors)
		row.actors += p.actors.n
		b.putDocument(p.doc, row)
	}
	p.firstOutbox = 0
	if len(p.outbox) > 0 {
		p.firstOutbox = b.state.nextOutbox
	}
	for _, v := range p.outbox {
		b.put(numberKey(classOutbox, b.state.nextOutbox), v, 0)
		b.state.nextOutbox++
		b.state.outbox++
	}
	return nil
}

// trace notes in the row where the document comes from.
func (p *prepared) trace(b *batch, row *documentRow) error {
	if p.anchor != (kaijutsu.ChangeHash{}) {
		if row.anchor != (kaijutsu.ChangeHash{}) && row.anchor != p.anchor {
			return fmt.Errorf("anchor %v: it has the anchor %v: %w", p.anchor, row.anchor, kaijutsu.ErrConflict)
		}
		row.anchor = p.anchor
	}
	if p.base == nil {
		return nil
	}
	if row.changes > 0 {
		return fmt.Errorf("base %s of a document that is there: %w", p.base.Doc, kaijutsu.ErrConflict)
	}
	under, err := b.document(p.base.Doc)
	if err != nil {
		return err
	}
	if !under.stored {
		return fmt.Errorf("base %s: %w", p.base.Doc, kaijutsu.ErrNotFound)
	}
	row.base, row.before = p.base, p.base.Changes
	return nil
}
