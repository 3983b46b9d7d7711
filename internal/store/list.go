package store

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/dgraph-io/badger/v4"

	"kaijutsu"
)

// pageKeys is how many keys a listing reads in one view; between pages the
// caller may do what it likes, writing included.
const pageKeys = 1000

// Documents lists the ids of all documents, by id; those that are made while
// it runs may be missing. After an error there is nothing more. The error
// wraps ErrDamaged when documents are missing.
func (s *Store) Documents() iter.Seq2[kaijutsu.DocumentID, error] {
	return func(yield func(kaijutsu.DocumentID, error) bool) {
		fail := func(err error) { yield(kaijutsu.DocumentID{}, fmt.Errorf("list documents: %w", err)) }
		var listed, expected uint64
		l := listing{s: s, prefix: []byte{classDocument}}
		for {
			keys, at, err := l.page()
			if err != nil {
				fail(err)
				return
			}
			if listed == 0 {
				expected = at.documents
			}
			for _, key := range keys {
				doc, err := documentOf(key)
				if err != nil {
					fail(fmt.Errorf("%w: %w", err, ErrDamaged))
					return
				}
				if !yield(doc, nil) {
					return
				}
			}
			if listed += uint64(len(keys)); len(keys) < pageKeys {
				break
			}
		}
		if listed < expected {
			fail(s.shortfall("documents", listed, expected))
		}
	}
}

func (s *Store) shortfall(what string, listed, expected uint64) error {
	return fmt.Errorf("found %d of %d %s; %s: %w", listed, expected, what, s.mendHint(), ErrDamaged)
}

// listing pages through the keys with a prefix.
type listing struct {
	s      *Store
	prefix []byte
	seek   []byte
}

// page returns up to pageKeys keys behind those of the page before, and the
// state row of the same view.
func (l *listing) page() (keys [][]byte, at state, err error) {
	if l.seek == nil {
		l.seek = bytes.Clone(l.prefix)
	}
	err = l.s.view(func(v view) error {
		if at, _, err = v.state(); err != nil {
			return err
		}
		return v.scan(l.prefix, l.seek, func(item *badger.Item) (bool, error) {
			keys = append(keys, item.KeyCopy(nil))
			return len(keys) < pageKeys, nil
		})
	})
	if len(keys) > 0 {
		l.seek = append(bytes.Clone(keys[len(keys)-1]), 0)
	}
	return keys, at, err
}

// countKeys returns how many keys have the prefix, and the state row.
func (v view) countKeys(prefix []byte) (n uint64, at state, err error) {
	if at, _, err = v.state(); err != nil {
		return 0, at, err
	}
	err = v.scan(prefix, prefix, func(*badger.Item) (bool, error) {
		n++
		return true, nil
	})
	return n, at, err
}
