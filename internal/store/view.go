package store

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/dgraph-io/badger/v4"

	"kaijutsu"
)

// errAbsent says that a key has no value, and that no table in which it would
// be is known to be damaged.
var errAbsent = errors.New("absent")

// view is one consistent state of the database, durable in full.
type view struct {
	s   *Store
	txn *badger.Txn
}

// view calls fn with the latest durable state. It waits for a batch that is
// being written.
func (s *Store) view(fn func(view) error) (err error) {
	s.life.RLock()
	defer s.life.RUnlock()
	if s.db == nil {
		return s.unavailable()
	}
	// Badger reads files it has mapped and believes lengths before it has
	// compared checksums: a bad sector is a fault here, a flipped bit a wrong
	// slice bound.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			cause, ok := p.(runtime.Error)
			if !ok {
				panic(p)
			}
			if trouble := s.trouble.Load(); trouble != nil { // Badger is half open
				err = fmt.Errorf("reading the database: %v: %w", cause, *trouble)
				return
			}
			err = fmt.Errorf("reading the database: %v; %s: %w", cause, s.mendHint(), ErrDamaged)
		}
	}()
	txn := s.db.NewTransaction(false)
	defer txn.Discard()
	return fn(view{s, txn})
}

// get returns a copy of the payload under key, or errAbsent.
func (v view) get(key []byte) (kind byte, payload []byte, err error) {
	item, err := v.txn.Get(key)
	if errors.Is(err, badger.ErrKeyNotFound) {
		return 0, nil, v.absent(key)
	}
	if err != nil {
		return 0, nil, v.damaged(key, err.Error())
	}
	frame, err := item.ValueCopy(nil)
	if err == nil {
		kind, payload, err = unseal(key, frame)
	}
	if err != nil {
		return 0, nil, v.damaged(key, err.Error())
	}
	return kind, payload, nil
}

// getAs is get for a value that can be of one kind only.
func (v view) getAs(kind byte, key []byte) ([]byte, error) {
	got, payload, err := v.get(key)
	if err == nil && got != kind {
		err = v.damaged(key, fmt.Sprintf("value is of kind %d, want %d", got, kind))
	}
	return payload, err
}

// absent returns errAbsent, or says why the key may have been there.
func (v view) absent(key []byte) error {
	if err := v.s.suspects.check(key); err != nil {
		return v.damaged(key, err.Error())
	}
	return errAbsent
}

// damaged names the key, what is wrong, and what to do.
func (v view) damaged(key []byte, what string) error {
	if err := v.s.suspects.check(key); err != nil && err.Error() != what {
		what += " (" + err.Error() + ")"
	}
	return fmt.Errorf("%s (key %x): %s; %s: %w", keyName(key), key, what, v.s.mendHint(), ErrDamaged)
}

func (s *Store) mendHint() string {
	return "hint: restore a backup of " + s.dir
}

// document returns a document's row, or an error wrapping ErrNotFound,
// ErrDeleted when there was one.
func (v view) document(doc kaijutsu.DocumentID) (documentRow, error) {
	key := documentKey(classDocument, doc)
	kind, payload, err := v.get(key)
	if err == errAbsent {
		if _, _, err = v.get(deletedRecord(doc)); err == nil {
			return documentRow{}, ErrDeleted
		}
	}
	if err == errAbsent {
		return documentRow{}, kaijutsu.ErrNotFound
	}
	if err != nil {
		return documentRow{}, err
	}
	row, err := decodeDocumentAs(kind, payload)
	if err != nil {
		return documentRow{}, v.damaged(key, err.Error())
	}
	return row, nil
}

// state returns the state row and its version.
func (v view) state() (state, uint64, error) {
	item, err := v.txn.Get(stateKey)
	if err != nil {
		return state{}, 0, v.damaged(stateKey, err.Error())
	}
	var s state
	err = item.Value(func(frame []byte) (err error) {
		payload, err := unsealAs(kindState, stateKey, frame)
		if err == nil {
			s, err = decodeState(payload)
		}
		return err
	})
	if err != nil {
		return state{}, 0, v.damaged(stateKey, err.Error())
	}
	return s, item.Version(), nil
}

// readState returns the state row of a database, the zero state when there is
// none.
func readState(db *badger.DB) (state, error) {
	var s state
	err := db.View(func(txn *badger.Txn) error {
		item, err := txn.Get(stateKey)
		if errors.Is(err, badger.ErrKeyNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		frame, err := item.ValueCopy(nil)
		if err != nil {
			return err
		}
		payload, err := unsealAs(kindState, stateKey, frame)
		if err == nil {
			s, err = decodeState(payload)
		}
		return err
	})
	return s, err
}

// scan calls fn for each row with the prefix from key seek on, until fn
// returns false or an error. A damaged block ends Badger's iteration early
// without an error: the caller compares counts. The frame is valid during fn.
func (v view) scan(prefix, seek []byte, fn func(item *badger.Item) (bool, error)) error {
	opts := badger.IteratorOptions{Prefix: prefix} // no prefetching: values are inline
	it := v.txn.NewIterator(opts)
	defer it.Close()
	for it.Seek(seek); it.ValidForPrefix(prefix); it.Next() {
		more, err := fn(it.Item())
		if err != nil || !more {
			return err
		}
	}
	return nil
}
