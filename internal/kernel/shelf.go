package kernel

import (
	"context"
	"slices"
	"strings"
	"sync"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// summary is what lists need of a document. It is replaced, never changed.
type summary struct {
	doc     kaijutsu.DocumentID
	name    string // as contexts show it
	url     string // the automerge-repo id
	heads   kaijutsu.Heads
	context bool
	title   string
	lower   string // the title in lower case
	blocks  int
	version uint64
	by      kaijutsu.Principal // who made the first change behind the genesis
}

// shelf is every document of the store, and the summaries of those that
// somebody asked for. What is committed keeps it in step, so that a list or a
// name costs no look at the disk.
type shelf struct {
	mu    sync.RWMutex
	order []kaijutsu.DocumentID         // guarded by mu; by id
	books map[kaijutsu.DocumentID]*book // guarded by mu
	index shelfIndex                    // guarded by mu
}

// book is a document on the shelf. Fields are guarded by shelf.mu.
type book struct {
	commits uint64 // seen since the start
	heads   kaijutsu.Heads
	summary *summary // nil: it has to be made anew
	cached  *summary // what the file had; nil when it is known to be out of date
}

// putLocked returns a document's book, new if need be.
func (s *shelf) putLocked(doc kaijutsu.DocumentID) *book {
	b := s.books[doc]
	if b == nil {
		b = &book{}
		s.books[doc] = b
		i, _ := slices.BinarySearchFunc(s.order, doc, kaijutsu.DocumentID.Compare)
		s.order = slices.Insert(s.order, i, doc)
		s.setLocked(doc, b, nil)
		if t, ok := tailOf(doc); ok {
			addTo(s.index.tails, t, doc)
		}
	}
	return b
}

// removeLocked takes a document from the shelf.
func (s *shelf) removeLocked(doc kaijutsu.DocumentID) {
	b := s.books[doc]
	if b == nil {
		return
	}
	s.setLocked(doc, b, nil)
	delete(s.index.unread, doc)
	delete(s.books, doc)
	if i, found := slices.BinarySearchFunc(s.order, doc, kaijutsu.DocumentID.Compare); found {
		s.order = slices.Delete(s.order, i, i+1)
	}
	if t, ok := tailOf(doc); ok {
		dropFrom(s.index.tails, t, doc)
	}
}

// note follows a commit. It reports whether the list of contexts may be another
// with it.
func (s *shelf) note(c repo.Committed) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.Deleted {
		s.removeLocked(c.Doc)
		return true
	}
	made := s.books[c.Doc] == nil
	b := s.putLocked(c.Doc)
	b.commits++
	b.heads, b.cached = c.Heads, nil
	titled := c.All || slices.ContainsFunc(c.Deltas, func(d repo.Delta) bool { return d.Title })
	switch {
	case titled || slices.ContainsFunc(c.Deltas, counts):
		s.setLocked(c.Doc, b, nil)
	case b.summary != nil:
		next := *b.summary
		next.heads, next.version = c.Heads, c.Version
		s.setLocked(c.Doc, b, &next)
	}
	return made || titled
}

// saw follows an edit of the kernel's own, of which note may have told already.
func (s *shelf) saw(doc kaijutsu.DocumentID, heads kaijutsu.Heads) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.putLocked(doc); !b.heads.Equal(heads) {
		b.commits++
		b.cached = nil
		s.setLocked(doc, b, nil)
	}
}

// remove takes a document that is gone from the shelf.
func (s *shelf) remove(doc kaijutsu.DocumentID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.removeLocked(doc)
}

// counts reports whether a delta may alter how many blocks show.
func counts(d repo.Delta) bool {
	const alter = blocks.TouchInserted | blocks.TouchDeleted | blocks.TouchRestored | blocks.TouchMoved
	return slices.ContainsFunc(d.Blocks, func(b blocks.Touched) bool { return b.How&alter != 0 })
}

// fill puts every document of the store on the shelf, but for some.
func (s *shelf) fill(st *store.Store, but func(kaijutsu.DocumentID) bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.books = make(map[kaijutsu.DocumentID]*book)
	s.index.init()
	for doc, err := range st.Documents() {
		if err != nil {
			return err
		}
		if !but(doc) {
			s.putLocked(doc)
		}
	}
	return nil
}

// has reports whether there is such a document.
func (s *shelf) has(doc kaijutsu.DocumentID) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.books[doc] != nil
}

// get returns a document's summary, nil if it has to be made anew, and how many
// commits it had.
func (s *shelf) get(doc kaijutsu.DocumentID) (sum *summary, commits uint64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if b := s.books[doc]; b != nil {
		return b.summary, b.commits
	}
	return nil, 0
}

// keep notes a summary, unless there were commits since it was begun.
func (s *shelf) keep(sum *summary, commits uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.books[sum.doc]; b != nil && b.commits == commits {
		s.setLocked(sum.doc, b, sum)
	}
}

// all returns every document, by id.
func (s *shelf) all() []kaijutsu.DocumentID {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.order)
}

// summary returns the summary of a document. The error wraps
// kaijutsu.ErrNotFound when there is no such document.
func (k *Kernel) summary(ctx context.Context, doc kaijutsu.DocumentID) (*summary, error) {
	sum, commits := k.shelf.get(doc)
	if sum != nil {
		return sum, nil
	}
	if sum = k.cached(ctx, doc); sum != nil {
		k.shelf.keep(sum, commits)
		return sum, nil
	}
	err := k.cfg.Repo.View(repo.InPassing(ctx), doc, func(v repo.View) error {
		sum = &summary{
			doc: doc, name: doc.Name(), url: doc.String(), heads: v.Heads, context: v.IsContext(), title: v.Title(),
			lower: strings.ToLower(v.Title()), blocks: v.Len(), version: v.Version(), by: k.maker(v),
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	k.shelf.keep(sum, commits)
	k.saveSoon()
	return sum, nil
}

// maker returns who made the first change of a document behind the genesis.
func (k *Kernel) maker(v repo.View) kaijutsu.Principal {
	log := v.Log()
	for i := range min(log.Len(), 2) {
		if log.Hash(i) == k.genesis {
			continue
		}
		by, _ := v.Principal(log.Author(i))
		return by
	}
	return kaijutsu.Principal{}
}
