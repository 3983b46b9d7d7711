package store

import (
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"

	"kaijutsu"
)

// rowOverhead is an upper bound of what key, frame and Badger add to a row's
// payload in a transaction.
const rowOverhead = 96

// segmentMark is the user meta byte of rows that hold a segment, so that a
// scan of keys sees which rows own a blob.
const segmentMark = 1

// op is one row to write, or to delete when frame is nil.
type op struct {
	key   []byte
	frame []byte
	mark  byte
}

// batch gathers the rows of one transaction. Nothing of it is visible, not
// even to the committer, before the transaction is durable.
type batch struct {
	c      *committer
	state  state
	docs   map[kaijutsu.DocumentID]documentRow // as the batch leaves them
	before map[kaijutsu.DocumentID]documentRow // as it found them
	// present says of records, outbox entries and chores that the batch
	// touches whether they will be there.
	present map[string]bool
	ops     []op
}

func newBatch(c *committer) *batch {
	b := &batch{
		c:      c,
		state:  c.state,
		docs:   map[kaijutsu.DocumentID]documentRow{},
		before: map[kaijutsu.DocumentID]documentRow{},

		present: map[string]bool{},
	}
	b.state.counter++
	return b
}

func (b *batch) put(key []byte, v value, mark byte) {
	b.ops = append(b.ops, op{key, seal(key, v.kind, v.payload), mark})
}

func (b *batch) delete(key []byte) { b.ops = append(b.ops, op{key: key}) }

func (b *batch) putChore(number uint64, c chore) {
	b.put(numberKey(classChore, number), value{kindChore, c.encode()}, 0)
	b.state.nextNumber = max(b.state.nextNumber, number+1)
}

func (b *batch) putRecords(class byte, doc kaijutsu.DocumentID, first uint64, r records) {
	var mark byte
	if r.segment {
		mark = segmentMark
	}
	for i, v := range r.values {
		b.put(rowKey(class, doc, first+uint64(i)), v, mark)
	}
}

// document returns the row of a document as the batch will leave it; the zero
// row when there is no such document.
func (b *batch) document(doc kaijutsu.DocumentID) (documentRow, error) {
	if row, ok := b.docs[doc]; ok {
		return row, nil
	}
	if row, ok := b.before[doc]; ok {
		return row, nil
	}
	row, ok := b.c.docs[doc]
	if !ok {
		err := b.c.s.view(func(v view) (err error) {
			row, err = v.document(doc)
			return err
		})
		if err != nil && !errors.Is(err, kaijutsu.ErrNotFound) {
			return documentRow{}, err
		}
	}
	b.before[doc] = row
	return row, nil
}

// rewound returns the row as the writer knows it, if the writer was told that
// its last write failed while the database may hold it.
func (b *batch) rewound(doc kaijutsu.DocumentID, row documentRow, first uint64) documentRow {
	acked, ok := b.c.doubtful[doc]
	if _, staged := b.docs[doc]; !ok || staged || row.stored != acked.stored || first == row.changes || first != acked.changes {
		return row
	}
	row.changes, row.actors, row.bytes, row.heads = acked.changes, acked.actors, acked.bytes, acked.heads
	return row
}

func (b *batch) putDocument(doc kaijutsu.DocumentID, row documentRow) {
	if !row.stored {
		row.stored = true
		b.state.documents++
	}
	b.docs[doc] = row
}

// write commits the batch. On badger.ErrTxnTooBig and kaijutsu.ErrTooLarge
// nothing happened.
func (b *batch) write(db *badger.DB) error {
	txn := db.NewTransaction(true)
	defer txn.Discard()
	for doc, row := range b.docs {
		key := documentKey(classDocument, doc)
		if !row.stored {
			b.delete(key)
			continue
		}
		b.put(key, row.value(), 0)
	}
	b.put(stateKey, value{kindState, b.state.encode()}, 0)
	for _, o := range b.ops {
		if err := o.set(txn); err != nil {
			return err
		}
	}
	return txn.Commit()
}

func (o op) set(txn *badger.Txn) error {
	if o.frame == nil {
		return txn.Delete(o.key)
	}
	if len(o.frame) >= maxFrameBytes {
		return fmt.Errorf("%s: %d bytes, want less than %d: %w", keyName(o.key), len(o.frame), maxFrameBytes, kaijutsu.ErrTooLarge)
	}
	err := txn.SetEntry(badger.NewEntry(o.key, o.frame).WithMeta(o.mark))
	if err != nil && !errors.Is(err, badger.ErrTxnTooBig) {
		return fmt.Errorf("%s: %w", keyName(o.key), err)
	}
	return err
}
