package repo_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/store"
)

func TestEditTravelsAndStays(t *testing.T) {
	dir := t.TempDir()
	id := newDocument(t)
	h := open(t, dir, nil)
	a, b := newReplica(t), newReplica(t)
	a.put(1)
	a.join(h, id)
	b.join(h, id)
	b.until("b has a's change", func() bool { return b.graph.Heads().Equal(a.graph.Heads()) })
	b.put(1)
	b.push()
	a.until("a has b's change", func() bool { return a.graph.Heads().Equal(b.graph.Heads()) })
	h.close(t)

	h = open(t, dir, nil)
	heads, err := h.repo.Heads(t.Context(), id)
	if err != nil || !heads.Equal(a.graph.Heads()) {
		t.Fatalf("Heads after reopening = %v, %v, want %v", heads, err, a.graph.Heads())
	}
}

func TestDiskRefuses(t *testing.T) {
	dir := t.TempDir()
	id := newDocument(t)
	h := open(t, dir, nil)
	a := newReplica(t)
	a.put(1)
	a.join(h, id)
	a.until("the first change is told", func() bool { return a.last.Heads.Equal(a.graph.Heads()) })
	before := a.graph.Heads()
	h.close(t)

	full := func(_ *repo.Config, o *store.Options) { o.MinFree = 1 << 60 }
	h = open(t, dir, full)
	reader := newReplica(t)
	reader.join(h, id)
	reader.until("the reader has the document", func() bool { return reader.graph.Heads().Equal(before) })
	a.join(h, id)
	a.put(1)
	a.push()
	a.until("the writer is told", func() bool { return len(a.last.Refused) > 0 })
	if !errors.Is(a.last.Refused[0], kaijutsu.ErrUnavailable) {
		t.Errorf("Refused = %v, want one that wraps ErrUnavailable", a.last.Refused[0])
	}
	heads, err := h.repo.Heads(t.Context(), id)
	if err != nil || !heads.Equal(before) {
		t.Errorf("Heads after the refusal = %v, %v, want %v", heads, err, before)
	}
	if !reader.graph.Heads().Equal(before) {
		t.Errorf("the reader saw %v, which is not on disk", reader.graph.Heads())
	}
	h.close(t)

	h = open(t, dir, nil)
	a.join(h, id)
	a.until("the kept change is taken later", func() bool { return a.last.Heads.Equal(a.graph.Heads()) })
}

func TestSnapshotAndColdJoin(t *testing.T) {
	dir := t.TempDir()
	id := newDocument(t)
	small := func(c *repo.Config, _ *store.Options) { c.SnapshotChanges = 50 }
	h := open(t, dir, small)
	a := newReplica(t)
	a.join(h, id)
	for range 120 {
		a.put(1)
		a.push()
	}
	a.until("everything is told", func() bool { return a.last.Heads.Equal(a.graph.Heads()) })
	eventually(t, "a snapshot is written", func() bool { return h.repo.Stats().Snapshots > 0 })
	h.close(t)

	h = open(t, dir, small)
	doc, err := h.store.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if doc.Snapshot == nil || doc.Snapshot.Covers < 50 {
		t.Fatalf("snapshot = %+v, want one that covers at least 50 changes", doc.Snapshot)
	}
	if got := int(doc.Snapshot.Covers) + len(doc.Changes); got != 120 {
		t.Errorf("snapshot and log hold %d changes, want 120", got)
	}
	b := newReplica(t)
	b.join(h, id)
	b.until("b has the document", func() bool { return b.graph.Heads().Equal(a.graph.Heads()) })
	if b.first[0] != 0x43 {
		t.Errorf("the first message to an empty peer begins with %#x, want 0x43: a whole document chunk", b.first[0])
	}
}

func TestUnavailable(t *testing.T) {
	h := open(t, t.TempDir(), func(c *repo.Config, _ *store.Options) { c.UnavailableAfter = time.Millisecond })
	id := newDocument(t)
	asker := newReplica(t)
	asker.join(h, id)
	asker.until("the asker is told", func() bool { return asker.last.Unavailable })
	owner := newReplica(t)
	owner.put(1)
	owner.join(h, id)
	owner.until("the owner is acknowledged", func() bool { return owner.last.Heads.Equal(owner.graph.Heads()) })
	asker.until("the asker gets it after all", func() bool { return asker.graph.Heads().Equal(owner.graph.Heads()) })
}

func TestEviction(t *testing.T) {
	h := open(t, t.TempDir(), func(c *repo.Config, _ *store.Options) { c.BudgetBytes, c.IdleAfter = 1, time.Hour })
	id := newDocument(t)
	a := newReplica(t)
	a.put(10)
	a.join(h, id)
	a.until("the change is told", func() bool { return a.last.Heads.Equal(a.graph.Heads()) })
	if n := h.repo.Stats().Open; n != 1 {
		t.Fatalf("open documents = %d, want 1 while a session holds it", n)
	}
	a.leave()
	eventually(t, "the document is closed", func() bool { return h.repo.Stats().Evicted == 1 })
	b := newReplica(t)
	b.join(h, id)
	b.until("it opens again from disk", func() bool { return b.graph.Heads().Equal(a.graph.Heads()) })
}

