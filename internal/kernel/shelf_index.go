package kernel

import (
	"context"
	"encoding/hex"
	"slices"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// shelfIndex finds documents by their names without a look at all of them.
// Slices in it are replaced, never changed. Fields are guarded by shelf.mu.
type shelfIndex struct {
	tails  map[tail][]kaijutsu.DocumentID   // by the end of the id
	titles map[string][]kaijutsu.DocumentID // contexts that have a summary
	unread map[kaijutsu.DocumentID]struct{} // documents that have none
}

func (x *shelfIndex) init() {
	x.tails, x.titles = make(map[tail][]kaijutsu.DocumentID), make(map[string][]kaijutsu.DocumentID)
	x.unread = make(map[kaijutsu.DocumentID]struct{})
}

// setLocked gives a book another summary, nil for none.
func (s *shelf) setLocked(doc kaijutsu.DocumentID, b *book, sum *summary) {
	if had := b.summary; had != nil && had.context {
		dropFrom(s.index.titles, had.title, doc)
	}
	if sum != nil && sum.context {
		addTo(s.index.titles, sum.title, doc)
	}
	if sum == nil {
		s.index.unread[doc] = struct{}{}
	} else {
		delete(s.index.unread, doc)
	}
	b.summary = sum
}

func addTo[K comparable](m map[K][]kaijutsu.DocumentID, key K, doc kaijutsu.DocumentID) {
	m[key] = append(slices.Clip(m[key]), doc)
}

func dropFrom[K comparable](m map[K][]kaijutsu.DocumentID, key K, doc kaijutsu.DocumentID) {
	left := slices.DeleteFunc(slices.Clone(m[key]), func(other kaijutsu.DocumentID) bool { return other == doc })
	if len(left) == 0 {
		delete(m, key)
	} else {
		m[key] = left
	}
}

// sharing returns the documents whose ids end in a tail. The caller must not
// change the slice.
func (s *shelf) sharing(t tail) []kaijutsu.DocumentID {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.index.tails[t]
}

// unread returns the documents without a summary.
func (s *shelf) unread() []kaijutsu.DocumentID {
	s.mu.RLock()
	defer s.mu.RUnlock()
	docs := make([]kaijutsu.DocumentID, 0, len(s.index.unread))
	for doc := range s.index.unread {
		docs = append(docs, doc)
	}
	return docs
}

// named returns the documents that have this title, or whose UUID begins or ends
// so, and perhaps others.
func (s *shelf) named(name string) []kaijutsu.DocumentID {
	s.mu.RLock()
	defer s.mu.RUnlock()
	docs := slices.Clone(s.index.titles[name])
	digits := strings.ReplaceAll(strings.ToLower(name), "-", "")
	if len(digits) < minPrefix || strings.Trim(digits, "0123456789abcdef") != "" {
		return docs
	}
	if n := len(digits); n >= shortDigits {
		end, err := hex.DecodeString(digits[n-shortDigits:])
		if err == nil {
			docs = append(docs, s.index.tails[tail(end)]...)
		}
	}
	first, err := hex.DecodeString(digits[:len(digits)&^1]) // a half byte is for the caller to see
	if err != nil {
		return docs
	}
	at, _ := slices.BinarySearchFunc(s.order, string(first), func(doc kaijutsu.DocumentID, first string) int {
		return strings.Compare(string(doc.Bytes()), first)
	})
	for _, doc := range s.order[at:] {
		if !strings.HasPrefix(string(doc.Bytes()), string(first)) {
			break
		}
		docs = append(docs, doc)
	}
	return docs
}

// among returns the summaries of those of some documents that the caller may
// read, by id, each once.
func (k *Kernel) among(ctx context.Context, c op.Call, docs []kaijutsu.DocumentID) ([]*summary, error) {
	slices.SortFunc(docs, kaijutsu.DocumentID.Compare)
	docs = slices.Compact(docs)
	all := make([]*summary, 0, len(docs))
	for _, doc := range docs {
		if !k.MayRead(c, doc) {
			continue
		}
		s, err := k.summary(ctx, doc)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if absent(err) {
			continue // deleted meanwhile
		}
		if err != nil {
			k.log.Warn("document left out of the list", "document", doc, "err", err)
			continue
		}
		all = append(all, s)
	}
	return all, nil
}

// exactly returns the contexts that a caller may read and that have this title,
// or whose id begins or ends so: what exact finds among all.
func (k *Kernel) exactly(ctx context.Context, c op.Call, name string) ([]*summary, error) {
	if _, err := k.among(ctx, c, k.shelf.unread()); err != nil { // their titles are not known yet
		return nil, err
	}
	some, err := k.among(ctx, c, k.shelf.named(name))
	if err != nil {
		return nil, err
	}
	return k.exact(some, name), nil
}
