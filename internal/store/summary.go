package store

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/dgraph-io/badger/v4"

	"kaijutsu"
)

// Summary is what the row of a document says, without opening it.
type Summary struct {
	Doc     kaijutsu.DocumentID
	Heads   kaijutsu.Heads
	Changes uint64 // in the document: before its log and in it
}

// summaryPage is how many documents are read in one view.
const summaryPage = 256

// Summaries lists all documents, by id, each as it is when the listing comes to
// it; those that are made while it runs may be missing. A document whose row is
// damaged is left out, and listed by Damaged. After an error there is nothing
// more. The error wraps ErrDamaged when documents are missing.
func (s *Store) Summaries() iter.Seq2[Summary, error] {
	return func(yield func(Summary, error) bool) {
		var listed, expected uint64
		seek := []byte{classDocument}
		for {
			page, at, err := s.summariesFrom(seek)
			if err == nil && listed == 0 {
				expected = at.documents
			}
			for _, summary := range page {
				if !summary.damaged && !yield(summary.Summary, nil) {
					return
				}
				seek = append(bytes.Clone(documentKey(classDocument, summary.Doc)), 0)
			}
			listed += uint64(len(page))
			last := len(page) < summaryPage
			if err == nil && last && listed < expected && s.durable.Load().documents >= expected {
				err = s.shortfall("documents", listed, expected)
			}
			if err != nil {
				yield(Summary{}, fmt.Errorf("list documents: %w", err))
				return
			}
			if last {
				return
			}
		}
	}
}

// listedDocument is a document whose key is there.
type listedDocument struct {
	Summary
	damaged bool
}

func (s *Store) summariesFrom(seek []byte) (page []listedDocument, at state, err error) {
	err = s.view(func(v view) error {
		if at, _, err = v.state(); err != nil {
			return err
		}
		return v.scan([]byte{classDocument}, seek, func(item *badger.Item) (bool, error) {
			key := item.KeyCopy(nil)
			doc, err := documentOf(key)
			if err != nil {
				return false, fmt.Errorf("%w: %w", err, ErrDamaged)
			}
			err = item.Value(func(frame []byte) error {
				row, err := openDocument(key, frame)
				if err != nil {
					s.noticed(doc, v.damaged(key, err.Error()))
				}
				page = append(page, listedDocument{Summary{Doc: doc, Heads: row.heads, Changes: row.before + row.changes}, err != nil})
				return nil
			})
			return len(page) < summaryPage, err
		})
	})
	return page, at, err
}
