package store

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/dgraph-io/badger/v4"
)

// OutboxEntry waits to be delivered to other nodes.
type OutboxEntry struct {
	// Seq grows with every entry ever written and is never used again.
	Seq   uint64
	Value []byte
}

// outboxPage is how many entries are read in one view.
const outboxPage = 64

// Outbox lists the entries with Seq > after, ascending, as they are when it
// comes to them. After an error there is nothing more. The error wraps
// ErrDamaged when entries are missing.
func (s *Store) Outbox(after uint64) iter.Seq2[OutboxEntry, error] {
	return func(yield func(OutboxEntry, error) bool) {
		whole := after == 0
		for {
			entries, err := s.outboxAfter(after, whole)
			if err != nil {
				yield(OutboxEntry{}, fmt.Errorf("read outbox: %w", err))
				return
			}
			for _, entry := range entries {
				if !yield(entry, nil) {
					return
				}
				after = entry.Seq
			}
			if len(entries) < outboxPage {
				return
			}
		}
	}
}

// outboxAfter reads a page. Behind the last of a listing from the start it
// compares counts; that reads every key, and the deleted ones.
func (s *Store) outboxAfter(after uint64, whole bool) (entries []OutboxEntry, err error) {
	prefix := []byte{classOutbox}
	err = s.view(func(v view) error {
		var keys [][]byte
		err := v.scan(prefix, numberKey(classOutbox, after+1), func(item *badger.Item) (bool, error) {
			keys = append(keys, item.KeyCopy(nil))
			return len(keys) < outboxPage, nil
		})
		if err != nil {
			return err
		}
		for _, key := range keys {
			data, err := v.outboxValue(key)
			if err != nil {
				return err
			}
			entries = append(entries, OutboxEntry{Seq: indexOf(key), Value: data})
		}
		if len(keys) == outboxPage || !whole {
			return nil
		}
		n, at, err := v.countKeys(prefix)
		if err == nil && n != at.outbox {
			err = s.shortfall("outbox entries", n, at.outbox)
		}
		return err
	})
	return entries, err
}

func (v view) outboxValue(key []byte) ([]byte, error) {
	kind, payload, err := v.get(key)
	switch {
	case err != nil:
		return nil, err
	case kind == kindInline:
		return payload, nil
	case kind == kindBlob:
		b, err := decodeBlob(payload)
		if err != nil {
			return nil, v.damaged(key, err.Error())
		}
		return v.blob(b)
	}
	return nil, v.damaged(key, fmt.Sprintf("value is of kind %d", kind))
}

// DeleteOutbox deletes entries durably; those that are not there are skipped.
// On an error some may be deleted.
func (s *Store) DeleteOutbox(ctx context.Context, seqs ...uint64) error {
	for some := range slices.Chunk(slices.Compact(slices.Sorted(slices.Values(seqs))), outboxPage) {
		large := 0
		it := &item{rows: 2 * len(some), bytes: 2 * len(some) * rowOverhead}
		it.stage = func(b *batch) (err error) {
			large, err = b.deleteOutbox(some)
			return err
		}
		if err := s.submit(ctx, it); err != nil {
			return fmt.Errorf("delete outbox entries: %w", err)
		}
		if large > 0 {
			s.chores.poke()
		}
	}
	return nil
}

// deleteOutbox deletes entries, and makes the deletion of those that are blobs
// chores; it returns how many.
func (b *batch) deleteOutbox(seqs []uint64) (large int, err error) {
	var known [][]byte
	var blobs []blob
	err = b.c.s.view(func(v view) error {
		for _, seq := range seqs {
			key := numberKey(classOutbox, seq)
			if _, changed := b.present[string(key)]; changed {
				continue // deleted in this batch
			}
			kind, payload, err := v.get(key)
			if err == errAbsent {
				continue
			}
			if err == nil && kind == kindBlob {
				var data blob
				data, err = decodeBlob(payload)
				blobs = append(blobs, data)
			}
			if err != nil {
				return err
			}
			known = append(known, key)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, key := range known {
		b.delete(key)
		b.present[string(key)] = false
		b.state.outbox--
	}
	for _, data := range blobs {
		b.putChore(b.c.s.chores.take(), chore{blob: data})
	}
	return len(blobs), nil
}
