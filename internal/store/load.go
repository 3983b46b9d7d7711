package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/dgraph-io/badger/v4"

	"kaijutsu"
)

// Document is a stored document.
type Document struct {
	// Base is what comes before the log, nil when the document rests on none.
	Base *Base
	// Before is how many changes come before index 0 of the log: those of the
	// base, or, once there is a snapshot, the first in that.
	Before uint64
	// Anchor is as committed; zero for none.
	Anchor kaijutsu.ChangeHash
	// Snapshot is nil when none was put.
	Snapshot *Snapshot
	// Changes are those behind the snapshot, by index without gaps.
	Changes []Change
	Heads   kaijutsu.Heads
	// Actors are in the order of Commit; of two with one id the later holds.
	Actors []Actor
}

// Info is what is known of a document without reading it.
type Info struct {
	Changes uint64 // in the document: before the log and in it
	Before  uint64 // changes before the log
	Bytes   uint64 // of the changes in the log
	Covers  uint64 // changes of the log in the snapshot; 0: there is none
	Heads   kaijutsu.Heads
	Base    *Base // nil when the document rests on none
}

// Info returns a document's counts and heads, or an error wrapping
// ErrNotFound.
func (s *Store) Info(ctx context.Context, doc kaijutsu.DocumentID) (Info, error) {
	if err := ctx.Err(); err != nil {
		return Info{}, err
	}
	var row documentRow
	err := s.view(func(v view) (err error) {
		row, err = v.document(doc)
		return err
	})
	if err != nil {
		return Info{}, fmt.Errorf("look up document %s: %w", doc, err)
	}
	return Info{Changes: row.before + row.changes, Before: row.before, Bytes: row.bytes, Covers: row.covers, Heads: row.heads, Base: row.base}, nil
}

// Load returns a document. Every row's frame is verified, and that no row is
// missing; the hashes of changes are as committed, and it is for the caller
// to compare them with what the changes hold. The error wraps ErrNotFound
// when there is no such document, ErrDeleted when there was one, ErrDamaged when rows are missing or not
// what was written, and ErrUnavailable when the store is closed.
//
// The result is the caller's. Changes may share memory with one another.
func (s *Store) Load(ctx context.Context, doc kaijutsu.DocumentID) (Document, error) {
	var d Document
	err := s.view(func(v view) (err error) {
		d, err = v.load(ctx, doc)
		return err
	})
	if err != nil {
		s.noticed(doc, err)
		return Document{}, fmt.Errorf("load document %s: %w", doc, err)
	}
	return d, nil
}

func (v view) load(ctx context.Context, doc kaijutsu.DocumentID) (Document, error) {
	row, err := v.document(doc)
	if err != nil {
		return Document{}, err
	}
	d := Document{Heads: row.heads, Base: row.base, Before: row.before, Anchor: row.anchor}
	if row.covers > 0 {
		chunk, err := v.blob(row.snapshot)
		if err != nil {
			return Document{}, fmt.Errorf("snapshot: %w", err)
		}
		d.Snapshot = &Snapshot{Covers: row.covers, Chunk: chunk}
	}
	d.Changes = make([]Change, 0, min(row.changes-row.covers, 1<<16))
	var slab slab
	changes := span{classChange, doc, row.first, row.changes}
	err = v.walk(ctx, changes, func(index uint64, record []byte) error {
		if index < row.covers {
			return nil
		}
		c, err := decodeChange(slab.copy(record))
		c.Index = index
		d.Changes = append(d.Changes, c)
		return err
	})
	if err != nil {
		return Document{}, err
	}
	actors := span{classActor, doc, 0, row.actors}
	err = v.walk(ctx, actors, func(_ uint64, record []byte) error {
		a, err := decodeActor(record)
		d.Actors = append(d.Actors, a)
		return err
	})
	return d, err
}

// span is part of one of a document's logs: from the row that starts at index
// from up to, not including, index to.
type span struct {
	class    byte
	doc      kaijutsu.DocumentID
	from, to uint64
}

// walk calls fn for every record of a span, or returns an error that names
// the row that is missing or damaged. The record is valid during fn.
func (v view) walk(ctx context.Context, p span, fn func(index uint64, record []byte) error) error {
	next := p.from
	prefix := documentKey(p.class, p.doc)
	if next < p.to {
		err := v.scan(prefix, rowKey(p.class, p.doc, next), func(item *badger.Item) (bool, error) {
			want := rowKey(p.class, p.doc, next)
			if !bytes.Equal(item.Key(), want) {
				return false, v.damaged(want, "missing")
			}
			err := item.Value(func(frame []byte) error {
				return v.records(want, frame, func(record []byte) error {
					next++
					return fn(next-1, record)
				})
			})
			if err == nil {
				err = ctx.Err()
			}
			return next < p.to, err
		})
		if err != nil {
			return err
		}
	}
	if next != p.to {
		return v.damaged(rowKey(p.class, p.doc, min(next, p.to)), fmt.Sprintf("log ends at %d, want %d", next, p.to))
	}
	return nil
}

// records calls fn for the records of one row.
func (v view) records(key, frame []byte, fn func(record []byte) error) error {
	kind, payload, err := unseal(key, frame)
	switch {
	case err != nil:
		return v.damaged(key, err.Error())
	case kind == kindRecords:
		err = fn(payload)
	case kind == kindSegment:
		return v.segment(key, payload, fn)
	default:
		err = fmt.Errorf("value is of kind %d", kind)
	}
	if err != nil {
		return v.damaged(key, err.Error())
	}
	return nil
}

func (v view) segment(key, payload []byte, fn func(record []byte) error) error {
	n, b, err := decodeSegment(payload)
	if err != nil {
		return v.damaged(key, err.Error())
	}
	data, err := v.blob(b)
	if err != nil {
		return fmt.Errorf("%s: %w", keyName(key), err)
	}
	d := decoder{b: data}
	for range n {
		record := d.bytes()
		if d.broken {
			break
		}
		if err := fn(record); err != nil {
			return v.damaged(key, err.Error())
		}
	}
	if err := d.done(); err != nil {
		return v.damaged(key, err.Error())
	}
	return nil
}

func decodeSegment(payload []byte) (n uint64, b blob, err error) {
	d := decoder{b: payload}
	n, b = d.uint(), d.blob()
	return n, b, d.done()
}

// slab copies many small values into few allocations.
type slab struct{ free []byte }

const slabBytes = 64 << 10

func (s *slab) copy(b []byte) []byte {
	if len(b) > slabBytes/4 {
		return bytes.Clone(b)
	}
	if len(b) > len(s.free) {
		s.free = make([]byte, slabBytes)
	}
	c := s.free[:len(b):len(b)]
	s.free = s.free[len(b):]
	copy(c, b)
	return c
}

// indexOf returns the index at the end of a row's key.
func indexOf(key []byte) uint64 { return binary.BigEndian.Uint64(key[len(key)-8:]) }
