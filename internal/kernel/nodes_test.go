package kernel_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/repo"
)

// bring has a world take over everything another holds of a document, as
// another node's changes are taken.
func (w *world) bring(from *world, doc kaijutsu.DocumentID) error {
	w.t.Helper()
	origin, err := from.repo.Origin(w.t.Context(), doc)
	if errors.Is(err, kaijutsu.ErrNotFound) {
		return nil
	}
	if err != nil {
		w.t.Fatal(err)
	}
	first := uint64(0)
	if origin.Base != nil {
		first = origin.Base.Changes
	}
	changes, err := from.repo.Raw(w.t.Context(), doc, first, 1<<20)
	if err != nil {
		w.t.Fatal(err)
	}
	delivery := repo.Delivery{Node: "other", Signers: make(map[kaijutsu.ActorID]repo.Signer), Base: origin.Base, Anchor: origin.Anchor}
	for _, c := range changes {
		decoded, err := amfile.DecodeChange(c.Raw)
		if err != nil {
			w.t.Fatal(err)
		}
		delivery.Changes = append(delivery.Changes, decoded)
		delivery.Signers[c.Author()] = repo.Signer{By: c.By, Via: c.Via}
	}
	_, err = w.repo.Absorb(w.t.Context(), doc, delivery)
	return err
}

// share has two worlds hold the same records.
func share(a, b *world) {
	a.t.Helper()
	for range 2 {
		if err := errors.Join(a.bring(b, b.records.Doc()), b.bring(a, a.records.Doc())); err != nil {
			a.t.Fatal(err)
		}
	}
	a.settle()
	b.settle()
}

// settle waits until what is committed has been told.
func (w *world) settle() {
	w.t.Helper()
	if err := w.records.Put(w.t.Context(), owner.By, "test/settle", []byte(kaijutsu.NewContextID(time.Now()).String())); err != nil {
		w.t.Fatal(err)
	}
}

// TestNodesShareWhatIsKnownOfContexts has two nodes hear of each other's records.
func TestNodesShareWhatIsKnownOfContexts(t *testing.T) {
	a, b := newWorld(t), newWorld(t)
	plan := a.context("Plan")
	fork, err := a.kernel.Fork(t.Context(), owner, plan.Doc, nil, "Plan B")
	if err != nil {
		t.Fatal(err)
	}
	share(a, b)
	if err := errors.Join(b.bring(a, plan.Doc), b.bring(a, fork.Doc)); err != nil {
		t.Fatal(err)
	}
	got, err := b.kernel.Context(t.Context(), owner, fork.Doc)
	if err != nil || got.Fork.From != plan.Doc || got.By != owner.By || !got.Created.Equal(fork.Created) || got.Title != "Plan B" {
		t.Errorf("the fork on another node = %+v, %v, want it as it is here: %+v", got, err, fork)
	}
	if _, err := b.kernel.Archive(t.Context(), owner, plan.Doc, true); err != nil {
		t.Fatal(err)
	}
	share(a, b)
	if got := a.titles(owner, false); got != "Plan B" {
		t.Errorf("contexts = %q, want the one that another node archived put away", got)
	}
	if _, err := a.kernel.Rename(t.Context(), owner, plan.Doc, "x"); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("Rename of one that another node archived = %v, want ErrConflict", err)
	}
}

// TestTwoNodesUseOneTitle keeps both contexts, and names them when one asks.
func TestTwoNodesUseOneTitle(t *testing.T) {
	a, b := newWorld(t), newWorld(t)
	mine, theirs := a.context("Plan"), b.context("Plan")
	share(a, b)
	if err := errors.Join(a.bring(b, theirs.Doc), b.bring(a, mine.Doc)); err != nil {
		t.Fatal(err)
	}
	for _, w := range []*world{a, b} {
		_, err := w.kernel.Resolve(t.Context(), owner, "Plan", kaijutsu.RightRead)
		if !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), mine.Short) || !strings.Contains(err.Error(), theirs.Short) {
			t.Errorf("Resolve = %v, want ErrConflict that names %s and %s", err, mine.Short, theirs.Short)
		}
	}
}

