package store

import (
	"context"
	"fmt"

	"kaijutsu"
)

// Refill makes a document durable as another store held it: what Load or a
// Moment returned there. It may rest on a document that is not here yet; who
// calls it sees to it that it comes. The error wraps ErrConflict when the
// document is here, ErrDeleted when it was, and else what Commit's does.
//
// Refill keeps no reference to d. It is safe for concurrent use.
func (s *Store) Refill(ctx context.Context, doc kaijutsu.DocumentID, d Document) error {
	if err := s.refill(ctx, doc, d); err != nil {
		return fmt.Errorf("refill document %s: %w", doc, err)
	}
	return nil
}

func (s *Store) refill(ctx context.Context, doc kaijutsu.DocumentID, d Document) error {
	covers, err := d.check(doc)
	if err != nil {
		return err
	}
	blobs := &staging{s: s}
	defer blobs.abandon()
	row := documentRow{
		changes: covers + uint64(len(d.Changes)), first: covers, covers: covers,
		heads:   append(kaijutsu.Heads(nil), d.Heads...),
		lineage: lineage{before: d.Before, anchor: d.Anchor, base: d.Base},
	}
	if d.Snapshot != nil {
		if row.snapshot, err = blobs.add(ctx, d.Snapshot.Chunk); err != nil {
			return err
		}
	}
	p := prepared{doc: doc, heads: row.heads, base: d.Base}
	if err := p.encode(ctx, blobs, Write{Changes: d.Changes, Actors: d.Actors}); err != nil {
		return err
	}
	row.bytes = p.changes.bytes
	it := &item{rows: p.rowCount() + len(blobs.rows), bytes: p.bytes + blobs.bytes}
	it.stage = func(b *batch) error {
		here, err := b.document(doc)
		switch {
		case err != nil:
			return err
		case here.stored:
			return fmt.Errorf("it is here already: %w", kaijutsu.ErrConflict)
		}
		if err := b.checkDeleted(doc); err != nil {
			return err
		}
		row := row
		b.putRecords(classChange, doc, covers, p.changes)
		b.putRecords(classActor, doc, 0, p.actors)
		row.actors = p.actors.n
		b.putDocument(doc, row)
		blobs.publish(b)
		return nil
	}
	if err := s.submit(ctx, it); err != nil {
		return err
	}
	blobs.keep()
	return nil
}

// check returns how many changes of the log are in the snapshot.
func (d Document) check(doc kaijutsu.DocumentID) (covers uint64, err error) {
	if d.Snapshot != nil {
		covers = d.Snapshot.Covers
		if covers == 0 || len(d.Snapshot.Chunk) == 0 || d.Base != nil {
			return 0, fmt.Errorf("a snapshot of %d changes in %d bytes: %w", covers, len(d.Snapshot.Chunk), kaijutsu.ErrInvalid)
		}
	}
	if covers == 0 && len(d.Changes) == 0 {
		return 0, fmt.Errorf("no changes: %w", kaijutsu.ErrInvalid)
	}
	if len(d.Changes) > 0 && d.Changes[0].Index != covers {
		return 0, fmt.Errorf("change %d behind a snapshot of %d: %w", d.Changes[0].Index, covers, kaijutsu.ErrInvalid)
	}
	if d.Base != nil && d.Before != d.Base.Changes {
		return 0, fmt.Errorf("%d changes before the log, the base has %d: %w", d.Before, d.Base.Changes, kaijutsu.ErrInvalid)
	}
	return covers, Write{Doc: doc, Changes: d.Changes, Heads: d.Heads, Actors: d.Actors}.checkHeads()
}

// checkHeads is check for a document without changes behind its snapshot, too.
func (w Write) checkHeads() error {
	if len(w.Heads) == 0 {
		return fmt.Errorf("a document without heads: %w", kaijutsu.ErrInvalid)
	}
	return w.check()
}

// Bury notes that a document was deleted elsewhere: nothing is committed to it
// ever again. The error wraps ErrConflict when the document is here.
func (s *Store) Bury(ctx context.Context, doc kaijutsu.DocumentID) error {
	key := deletedRecord(doc)
	it := &item{rows: 1, bytes: len(key) + rowOverhead}
	it.stage = func(b *batch) error {
		here, err := b.document(doc)
		if err != nil {
			return err
		}
		if here.stored {
			return fmt.Errorf("it is here: %w", kaijutsu.ErrConflict)
		}
		known, err := b.has(key)
		if err != nil || known {
			return err
		}
		b.state.records++
		b.put(key, value{kind: kindInline}, 0)
		b.present[string(key)] = true
		return nil
	}
	if err := s.submit(ctx, it); err != nil {
		return fmt.Errorf("bury document %s: %w", doc, err)
	}
	return nil
}

// Assume makes a new store the successor of another: the outbox numbers go on at
// next, and with a storage id other than "" it takes that over. Nobody else may
// use the store yet. The error wraps ErrConflict when it has outbox entries.
func (s *Store) Assume(ctx context.Context, storageID string, next uint64) error {
	it := &item{rows: 1, bytes: rowOverhead + 64}
	it.stage = func(b *batch) error {
		if b.state.outbox > 0 || next < b.state.nextOutbox {
			return fmt.Errorf("the outbox ends at %d and has %d entries: %w", b.state.nextOutbox, b.state.outbox, kaijutsu.ErrConflict)
		}
		b.state.nextOutbox = next
		return nil
	}
	err := s.submit(ctx, it)
	if err == nil && storageID != "" {
		if err = s.putRecord(ctx, ownRecords+"storage_id", []byte(storageID)); err == nil {
			s.storageID = storageID
		}
	}
	if err != nil {
		return fmt.Errorf("take over from another store: %w", err)
	}
	return nil
}
