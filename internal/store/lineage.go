package store

import (
	"context"
	"fmt"

	"github.com/dgraph-io/badger/v4"

	"kaijutsu"
)

// Base is what a fork rests on: the changes of another document at and behind
// some heads come before the fork's own log, whose indexes begin at 0 all the
// same.
type Base struct {
	Doc   kaijutsu.DocumentID
	Heads kaijutsu.Heads
	// Changes is how many changes these are.
	Changes uint64
}

func (b *Base) check() error {
	if b.Doc.IsZero() || len(b.Heads) == 0 || len(b.Heads) > maxHeads || b.Changes == 0 {
		return fmt.Errorf("base of %d changes with %d heads in document %s: %w", b.Changes, len(b.Heads), b.Doc, kaijutsu.ErrInvalid)
	}
	return nil
}

// lineage is the part of a document's row that not every document has.
type lineage struct {
	before uint64              // changes before index 0 of the log: in the base, or since in the snapshot
	anchor kaijutsu.ChangeHash // zero: none
	base   *Base               // nil once a snapshot holds everything
}

func (l lineage) isZero() bool { return l == lineage{} }

func (e *encoder) lineage(l lineage) {
	e.uint(l.before)
	if l.anchor == (kaijutsu.ChangeHash{}) {
		e.uint(0)
	} else {
		e.uint(1)
		e.b = append(e.b, l.anchor[:]...)
	}
	if l.base == nil {
		e.bytes(nil)
		return
	}
	e.bytes(l.base.Doc.Bytes())
	e.heads(l.base.Heads)
}

func (d *decoder) lineage() lineage {
	l := lineage{before: d.uint()}
	if d.uint() > 0 {
		copy(l.anchor[:], d.fixed(32))
	}
	id := d.bytes()
	if d.broken || len(id) == 0 {
		return l
	}
	doc, err := kaijutsu.DocumentIDFromBytes(id)
	d.broken = err != nil
	l.base = &Base{Doc: doc, Heads: d.heads(), Changes: l.before}
	return l
}

func (e *encoder) heads(heads kaijutsu.Heads) {
	e.uint(uint64(len(heads)))
	for _, h := range heads {
		e.b = append(e.b, h[:]...)
	}
}

func (d *decoder) heads() kaijutsu.Heads {
	n := d.uint()
	if n > maxHeads {
		d.broken = true
		return nil
	}
	raw := d.fixed(n * 32)
	if d.broken {
		return nil
	}
	heads := make(kaijutsu.Heads, n)
	for i := range heads {
		copy(heads[i][:], raw[i*32:])
	}
	return heads
}

// Forks lists the documents that rest on a document. The error wraps
// ErrDamaged when rows of documents are missing: any of them may be a fork.
func (s *Store) Forks(ctx context.Context, doc kaijutsu.DocumentID) ([]kaijutsu.DocumentID, error) {
	var forks []kaijutsu.DocumentID
	err := s.view(func(v view) error {
		at, _, err := v.state()
		if err != nil {
			return err
		}
		var seen uint64
		err = v.scan([]byte{classDocument}, []byte{classDocument}, func(item *badger.Item) (bool, error) {
			seen++
			key := item.KeyCopy(nil)
			return true, item.Value(func(frame []byte) error {
				row, err := openDocument(key, frame)
				if err != nil {
					return v.damaged(key, err.Error())
				}
				if row.base == nil || row.base.Doc != doc {
					return ctx.Err()
				}
				id, err := documentOf(key)
				forks = append(forks, id)
				return err
			})
		})
		if err == nil && seen != at.documents {
			err = s.shortfall("documents", seen, at.documents)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list forks of document %s: %w", doc, err)
	}
	return forks, nil
}
