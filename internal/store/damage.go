package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"kaijutsu"
)

// Damage is a document that cannot be read as it was written.
type Damage struct {
	Doc   kaijutsu.DocumentID
	Why   string    // names what is damaged, and the mend
	Since time.Time // when it was first seen, since Open
}

// maxDamages bounds the list; of more it is only told that there are.
const maxDamages = 10_000

// manyDamages is more than a few bad blocks leave: something larger is gone, and
// nothing is to be written over what is left.
const manyDamages = 64

// damages are the documents that are known to be damaged.
type damages struct {
	mu    sync.Mutex
	docs  map[kaijutsu.DocumentID]Damage
	aside uint64 // documents that were set aside since Open
}

// Damaged lists the documents that reading or a scrub has found damaged since
// Open and that were neither set aside nor found sound since, by id.
func (s *Store) Damaged() []Damage {
	s.damages.mu.Lock()
	defer s.damages.mu.Unlock()
	all := make([]Damage, 0, len(s.damages.docs))
	for _, d := range s.damages.docs {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b Damage) int { return cmp.Compare(a.Doc.String(), b.Doc.String()) })
	return all
}

// NoteDamage lists a document as damaged, for whoever finds that its changes
// are not what their hashes or the heads say. It reports whether that is news.
func (s *Store) NoteDamage(doc kaijutsu.DocumentID, why error) bool {
	s.damages.mu.Lock()
	defer s.damages.mu.Unlock()
	if _, known := s.damages.docs[doc]; known || len(s.damages.docs) >= maxDamages {
		return false
	}
	if s.damages.docs == nil {
		s.damages.docs = make(map[kaijutsu.DocumentID]Damage)
	}
	s.damages.docs[doc] = Damage{Doc: doc, Why: oneLine(why.Error()), Since: time.Now().UTC()}
	if len(s.damages.docs) == manyDamages && !s.acceptLoss {
		s.setDamage(fmt.Errorf("%d documents are damaged, a table may be lost; %s, or start with --accept-loss: %w: %w", manyDamages, s.mendHint(), ErrDamaged, kaijutsu.ErrUnavailable))
	}
	return true
}

// NoteSound takes a document off the list: it was read in full, and its changes
// are what their hashes and the heads say.
func (s *Store) NoteSound(doc kaijutsu.DocumentID) {
	s.damages.mu.Lock()
	defer s.damages.mu.Unlock()
	delete(s.damages.docs, doc)
}

func (d *damages) clear() {
	d.mu.Lock()
	clear(d.docs)
	d.mu.Unlock()
}

// noticed lists a document as damaged if that is what the error says.
func (s *Store) noticed(doc kaijutsu.DocumentID, err error) {
	if errors.Is(err, ErrDamaged) && s.NoteDamage(doc, err) {
		s.log.Error("document is damaged", "document", doc, "err", err)
	}
}

// Aside is a document that was set aside: where its rows are, and what of them
// can still be read.
type Aside struct {
	Path string // the file that holds every row
	Rows int
	// Snapshot is nil when there was none or it cannot be read.
	Snapshot *Snapshot
	// Before, Base and Anchor are as in Document; zero when they cannot be read.
	Before uint64
	Base   *Base
	Anchor kaijutsu.ChangeHash
	// Changes are those that can be read, by index, with gaps.
	Changes []Change
	Actors  []Actor
}

// SetAside moves every row of a document into a file of its own in Dir/lost,
// so that the document can be filled again as if it had never been here: it is
// for documents that are damaged, and destroys nothing. It returns what can
// still be read of them. Documents that rest on it are left as they are.
//
// The caller sees to it that nobody else commits to the document meanwhile. When
// it is interrupted the document is still there, damaged, and can be set aside
// again. The error wraps ErrNotFound when there is no such document, ErrDeleted
// when it was deleted, ErrUnavailable when the disk is full or failing.
func (s *Store) SetAside(ctx context.Context, doc kaijutsu.DocumentID) (Aside, error) {
	aside, err := s.setAside(ctx, doc)
	if err != nil {
		return Aside{}, fmt.Errorf("set document %s aside: %w", doc, err)
	}
	s.NoteSound(doc)
	s.damages.mu.Lock()
	s.damages.aside++
	s.damages.mu.Unlock()
	s.log.Warn("damaged document set aside", "document", doc, "path", aside.Path, "rows", aside.Rows, "changes", len(aside.Changes))
	return aside, nil
}
