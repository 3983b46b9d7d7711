package store

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/dgraph-io/badger/v4"

	"kaijutsu"
)

// Moment is the whole store as it was at one moment, all documents and records
// at once, whatever is written meanwhile. While it is open, compactions keep
// what it shows: hold it for as long as it takes to read it. It is not safe for
// concurrent use. What it returns wraps ErrUnavailable when the store was closed
// or had to be reopened since.
type Moment struct {
	s   *Store
	db  *badger.DB
	txn *badger.Txn
	at  state
}

const (
	momentTries = 200
	momentPause = 10 * time.Millisecond
)

// Moment returns the store as it is now: with every write that was acknowledged
// before the call. The caller closes it. The error wraps ErrUnavailable when the
// store is closed, or when it holds writes whose outcome is not known because
// the disk failed.
func (s *Store) Moment(ctx context.Context) (*Moment, error) {
	for range momentTries {
		m, err := s.moment()
		if err != nil {
			return nil, fmt.Errorf("read the store: %w", err)
		}
		if m.at.counter <= s.durable.Load().counter {
			return m, nil
		}
		m.Close() // between a write and its announcement, which may be that it failed
		select {
		case <-time.After(momentPause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, fmt.Errorf("read the store: the disk failed, and it is not known which writes it took: %w", kaijutsu.ErrUnavailable)
}

func (s *Store) moment() (*Moment, error) {
	var m *Moment
	err := s.view(func(view) error {
		m = &Moment{s: s, db: s.db, txn: s.db.NewTransaction(false)}
		at, _, err := view{s, m.txn}.state()
		m.at = at
		return err
	})
	if err != nil && m != nil {
		m.Close()
	}
	return m, err
}

// Close lets go of the moment.
func (m *Moment) Close() { m.txn.Discard() }

// Counter returns how many transactions there had been: a later moment has at
// least as many.
func (m *Moment) Counter() uint64 { return m.at.counter }

// Documents returns how many documents there were.
func (m *Moment) Documents() uint64 { return m.at.documents }

// NextOutbox returns the number that the next outbox entry was to get.
func (m *Moment) NextOutbox() uint64 { return m.at.nextOutbox }

// view calls fn with the state of the moment.
func (m *Moment) view(fn func(view) error) error {
	return m.s.view(func(view) error {
		if m.s.db != m.db {
			return fmt.Errorf("the store was reopened meanwhile; begin again: %w", kaijutsu.ErrUnavailable)
		}
		return fn(view{m.s, m.txn})
	})
}

// Extent is how much there is of a document.
type Extent struct {
	Doc     kaijutsu.DocumentID
	Changes uint64 // of the log
	Actors  uint64
	Before  uint64 // changes before the log
	Covers  uint64 // changes of the log in the snapshot; 0: there is none
	Heads   kaijutsu.Heads
	Anchor  kaijutsu.ChangeHash // zero for none
	Base    *Base               // nil when the document rests on none
}

// Extents lists all documents, by id. After an error there is nothing more,
// unless it wraps ErrDamaged and the extent names a document: that one's row
// cannot be read, and the listing goes on.
func (m *Moment) Extents() iter.Seq2[Extent, error] {
	return func(yield func(Extent, error) bool) {
		var listed uint64
		seek := []byte{classDocument}
		for {
			page, err := m.extentsFrom(seek)
			if err != nil {
				yield(Extent{}, fmt.Errorf("list documents: %w", err))
				return
			}
			for _, e := range page {
				if !yield(e.Extent, e.err) {
					return
				}
				seek = append(documentKey(classDocument, e.Doc), 0)
			}
			if listed += uint64(len(page)); len(page) < summaryPage {
				break
			}
		}
		if listed != m.at.documents {
			yield(Extent{}, fmt.Errorf("list documents: %w", m.s.shortfall("documents", listed, m.at.documents)))
		}
	}
}

type extentOr struct {
	Extent
	err error
}

func (m *Moment) extentsFrom(seek []byte) (page []extentOr, err error) {
	err = m.view(func(v view) error {
		return v.scan([]byte{classDocument}, seek, func(item *badger.Item) (bool, error) {
			key := item.KeyCopy(nil)
			doc, err := documentOf(key)
			if err != nil {
				return false, fmt.Errorf("%w: %w", err, ErrDamaged)
			}
			e := extentOr{Extent: Extent{Doc: doc}}
			err = item.Value(func(frame []byte) error {
				row, err := openDocument(key, frame)
				if err != nil {
					return err
				}
				e.Extent = Extent{
					Doc: doc, Changes: row.changes, Actors: row.actors, Before: row.before, Covers: row.covers,
					Heads: row.heads, Anchor: row.anchor, Base: row.base,
				}
				return nil
			})
			if err != nil {
				e.err = v.damaged(key, err.Error())
			}
			page = append(page, e)
			return len(page) < summaryPage, nil
		})
	})
	return page, err
}

// Load is Store.Load of the moment.
func (m *Moment) Load(ctx context.Context, doc kaijutsu.DocumentID) (Document, error) {
	var d Document
	err := m.view(func(v view) (err error) {
		d, err = v.load(ctx, doc)
		return err
	})
	if err != nil {
		return Document{}, fmt.Errorf("load document %s: %w", doc, err)
	}
	return d, nil
}

// Tail returns the changes of a document's log from an index on, and those of
// its actors from a position on; both as Load does. The error wraps ErrInvalid
// when a snapshot covers the first of these changes, or there are fewer.
func (m *Moment) Tail(ctx context.Context, doc kaijutsu.DocumentID, change, actor uint64) (changes []Change, actors []Actor, err error) {
	err = m.view(func(v view) error {
		row, err := v.document(doc)
		if err != nil {
			return err
		}
		if change < row.covers || change > row.changes || actor > row.actors {
			return fmt.Errorf("change %d and actor %d of %d to %d and %d: %w", change, actor, row.covers, row.changes, row.actors, kaijutsu.ErrInvalid)
		}
		from, err := v.rowOf(classChange, doc, row.first, change, row.changes)
		if err != nil {
			return err
		}
		err = v.walk(ctx, span{classChange, doc, from, row.changes}, func(index uint64, record []byte) error {
			if index < change {
				return nil
			}
			c, err := decodeChange(bytes.Clone(record))
			c.Index = index
			changes = append(changes, c)
			return err
		})
		if err != nil {
			return err
		}
		return v.walk(ctx, span{classActor, doc, 0, row.actors}, func(index uint64, record []byte) error {
			if index < actor {
				return nil
			}
			a, err := decodeActor(record)
			actors = append(actors, a)
			return err
		})
	})
	if err != nil {
		return nil, nil, fmt.Errorf("load the end of document %s: %w", doc, err)
	}
	return changes, actors, nil
}

// rowOf returns the index of the row that holds an entry of a document's log:
// its own, or less when a segment straddles it. A log ends at index to.
func (v view) rowOf(class byte, doc kaijutsu.DocumentID, first, index, to uint64) (uint64, error) {
	if index == to {
		return index, nil
	}
	prefix := documentKey(class, doc)
	it := v.txn.NewIterator(badger.IteratorOptions{Reverse: true, Prefix: prefix})
	defer it.Close()
	it.Seek(rowKey(class, doc, index))
	if !it.ValidForPrefix(prefix) || indexOf(it.Item().Key()) < first {
		return 0, v.damaged(rowKey(class, doc, index), "missing")
	}
	return indexOf(it.Item().Key()), nil
}

// NamedRecord is a record and its name.
type NamedRecord struct {
	Name  string
	Value []byte
}

// Records lists all records but the store's own, by name. After an error there
// is nothing more. The error wraps ErrDamaged when records are missing or not
// what was written.
func (m *Moment) Records() iter.Seq2[NamedRecord, error] {
	return func(yield func(NamedRecord, error) bool) {
		for key, err := range m.recordKeys() {
			if err == nil && strings.HasPrefix(string(key[1:]), ownRecords) {
				continue
			}
			var value []byte
			if err == nil {
				err = m.view(func(v view) (err error) {
					value, err = v.getAs(kindInline, key)
					return err
				})
			}
			if err != nil {
				yield(NamedRecord{}, fmt.Errorf("list records: %w", err))
				return
			}
			if !yield(NamedRecord{string(key[1:]), value}, nil) {
				return
			}
		}
	}
}

// Deleted lists the documents that were deleted. After an error there is nothing
// more.
func (m *Moment) Deleted() iter.Seq2[kaijutsu.DocumentID, error] {
	return func(yield func(kaijutsu.DocumentID, error) bool) {
		for key, err := range m.recordKeys() {
			id, ok := strings.CutPrefix(string(key[min(1, len(key)):]), ownRecords+"deleted/")
			if err == nil && !ok {
				continue
			}
			var doc kaijutsu.DocumentID
			if err == nil {
				doc, err = kaijutsu.DocumentIDFromBytes([]byte(id))
			}
			if err != nil {
				yield(kaijutsu.DocumentID{}, fmt.Errorf("list deleted documents: %w", err))
				return
			}
			if !yield(doc, nil) {
				return
			}
		}
	}
}

// recordKeys lists the keys of all records, and holds them against their count.
func (m *Moment) recordKeys() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var listed uint64
		prefix, seek := []byte{classRecord}, []byte{classRecord}
		for {
			var keys [][]byte
			err := m.view(func(v view) error {
				return v.scan(prefix, seek, func(item *badger.Item) (bool, error) {
					keys = append(keys, item.KeyCopy(nil))
					return len(keys) < pageKeys, nil
				})
			})
			if err != nil {
				yield(nil, err)
				return
			}
			for _, key := range keys {
				if !yield(key, nil) {
					return
				}
				seek = append(bytes.Clone(key), 0)
			}
			if listed += uint64(len(keys)); len(keys) < pageKeys {
				break
			}
		}
		if listed != m.at.records {
			yield(nil, m.s.shortfall("records", listed, m.at.records))
		}
	}
}
