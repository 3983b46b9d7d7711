package store

import (
	"context"
	"fmt"
	"iter"

	"github.com/dgraph-io/badger/v4"

	"kaijutsu"
)

// OutboxEntry is kept until it is known to have been delivered.
type OutboxEntry struct {
	// Seq is one more than that of the entry before.
	Seq   uint64
	Value []byte
}

// outboxPage is how many entries are read in one view.
const outboxPage = 256

// nextOutboxAfter returns the number of the first entry behind one.
func (s state) nextOutboxAfter(seq uint64) uint64 { return max(seq+1, s.firstOutbox()) }

// firstOutbox returns the number of the oldest entry there is, nextOutbox when
// there is none: only the oldest are ever deleted.
func (s state) firstOutbox() uint64 { return s.nextOutbox - s.outbox }

// OutboxEnds returns the numbers of the oldest and of the last entry that is
// durable. When there is none, first is last+1.
func (s *Store) OutboxEnds() (first, last uint64) {
	now := s.durable.Load()
	return now.firstOutbox(), now.nextOutbox - 1
}

// LastOutbox returns the number of the last entry that is durable, 0 before
// the first.
func (s *Store) LastOutbox() uint64 { return s.durable.Load().nextOutbox - 1 }

// OutboxLen returns how many entries there are.
func (s *Store) OutboxLen() uint64 { return s.durable.Load().outbox }

// Outbox lists the entries with Seq > after, ascending, as they are when it
// comes to them; it begins with the oldest when that is after. It costs what it
// lists, wherever it begins. After an error there is nothing more. The error
// wraps ErrDamaged when an entry is missing.
func (s *Store) Outbox(after uint64) iter.Seq2[OutboxEntry, error] {
	return func(yield func(OutboxEntry, error) bool) {
		for {
			entries, err := s.outboxAfter(after)
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

// outboxAfter reads a page. What lies behind the last durable entry was refused
// and does not count.
func (s *Store) outboxAfter(after uint64) (entries []OutboxEntry, err error) {
	last := s.LastOutbox()
	err = s.view(func(v view) error {
		at, _, err := v.state()
		if err != nil {
			return err
		}
		next := at.nextOutboxAfter(after)
		if next > last {
			return nil
		}
		err = v.scan([]byte{classOutbox}, numberKey(classOutbox, next), func(item *badger.Item) (bool, error) {
			seq := indexOf(item.Key())
			if seq != next || seq > last {
				return false, nil
			}
			data, err := v.outboxValue(item)
			if err != nil {
				return false, err
			}
			entries = append(entries, OutboxEntry{Seq: seq, Value: data})
			next++
			return len(entries) < outboxPage, nil
		})
		if err == nil && next <= last && len(entries) < outboxPage {
			err = v.damaged(numberKey(classOutbox, next), "missing")
		}
		return err
	})
	return entries, err
}

func (v view) outboxValue(item *badger.Item) (data []byte, err error) {
	key := item.KeyCopy(nil)
	err = item.Value(func(frame []byte) error {
		kind, payload, err := unseal(key, frame)
		switch {
		case err != nil:
			return v.damaged(key, err.Error())
		case kind == kindInline:
			data = append([]byte{}, payload...)
			return nil
		case kind == kindBlob:
			b, err := decodeBlob(payload)
			if err != nil {
				return v.damaged(key, err.Error())
			}
			data, err = v.blob(b)
			return err
		}
		return v.damaged(key, fmt.Sprintf("value is of kind %d", kind))
	})
	return data, err
}

// DeleteOutboxUpTo deletes the entries with Seq ≤ seq durably: at once for
// readers, their rows in the background. It costs the same however many they
// are. The error wraps ErrInvalid when seq is behind the last entry.
func (s *Store) DeleteOutboxUpTo(ctx context.Context, seq uint64) error {
	if first, last := s.OutboxEnds(); seq > last {
		return fmt.Errorf("delete outbox entries up to %d: the last is %d: %w", seq, last, kaijutsu.ErrInvalid)
	} else if seq < first {
		return ctx.Err()
	}
	number := s.chores.take()
	it := &item{rows: 1, bytes: 2 * rowOverhead}
	it.stage = func(b *batch) error {
		first := b.state.firstOutbox()
		if seq < first {
			return nil
		}
		b.putChore(number, chore{from: first, to: seq + 1})
		b.state.outbox = b.state.nextOutbox - seq - 1
		return nil
	}
	if err := s.submit(ctx, it); err != nil {
		return fmt.Errorf("delete outbox entries up to %d: %w", seq, err)
	}
	s.chores.poke()
	return nil
}
