package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"kaijutsu"
)

// Limits of one record.
const (
	maxRecordName  = 512
	maxRecordBytes = 64 << 10
)

// ownRecords is where the store keeps records of its own.
const ownRecords = "store/"

func checkRecord(name string, n int) error {
	switch {
	case name == "" || strings.HasPrefix(name, ownRecords):
		return fmt.Errorf("record name %q is empty or the store's own: %w", name, kaijutsu.ErrInvalid)
	case len(name) > maxRecordName || n > maxRecordBytes:
		return fmt.Errorf("record of %d bytes with a name of %d, at most %d and %d: %w",
			n, len(name), maxRecordBytes, maxRecordName, kaijutsu.ErrTooLarge)
	}
	return nil
}

// Record returns a small server record, or an error wrapping ErrNotFound.
func (s *Store) Record(name string) ([]byte, error) {
	var value []byte
	err := s.view(func(v view) (err error) {
		value, err = v.getAs(kindInline, recordKey(name))
		if err == errAbsent {
			return kaijutsu.ErrNotFound
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("record %q: %w", name, err)
	}
	return value, nil
}

// PutRecord makes a record durable: at most 64 KiB under a name of at most
// 512 bytes that does not begin with "store/".
func (s *Store) PutRecord(ctx context.Context, name string, value []byte) error {
	err := checkRecord(name, len(value))
	if err == nil {
		err = s.putRecord(ctx, name, value)
	}
	if err != nil {
		return fmt.Errorf("put record %q: %w", name, err)
	}
	return nil
}

func (s *Store) putRecord(ctx context.Context, name string, data []byte) error {
	key := recordKey(name)
	it := &item{rows: 1, bytes: len(name) + len(data) + rowOverhead}
	it.stage = func(b *batch) error {
		known, err := b.has(key)
		if err != nil {
			return err
		}
		if !known {
			b.state.records++
		}
		b.put(key, value{kindInline, data}, 0)
		b.present[string(key)] = true
		return nil
	}
	return s.submit(ctx, it)
}

// DeleteRecord deletes a record durably, if there is one.
func (s *Store) DeleteRecord(ctx context.Context, name string) error {
	err := checkRecord(name, 0)
	if err == nil {
		key := recordKey(name)
		it := &item{rows: 1, bytes: len(name) + rowOverhead}
		it.stage = func(b *batch) error {
			known, err := b.has(key)
			if err != nil || !known {
				return err
			}
			b.state.records--
			b.delete(key)
			b.present[string(key)] = false
			return nil
		}
		err = s.submit(ctx, it)
	}
	if err != nil {
		return fmt.Errorf("delete record %q: %w", name, err)
	}
	return nil
}

// Records lists the names of records with a prefix, by name. After an error
// there is nothing more. The error wraps ErrDamaged when records are missing.
func (s *Store) Records(prefix string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		l := listing{s: s, prefix: recordKey(prefix)}
		for {
			keys, _, err := l.page()
			if err != nil {
				yield("", fmt.Errorf("list records: %w", err))
				return
			}
			for _, key := range keys {
				if name := string(key[1:]); !strings.HasPrefix(name, ownRecords) && !yield(name, nil) {
					return
				}
			}
			if len(keys) < pageKeys {
				break
			}
		}
		err := s.view(func(v view) error {
			n, at, err := v.countKeys([]byte{classRecord})
			if err == nil && n != at.records {
				err = s.shortfall("records", n, at.records)
			}
			return err
		})
		if err != nil {
			yield("", fmt.Errorf("list records: %w", err))
		}
	}
}

// has reports whether a key will have a value when the batch is written.
func (b *batch) has(key []byte) (bool, error) {
	if known, ok := b.present[string(key)]; ok {
		return known, nil
	}
	err := b.c.s.view(func(v view) error {
		_, _, err := v.get(key)
		return err
	})
	if errors.Is(err, errAbsent) {
		return false, nil
	}
	return err == nil, err
}