// TestDeletionReachesEveryNode deletes on one node what another holds, what it
// gets late, and what it holds when it was away.
func TestDeletionReachesEveryNode(t *testing.T) {
	a, b := newWorld(t), newWorld(t)
	plan, late, away := a.context("Plan"), a.context("Late"), a.context("Away")
	share(a, b)
	if err := errors.Join(b.bring(a, plan.Doc), b.bring(a, away.Doc)); err != nil {
		t.Fatal(err)
	}
	lateChanges, err := a.repo.Raw(t.Context(), late.Doc, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	watch, err := b.kernel.WatchContexts(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	for _, doc := range []kaijutsu.DocumentID{plan.Doc, late.Doc} {
		if err := a.kernel.Delete(t.Context(), owner, doc, true); err != nil {
			t.Fatal(err)
		}
	}
	share(a, b)
	b.await(plan.Doc)
	if got := b.titles(owner, true); got != "Away" {
		t.Errorf("contexts = %q, want Away alone", got)
	}
	delivery := repo.Delivery{Node: "other", Signers: map[kaijutsu.ActorID]repo.Signer{}}
	for _, c := range lateChanges {
		decoded, err := amfile.DecodeChange(c.Raw)
		if err != nil {
			t.Fatal(err)
		}
		delivery.Changes = append(delivery.Changes, decoded)
		delivery.Signers[c.Author()] = repo.Signer{By: c.By, Via: c.Via}
	}
	if _, err := b.repo.Absorb(t.Context(), late.Doc, delivery); err != nil && !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Fatal(err)
	}
	if right := b.kernel.SyncRight(owner.By, late.Doc); right != kaijutsu.RightNone {
		t.Errorf("right to a deleted context that comes late = %v, want none", right)
	}
	b.await(late.Doc)

	if err := a.kernel.Delete(t.Context(), owner, away.Doc, true); err != nil {
		t.Fatal(err)
	}
	b.kernelDown() // it hears of the deletion, and has no time for it
	if err := b.bring(a, a.records.Doc()); err != nil {
		t.Fatal(err)
	}
	b.restart()
	b.await(away.Doc)
	if got := b.titles(owner, true); got != "" {
		t.Errorf("contexts = %q, want none", got)
	}
}

// await waits until a document is deleted for good.
func (w *world) await(doc kaijutsu.DocumentID) {
	w.t.Helper()
	watch, err := w.repo.Watch(w.t.Context(), doc)
	for err == nil {
		_, err = watch.Next(w.t.Context())
	}
	if !errors.Is(err, kaijutsu.ErrNotFound) {
		w.t.Fatalf("document %s: %v, want it deleted", doc, err)
	}
}

// kernelDown ends the kernel and leaves the rest as it is.
func (w *world) kernelDown() {
	w.t.Helper()
	k := w.kernel
	if err := k.Close(); err != nil {
		w.t.Fatal(err)
	}
}

// TestTheRecordsAreNobodys: the document that holds them is no context, in no
// list, and nobody's to read or sync.
func TestTheRecordsAreNobodys(t *testing.T) {
	w := newWorld(t)
	w.context("Plan")
	doc := w.records.Doc()
	if got := w.titles(owner, true); got != "Plan" {
		t.Errorf("contexts = %q, want Plan alone", got)
	}
	for _, name := range []string{doc.Name(), doc.URL(), doc.String()} {
		if _, err := w.kernel.Resolve(t.Context(), owner, name, kaijutsu.RightRead); !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("Resolve(%s) = %v, want ErrNotFound", name, err)
		}
	}
	if right := w.kernel.SyncRight(owner.By, doc); right != kaijutsu.RightNone {
		t.Errorf("SyncRight = %v, want none", right)
	}
	tries := map[string]func() error{
		"View":   func() error { return w.kernel.View(t.Context(), owner, doc, func(repo.View) error { return nil }) },
		"Export": func() error { _, err := w.kernel.Export(t.Context(), owner, doc); return err },
		"Watch":  func() error { _, err := w.kernel.Watch(t.Context(), owner, doc); return err },
		"Delete": func() error { return w.kernel.Delete(t.Context(), owner, doc, true) },
		"Fork":   func() error { _, err := w.kernel.Fork(t.Context(), owner, doc, nil, ""); return err },
		"Edit": func() error {
			_, err := w.kernel.Edit(t.Context(), owner, doc, "x", func(repo.View, *blocks.Tx) error { return nil })
			return err
		},
		"Archive": func() error { _, err := w.kernel.Archive(t.Context(), owner, doc, true); return err },
	}
	for name, try := range tries {
		if err := try(); !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("%s = %v, want ErrNotFound", name, err)
		}
	}
}

// TestAContextWhoseRecordCannotBeReadIsClosed: it may say that it is archived.
func TestAContextWhoseRecordCannotBeReadIsClosed(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	if err := w.records.Put(t.Context(), owner.By, "kernel/context/"+plan.Doc.String(), []byte(`{"v":3}`)); err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"at once", "after a restart"} {
		if _, err := w.kernel.Rename(t.Context(), owner, plan.Doc, "x"); !errors.Is(err, kaijutsu.ErrConflict) {
			t.Errorf("%s: Rename = %v, want ErrConflict", when, err)
		}
		if got := w.kernel.Unread(); got != 1 {
			t.Errorf("%s: Unread = %d, want 1", when, got)
		}
		w.restart()
	}
}
