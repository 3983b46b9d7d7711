package provenance

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// Waiting returns the oldest letters that the caller has not read, at most n, of
// a context or with the zero id of all, as Inbox does; and how many there are of
// all, and unread. Of one context they are in the order in which they came, so
// that none is behind another that is not among them. The error wraps
// kaijutsu.ErrNotFound when there is no such context or the caller may not read
// it.
func (ix *Index) Waiting(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, n int) (letters []Letter, total, unread int, err error) {
	docs := []kaijutsu.DocumentID{doc}
	if doc.IsZero() {
		err = ix.Settle(ctx)
		docs = ix.citingDocs()
	} else {
		err = ix.settleOne(ctx, c, doc)
	}
	if err != nil {
		return nil, 0, 0, err
	}
	due := make(map[*Letter]time.Time)
	var all []*Letter
	for _, d := range docs {
		if !ix.cfg.Kernel.MayRead(c, d) || doc.IsZero() && ix.cfg.Kernel.Archived(d) {
			continue
		}
		found, n := ix.lettersOf(c.By, d)
		total += len(found)
		if n == 0 {
			continue
		}
		found = slices.DeleteFunc(found, func(l Letter) bool { return !l.Unread })
		if found, err = ix.inOrder(ctx, c, d, found); err != nil {
			return nil, 0, 0, err
		}
		var last time.Time
		for i := range found {
			if found[i].At.After(last) {
				last = found[i].At
			}
			due[&found[i]] = last // not before those that came before it
			all = append(all, &found[i])
		}
	}
	slices.SortStableFunc(all, func(a, b *Letter) int { return due[a].Compare(due[b]) })
	for _, l := range all[:min(n, len(all), maxLetters)] {
		letters = append(letters, *l)
	}
	if err := ix.open(ctx, c, letters); err != nil {
		return nil, 0, 0, err
	}
	return slices.DeleteFunc(letters, func(l Letter) bool { return l.Block == "" }), total, len(all), nil
}

// inOrder returns letters of a context as they stand in its log: what one is
// made behind of comes before it.
func (ix *Index) inOrder(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, letters []Letter) ([]Letter, error) {
	orders := make(chan []int, 1) // the view may go on when nobody waits any more
	err := ix.cfg.Kernel.View(ctx, c, doc, func(v repo.View) error {
		order := make([]int, len(letters))
		for i, l := range letters {
			if made, ok := v.Inserted(l.Block); ok {
				order[i], _ = v.Log().Index(made)
			}
		}
		orders <- order
		return nil
	})
	if errors.Is(err, kaijutsu.ErrNotFound) { // it went meanwhile
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for i, order := range <-orders {
		letters[i].order = order
	}
	slices.SortFunc(letters, func(a, b Letter) int { return cmp.Compare(a.order, b.order) })
	return letters, nil
}

// MarkLetters notes that the caller has read these letters, and what was behind
// them in their contexts: those of the same context that came before them. The
// error wraps kaijutsu.ErrNotFound when a context is not there or the caller may
// not read it.
func (ix *Index) MarkLetters(ctx context.Context, c op.Call, letters []Letter) error {
	byDoc := make(map[kaijutsu.DocumentID][]Letter)
	for _, l := range letters {
		if l.Unread {
			byDoc[l.Doc] = append(byDoc[l.Doc], l)
		}
	}
	for doc, read := range byDoc {
		if err := ix.markBehind(ctx, c, doc, read); err != nil {
			return fmt.Errorf("mark context %s read: %w", doc.Name(), err)
		}
	}
	return nil
}

// markBehind moves the caller's marker of a context behind some letters of it.
func (ix *Index) markBehind(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, read []Letter) error {
	ix.mu.Lock()
	var had kaijutsu.Heads
	if m := ix.markers[doc][c.By]; m != nil {
		had = slices.Clone(m.heads)
	}
	ix.mu.Unlock()
	moved := make(chan kaijutsu.Heads, 1) // the view may go on when nobody waits any more
	err := ix.cfg.Kernel.View(ctx, c, doc, func(v repo.View) error {
		at := slices.Clone(had)
		for _, l := range read {
			if made, ok := v.Inserted(l.Block); ok {
				at = append(at, made)
			}
		}
		heads, err := newest(v, at)
		moved <- heads
		return err
	})
	if err != nil {
		return err
	}
	heads := <-moved
	if len(heads) > maxMarkerHeads {
		return fmt.Errorf("they came in %d ways at once: %w; whoever edits the context joins them", len(heads), kaijutsu.ErrUnavailable)
	}
	value, err := json.Marshal(markerRow{markerVersion, heads.Texts()})
	if err == nil {
		err = ix.cfg.Table.Put(ctx, c.By, markerName(c.By, doc), value)
	}
	if err != nil {
		return err
	}
	return ix.Settle(ctx, doc)
}

// newest returns those of some changes that are not behind others of them, and
// those that are not here.
func newest(v repo.View, all []kaijutsu.ChangeHash) (kaijutsu.Heads, error) {
	log := v.Log()
	place := func(h kaijutsu.ChangeHash) int {
		if i, ok := log.Index(h); ok {
			return i
		}
		return -1
	}
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b kaijutsu.ChangeHash) int { return cmp.Compare(place(b), place(a)) }) // the newest first
	var kept, away kaijutsu.Heads
	var past repo.Past
	for _, h := range all {
		switch {
		case place(h) < 0:
			away = append(away, h)
		case len(kept) > 0 && past.Has(h):
		default:
			kept = append(kept, h)
			var err error
			if past, err = v.Past(kaijutsu.NewHeads(kept...)); err != nil {
				return nil, err
			}
		}
	}
	return kaijutsu.NewHeads(append(kept, away...)...), nil
}
