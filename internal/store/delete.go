package store

import (
	"context"
	"fmt"
	"math"

	"kaijutsu"
)

// ErrDeleted says that a document was deleted for good.
var ErrDeleted = fmt.Errorf("the document was deleted: %w", kaijutsu.ErrNotFound)

// deletedRecord is where the store notes that a document was deleted.
func deletedRecord(doc kaijutsu.DocumentID) []byte {
	return recordKey(ownRecords + "deleted/" + string(doc.Bytes()))
}

// Delete removes a document durably and for good: at once for readers, its
// rows in the background afterwards, also when a crash comes between. Nothing
// is committed to it ever again. The error wraps ErrDeleted when it is gone
// already, ErrNotFound when there is no such document, ErrConflict when forks
// rest on it; the caller sees to it that none is made meanwhile.
func (s *Store) Delete(ctx context.Context, doc kaijutsu.DocumentID) error {
	if err := s.delete(ctx, doc); err != nil {
		return fmt.Errorf("delete document %s: %w", doc, err)
	}
	return nil
}

func (s *Store) delete(ctx context.Context, doc kaijutsu.DocumentID) error {
	forks, err := s.Forks(ctx, doc)
	if err != nil {
		return err
	}
	if len(forks) > 0 {
		return fmt.Errorf("%d documents rest on it: %w", len(forks), kaijutsu.ErrConflict)
	}
	it := &item{rows: 3, bytes: 3*rowOverhead + 256}
	it.stage = func(b *batch) error { return b.deleteDocument(doc, s.chores.take()) }
	if err := s.submit(ctx, it); err != nil {
		return err
	}
	s.chores.poke()
	return nil
}

// deleteDocument takes a document's row away, and makes the deletion of the
// others a chore.
func (b *batch) deleteDocument(doc kaijutsu.DocumentID, number uint64) error {
	row, err := b.document(doc)
	if err != nil {
		return err
	}
	if !row.stored {
		if err := b.checkDeleted(doc); err != nil {
			return err
		}
		return kaijutsu.ErrNotFound
	}
	b.putChore(number, chore{blob: row.snapshot, doc: doc, to: math.MaxUint64, actors: math.MaxUint64})
	key := deletedRecord(doc)
	b.put(key, value{kind: kindInline}, 0)
	b.present[string(key)] = true
	b.state.records++
	b.state.documents--
	b.docs[doc] = documentRow{}
	return nil
}

// checkDeleted returns ErrDeleted if a document without a row was deleted.
func (b *batch) checkDeleted(doc kaijutsu.DocumentID) error {
	gone, err := b.has(deletedRecord(doc))
	if err == nil && gone {
		err = ErrDeleted
	}
	return err
}