// TestInPassing looks at a document that nobody uses, and at one that somebody
// does.
func TestInPassing(t *testing.T) {
	h := open(t, t.TempDir(), func(c *repo.Config, _ *store.Options) { c.IdleAfter = time.Hour })
	idle, err := h.repo.CreateContext(t.Context(), amy, "idle")
	if err != nil {
		t.Fatal(err)
	}
	used := newDocument(t)
	a := newReplica(t)
	a.put(1)
	a.join(h, used)
	a.until("the change is told", func() bool { return a.last.Heads.Equal(a.graph.Heads()) })
	look := func(ctx context.Context, id kaijutsu.DocumentID) {
		t.Helper()
		if err := h.repo.View(ctx, id, func(v repo.View) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	h.close(t)
	h = open(t, h.dir, func(c *repo.Config, _ *store.Options) { c.IdleAfter = time.Hour })
	a.session = nil
	a.join(h, used)
	for range 3 {
		look(repo.InPassing(t.Context()), idle.Document())
		look(repo.InPassing(t.Context()), used)
	}
	if s := h.repo.Stats(); s.Open != 1 || s.Opened != 4 {
		t.Errorf("after looking in passing %d documents are open of %d that were opened, want 1 of 4", s.Open, s.Opened)
	}
	look(t.Context(), idle.Document())
	look(repo.InPassing(t.Context()), idle.Document())
	if s := h.repo.Stats(); s.Open != 2 {
		t.Errorf("after a look that is to last %d documents are open, want 2", s.Open)
	}
}

func TestBlocks(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir, nil)
	ctx := t.Context()
	cid, err := h.repo.CreateContext(ctx, amy, "Plans")
	if err != nil {
		t.Fatal(err)
	}
	id := cid.Document()
	watch, err := h.repo.Watch(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	var want []string
	var ids []blocks.ID
	for _, text := range []string{"one", "two", "three"} {
		block := blocks.NewID(time.Now())
		spec := blocks.BlockSpec{ID: block, Position: blocks.Last(), Kind: blocks.KindText, Role: blocks.RoleUser, Form: blocks.FormText, Content: text}
		if _, err := h.repo.Edit(ctx, id, repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error { return tx.InsertBlock(spec) }); err != nil {
			t.Fatal(err)
		}
		want, ids = append(want, text), append(ids, block)
	}
	if _, err := h.repo.Edit(ctx, id, repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error { return tx.AppendText(ids[1], " and a half") }); err != nil {
		t.Fatal(err)
	}
	want[1] += " and a half"
	seen := make(map[blocks.ID]string)
	for !(len(seen) == 3 && seen[ids[1]] == want[1]) {
		changed, err := watch.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range changed {
			seen[b.ID] = b.Content
		}
	}
	check := func(when string) {
		t.Helper()
		var got []string
		err := h.repo.View(ctx, id, func(v repo.View) error {
			for _, b := range v.Blocks() {
				got = append(got, b.Content)
			}
			return nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("blocks %s = %q, %v, want %q", when, got, err, want)
		}
	}
	check("before the restart")
	watch.Close()
	h.close(t)
	h = open(t, dir, nil)
	check("after the restart")
}

func TestEditOfNothing(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	_, err := h.repo.Edit(t.Context(), newDocument(t), repo.Edit{By: amy}, func(repo.View, *blocks.Tx) error { return nil })
	if !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("edit of an unknown document: %v, want ErrNotFound", err)
	}
	_, err = h.repo.Edit(t.Context(), newDocument(t), repo.Edit{}, func(repo.View, *blocks.Tx) error { return nil })
	if !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("edit by nobody: %v, want ErrDenied", err)
	}
}

func TestTrim(t *testing.T) {
	h := open(t, t.TempDir(), func(c *repo.Config, _ *store.Options) { c.IdleAfter = 40 * time.Millisecond })
	cid, err := h.repo.CreateContext(t.Context(), amy, "Plans")
	if err != nil {
		t.Fatal(err)
	}
	reader := newReplica(t)
	reader.join(h, cid.Document()) // keeps the document open
	before := h.repo.Stats().Bytes
	eventually(t, "the read model is closed", func() bool { return h.repo.Stats().Bytes < before })
	spec := blocks.BlockSpec{ID: blocks.NewID(time.Now()), Content: "later"}
	if _, err := h.repo.Edit(t.Context(), cid.Document(), repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error { return tx.InsertBlock(spec) }); err != nil {
		t.Errorf("edit after the read model was closed: %v", err)
	}
	reader.until("the reader has the edit", func() bool { return reader.graph.Len() == 3 })
}
