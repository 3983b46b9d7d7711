package provenance

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

const (
	maxLetters     = 1000
	maxLetterBytes = 16 << 20
)

// Letter is a drift block of a context.
type Letter struct {
	Doc     kaijutsu.DocumentID
	Block   blocks.ID
	Meta    drift.Meta
	Content string
	// By is who stands as the author of the block; zero when that is not known.
	By     kaijutsu.Principal
	Unread bool
	Stale  bool // some of what it cites no longer stands
	At     time.Time

	number uint64
	order  int // of its change in the log
}

// Inbox returns the letters of a context, the newest last, or with the zero id
// those of all contexts that the caller may read and that are not archived; and
// how many of all are unread. Blocks that a fork or an import brought are no
// letters. At most the newest 1000 letters are returned, and of contents no more
// than 16 MiB, the newest first: of the others Content is empty. The error wraps
// kaijutsu.ErrNotFound when there is no such context or the caller may not read
// it.
func (ix *Index) Inbox(ctx context.Context, c op.Call, doc kaijutsu.DocumentID) ([]Letter, int, error) {
	docs := []kaijutsu.DocumentID{doc}
	if doc.IsZero() {
		if err := ix.Settle(ctx); err != nil {
			return nil, 0, err
		}
		docs = ix.citingDocs()
	} else if err := ix.settleOne(ctx, c, doc); err != nil {
		return nil, 0, err
	}
	var letters []Letter
	unread := 0
	for _, d := range docs {
		if doc.IsZero() && (!ix.cfg.Kernel.MayRead(c, d) || ix.cfg.Kernel.Archived(d)) {
			continue
		}
		found, n := ix.lettersOf(c.By, d)
		letters, unread = append(letters, found...), unread+n
	}
	slices.SortFunc(letters, func(a, b Letter) int {
		return cmp.Or(a.At.Compare(b.At), a.Doc.Compare(b.Doc), cmp.Compare(a.number, b.number))
	})
	letters = letters[max(0, len(letters)-maxLetters):]
	if err := ix.open(ctx, c, letters); err != nil {
		return nil, 0, err
	}
	if !doc.IsZero() {
		slices.SortStableFunc(letters, func(a, b Letter) int { return cmp.Compare(a.order, b.order) })
	}
	return slices.DeleteFunc(letters, func(l Letter) bool { return l.Block == "" }), unread, nil
}

// settleOne waits for one document that the caller may read.
func (ix *Index) settleOne(ctx context.Context, c op.Call, doc kaijutsu.DocumentID) error {
	err := ix.cfg.Kernel.View(ctx, c, doc, func(repo.View) error { return nil })
	if err != nil {
		return err
	}
	return ix.Settle(ctx, doc)
}

// citingDocs returns the documents that have entries, by id.
func (ix *Index) citingDocs() []kaijutsu.DocumentID {
	ix.mu.Lock()
	docs := make([]kaijutsu.DocumentID, 0, len(ix.citing))
	for d := range ix.citing {
		docs = append(docs, d)
	}
	ix.mu.Unlock()
	slices.SortFunc(docs, kaijutsu.DocumentID.Compare)
	return docs
}

// lettersOf returns the letters of a document without what is in them, and how
// many somebody has not read.
func (ix *Index) lettersOf(p kaijutsu.Principal, doc kaijutsu.DocumentID) (letters []Letter, unread int) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	b := ix.books[doc]
	if b == nil || b.letters == 0 {
		return nil, 0
	}
	m := ix.markers[doc][p]
	for _, e := range b.entries {
		if !e.letter() {
			continue
		}
		l := Letter{Doc: doc, Block: e.id, By: e.by, At: e.at, number: e.number, Unread: unreadLocked(m, p, e), Stale: len(e.stale) > 0}
		if l.Unread {
			unread++
		}
		letters = append(letters, l)
	}
	return letters, unread
}

// open reads what is in letters. Of those that went meanwhile Block is empty.
func (ix *Index) open(ctx context.Context, c op.Call, letters []Letter) error {
	byDoc := make(map[kaijutsu.DocumentID][]int)
	var docs []kaijutsu.DocumentID // that with the newest letter first
	for i := len(letters) - 1; i >= 0; i-- {
		d := letters[i].Doc
		if byDoc[d] == nil {
			docs = append(docs, d)
		}
		byDoc[d] = append(byDoc[d], i)
	}
	left := maxLetterBytes
	for _, d := range docs {
		room := left
		err := ix.cfg.Kernel.View(ctx, c, d, func(v repo.View) error {
			left = room
			for _, i := range byDoc[d] {
				l := &letters[i]
				b, ok := v.Block(l.Block)
				if !ok || b.Deleted {
					l.Block = ""
					continue
				}
				l.Meta, _ = drift.ParseMeta(b.Meta)
				l.By, l.Stale = b.By, len(l.Meta.Stale) > 0
				if h, ok := v.Inserted(l.Block); ok {
					l.order, _ = v.Log().Index(h)
				}
				if len(b.Content) <= left {
					l.Content, left = b.Content, left-len(b.Content)
				}
			}
			return nil
		})
		switch {
		case errors.Is(err, kaijutsu.ErrNotFound): // it went meanwhile
			for _, i := range byDoc[d] {
				letters[i].Block = ""
			}
		case err != nil:
			return err
		}
	}
	return nil
}
