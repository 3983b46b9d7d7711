package store

import (
	"context"
	"fmt"

	"github.com/dgraph-io/badger/v4"

	"kaijutsu"
)

// Snapshot stands for the beginning of a document: what comes before its log,
// and the beginning of that.
type Snapshot struct {
	Covers uint64 // log indexes < Covers, and Document.Before changes more
	Chunk  []byte
}

// PutSnapshot makes a snapshot durable and visible in place of the changes it
// covers and of the snapshot before it, at once; their rows are deleted in
// the background afterwards. A fork rests on its base no more. The caller has verified that the chunk holds
// exactly those changes: nothing else keeps them.
//
// The error wraps ErrNotFound when there is no such document, ErrInvalid when
// the snapshot covers more than the document has or less than the snapshot it
// has, ErrTooLarge, and ErrUnavailable as for Commit. A snapshot needs twice
// its size in free space, beyond the reserve.
func (s *Store) PutSnapshot(ctx context.Context, doc kaijutsu.DocumentID, snap Snapshot) error {
	if err := s.putSnapshot(ctx, doc, snap); err != nil {
		return fmt.Errorf("put snapshot of document %s: %w", doc, err)
	}
	return nil
}

func (s *Store) putSnapshot(ctx context.Context, doc kaijutsu.DocumentID, snap Snapshot) error {
	if doc.IsZero() || snap.Covers == 0 || len(snap.Chunk) == 0 {
		return fmt.Errorf("snapshot of %d changes in %d bytes: %w", snap.Covers, len(snap.Chunk), kaijutsu.ErrInvalid)
	}
	// Fail before writing hundreds of megabytes, not after; stage checks again.
	info, err := s.Info(ctx, doc)
	if err != nil {
		return err
	}
	if err := snap.fits(info.Changes-info.Before, info.Covers); err != nil {
		return err
	}
	blobs := &staging{s: s}
	defer blobs.abandon()
	chunk, err := blobs.add(ctx, snap.Chunk)
	if err != nil {
		return err
	}
	it := &item{rows: len(blobs.rows) + 3, bytes: blobs.bytes + 32*len(info.Heads) + 1024}
	it.stage = func(b *batch) error {
		if err := b.flip(doc, snap, chunk, s.chores.take()); err != nil {
			return err
		}
		blobs.publish(b)
		return nil
	}
	if err := s.submit(ctx, it); err != nil {
		return err
	}
	blobs.keep()
	s.chores.poke()
	s.count.snapshots.Add(1)
	return nil
}

func (snap Snapshot) fits(changes, covers uint64) error {
	if snap.Covers > changes || snap.Covers < covers {
		return fmt.Errorf("it covers %d changes, the document has %d and a snapshot of %d: %w",
			snap.Covers, changes, covers, kaijutsu.ErrInvalid)
	}
	return nil
}

// flip makes the snapshot the document's, and the deletion of what it
// replaces a chore.
func (b *batch) flip(doc kaijutsu.DocumentID, snap Snapshot, chunk blob, number uint64) error {
	row, err := b.document(doc)
	if err != nil {
		return err
	}
	if err := snap.fits(row.changes, row.covers); err != nil {
		return err
	}
	first, err := b.c.s.firstRow(doc, row, snap.Covers)
	if err != nil {
		return err
	}
	garbage := chore{blob: row.snapshot, doc: doc, from: row.first, to: first}
	b.putChore(number, garbage)
	row.covers, row.snapshot, row.first, row.base = snap.Covers, chunk, first, nil
	b.putDocument(doc, row)
	return nil
}

// firstRow returns the index of the row that holds change covers: covers, or
// less when a segment straddles it.
func (s *Store) firstRow(doc kaijutsu.DocumentID, row documentRow, covers uint64) (first uint64, err error) {
	if covers == row.changes {
		return covers, nil
	}
	err = s.view(func(v view) error {
		prefix := documentKey(classChange, doc)
		it := v.txn.NewIterator(badger.IteratorOptions{Reverse: true, Prefix: prefix})
		defer it.Close()
		it.Seek(rowKey(classChange, doc, covers))
		if it.ValidForPrefix(prefix) {
			first = indexOf(it.Item().Key())
		}
		if !it.ValidForPrefix(prefix) || first < row.first {
			return v.damaged(rowKey(classChange, doc, covers), "missing")
		}
		return nil
	})
	return first, err
}
