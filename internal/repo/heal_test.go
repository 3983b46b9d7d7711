package repo_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

// spoil wipes bytes of a closed store's tables where they hold part; the rows
// around them are lost.
func spoil(t *testing.T, dir string, part []byte, n int) {
	t.Helper()
	tables, err := filepath.Glob(filepath.Join(dir, "badger", "*.sst"))
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, path := range tables {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		at := bytes.Index(b, part)
		if at < 0 {
			continue
		}
		found = true
		clear(b[at : at+min(n, len(part))])
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if !found {
		t.Fatal("no table holds it")
	}
}

// raw returns the bytes of a change of a document's log.
func raw(t *testing.T, r *repo.Repo, doc kaijutsu.DocumentID, n uint64) []byte {
	t.Helper()
	changes, err := r.Raw(t.Context(), doc, n, 1)
	if err != nil || len(changes) != 1 {
		t.Fatal(changes, err)
	}
	return bytes.Clone(changes[0].Raw)
}

func edits(t *testing.T, r *repo.Repo, doc kaijutsu.DocumentID, n int) {
	t.Helper()
	for range n {
		_, err := r.Edit(t.Context(), doc, repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error {
			return tx.SetTitle(time.Now().String())
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// damagedHouse is a house with two documents of which one is damaged on disk,
// what they held, and a sound house that holds both.
func damagedHouse(t *testing.T) (dir string, doc, other kaijutsu.DocumentID, heads kaijutsu.Heads, sound *house) {
	t.Helper()
	dir = t.TempDir()
	h := open(t, dir, nil)
	doc, other = newContext(t, h.repo, "Plan"), newContext(t, h.repo, "Other")
	edits(t, h.repo, doc, 40)
	edits(t, h.repo, other, 3)
	heads = headsOf(t, h.repo, doc)
	sound = open(t, t.TempDir(), nil)
	for _, id := range []kaijutsu.DocumentID{doc, other} {
		absorbAll(t, sound.repo, id, []repo.Delivery{whole(t, h.repo, id)})
	}
	part := raw(t, h.repo, doc, 20)
	h.close(t)
	spoil(t, dir, part[len(part)/2:], 16)
	return dir, doc, other, heads, sound
}

// from returns the hooks with which a repo gets documents from a house.
func from(t *testing.T, sound *house, h **house) func(*repo.Config, *store.Options) {
	return func(c *repo.Config, _ *store.Options) {
		c.Elsewhere = func(ctx context.Context, doc kaijutsu.DocumentID) bool {
			here, err := sound.repo.Exists(ctx, doc)
			return err == nil && here
		}
		c.Fetch = func(ctx context.Context, doc kaijutsu.DocumentID) bool {
			absorbAll(t, (*h).repo, doc, []repo.Delivery{whole(t, sound.repo, doc)})
			return true
		}
	}
}

// TestDamagedDocumentHeals damages one document on disk: the other goes on, and
// it is brought back whole by another node without anybody's doing.
func TestDamagedDocumentHeals(t *testing.T) {
	dir, doc, other, heads, sound := damagedHouse(t)
	var h *house
	h = open(t, dir, from(t, sound, &h))
	edits(t, h.repo, other, 1)
	if _, err := h.repo.Heads(t.Context(), doc); err != nil && (!errors.Is(err, store.ErrDamaged) || !errors.Is(err, kaijutsu.ErrUnavailable)) {
		t.Errorf("Heads of a damaged document = %v, want it damaged", err)
	}
	eventually(t, "the document is whole again", func() bool {
		got, err := h.repo.Heads(t.Context(), doc)
		return err == nil && got.Equal(heads)
	})
	if err := h.repo.Verify(t.Context(), doc); err != nil {
		t.Error(err)
	}
	eventually(t, "it is counted", func() bool { return h.repo.Stats().Healed == 1 })
	if asides, _ := filepath.Glob(filepath.Join(dir, "lost", doc.String()+".*")); len(asides) != 1 {
		t.Errorf("set aside: %v, want one file", asides)
	}
	edits(t, h.repo, doc, 1)
	heads = headsOf(t, h.repo, doc)
	h.close(t)
	h = open(t, dir, nil)
	if got := headsOf(t, h.repo, doc); !got.Equal(heads) {
		t.Errorf("heads after a restart are %v, want %v", got, heads)
	}
	if damaged := h.store.Damaged(); len(damaged) > 0 {
		t.Errorf("damaged after a restart: %v", damaged)
	}
}

// TestDamagedAlone damages a document that nobody else holds: it is refused with
// a reason until it is mended, and then an editor that holds it brings it back.
func TestDamagedAlone(t *testing.T) {
	dir, doc, other, heads, sound := damagedHouse(t)
	h := open(t, dir, nil)
	edits(t, h.repo, other, 1)
	_, err := h.repo.Heads(t.Context(), doc)
	if !errors.Is(err, store.ErrDamaged) || !errors.Is(err, kaijutsu.ErrUnavailable) {
		t.Fatalf("Heads of a damaged document = %v, want it damaged", err)
	}
	if damaged := h.store.Damaged(); len(damaged) != 1 || damaged[0].Doc != doc {
		t.Fatalf("damaged: %v, want %v", damaged, doc)
	}
	mended, err := h.repo.Mend(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}
	if mended.Changes != 20 || mended.Had != 42 || !mended.Short {
		t.Errorf("mended: %+v, want 20 changes of 42", mended)
	}
	absorbAll(t, h.repo, doc, []repo.Delivery{whole(t, sound.repo, doc)})
	if got := headsOf(t, h.repo, doc); !got.Equal(heads) {
		t.Errorf("heads are %v, want %v", got, heads)
	}
	if _, err := h.repo.Mend(t.Context(), doc); err != nil {
		t.Errorf("Mend of a sound document = %v", err)
	}
}

// TestDamagedWhileOpen damages on disk what is in memory: it is written anew
// from there, and nobody who has it open notices.
func TestDamagedWhileOpen(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir, nil)
	doc := newContext(t, h.repo, "Plan")
	edits(t, h.repo, doc, 40)
	heads := headsOf(t, h.repo, doc)
	h.close(t)
	h = open(t, dir, nil)
	p := newReplica(t)
	p.joinAs(h, doc, repo.Joining{Principal: ben})
	p.until("the peer has the document", func() bool { return p.graph.Heads().Equal(heads) })
	h.store.NoteDamage(doc, errors.New("as a scrub would say"))
	spoil(t, dir, raw(t, h.repo, doc, 20)[10:], 16)
	report, err := h.repo.Scrub(t.Context(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(report.Problems)
	eventually(t, "the document is whole on disk", func() bool { return h.repo.Verify(t.Context(), doc) == nil })
	edits(t, h.repo, doc, 1)
	heads = headsOf(t, h.repo, doc)
	p.until("the peer has the new change", func() bool { return p.graph.Heads().Equal(heads) })
	h.close(t)
	h = open(t, dir, nil)
	if got := headsOf(t, h.repo, doc); !got.Equal(heads) {
		t.Errorf("heads after a restart are %v, want %v", got, heads)
	}
}

// TestScrubTells scrubs while documents are edited.
func TestScrubTells(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	for range 5 {
		edits(t, h.repo, newContext(t, h.repo, "Plan"), 3)
	}
	var told atomic.Int64
	report, err := h.repo.Scrub(t.Context(), 0, func(p store.ScrubProgress) { told.Add(1) })
	if err != nil || report.DocumentsDone != 5 || report.Damaged != 0 || told.Load() < 5 {
		t.Errorf("Scrub() = %+v, %v, told %d times", report, err, told.Load())
	}
	if last := h.store.LastScrub(); last.Documents != 5 {
		t.Errorf("LastScrub() = %+v, want 5 documents", last)
	}
}
