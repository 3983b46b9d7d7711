package kernel_test

import (
	"errors"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// posting is a block by amy, to be written as somebody.
func posting(by kaijutsu.Principal, as op.Call, doc kaijutsu.DocumentID) kernel.Posting {
	spec := blocks.BlockSpec{ID: blocks.NewID(time.Now()), Kind: blocks.KindDrift, Role: blocks.RoleSystem, Content: "found"}
	return kernel.Posting{By: by, As: as, Doc: doc, Spec: spec, Name: "drift_push"}
}

// author returns who wrote a block, and its place among those that show, -1 for
// none.
func (w *world) author(doc kaijutsu.DocumentID, id blocks.ID) (by kaijutsu.Principal, place int) {
	w.t.Helper()
	place = -1
	err := w.kernel.View(w.t.Context(), owner, doc, func(v repo.View) error {
		for i, b := range v.Blocks() {
			if b.ID == id {
				by, place = b.By, i
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return by, place
}

func TestPostOnce(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	w.block(owner, plan.Doc, blocks.BlockSpec{Content: "x"})
	amy, ben := w.member("amy", kaijutsu.RightEdit), w.member("ben", kaijutsu.RightEdit)
	p := posting(amy.By, ben, plan.Doc)
	first, err := w.kernel.Post(t.Context(), p)
	if err != nil || first.Already || first.Change == (kaijutsu.ChangeHash{}) {
		t.Fatalf("Post = %+v, %v, want a change", first, err)
	}
	if by, place := w.author(plan.Doc, p.Spec.ID); by != amy.By || place != 1 {
		t.Errorf("the block is by %v at %d, want amy at 1, the last", by, place)
	}
	again := func(when string) {
		t.Helper()
		got, err := w.kernel.Post(t.Context(), p)
		if err != nil || !got.Already || got.Change != (kaijutsu.ChangeHash{}) || got.Version == 0 {
			t.Errorf("Post %s = %+v, %v, want that it is there already", when, got, err)
		}
	}
	again("again")
	w.restart()
	again("after a restart")
	if _, err := w.kernel.Edit(t.Context(), owner, plan.Doc, "x", func(_ repo.View, tx *blocks.Tx) error { return tx.Delete(p.Spec.ID) }); err != nil {
		t.Fatal(err)
	}
	again("when the block was deleted")
	w.grant(plan.Doc, "ben", kaijutsu.RightNone)
	again("when the right is lost")
	if _, err := w.kernel.Archive(t.Context(), owner, plan.Doc, true); err != nil {
		t.Fatal(err)
	}
	again("when the context is archived")
	if _, place := w.author(plan.Doc, p.Spec.ID); place != -1 {
		t.Error("the deleted block shows again")
	}
	if err := w.kernel.Delete(t.Context(), owner, plan.Doc, true); err != nil {
		t.Fatal(err)
	}
	if _, err := w.kernel.Post(t.Context(), p); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Post into a deleted context = %v, want ErrNotFound", err)
	}
}

func TestPostAsksForTheRightOfNow(t *testing.T) {
	w := newWorld(t)
	plan, old := w.context("Plan"), w.context("Old")
	if _, err := w.kernel.Archive(t.Context(), owner, old.Doc, true); err != nil {
		t.Fatal(err)
	}
	editor, commenter, reader, granted := w.member("editor", kaijutsu.RightEdit), w.member("commenter", kaijutsu.RightComment), w.member("reader", kaijutsu.RightRead), w.member("granted", kaijutsu.RightNone)
	gone := w.member("gone", kaijutsu.RightNone)
	w.grant(plan.Doc, "granted", kaijutsu.RightEdit)
	w.grant(plan.Doc, "gone", kaijutsu.RightEdit)
	if _, err := w.access.Revoke(t.Context(), owner.By, "gone"); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		as   op.Call
		doc  kaijutsu.DocumentID
		want error
	}{
		{"an editor", w.kernel.CallOf(editor.By), plan.Doc, nil},
		{"one with a grant", w.kernel.CallOf(granted.By), plan.Doc, nil},
		{"the kernel itself", op.Call{}, plan.Doc, nil},
		{"a commenter", w.kernel.CallOf(commenter.By), plan.Doc, kaijutsu.ErrDenied},
		{"a reader", w.kernel.CallOf(reader.By), plan.Doc, kaijutsu.ErrDenied},
		{"one whose tokens are revoked", w.kernel.CallOf(gone.By), plan.Doc, kaijutsu.ErrNotFound},
		{"a stranger", w.kernel.CallOf(kaijutsu.Principal{Name: "who", Kind: kaijutsu.Person}), plan.Doc, kaijutsu.ErrNotFound},
		{"an archived context", w.kernel.CallOf(editor.By), old.Doc, kaijutsu.ErrConflict},
		{"an archived context, by the kernel", op.Call{}, old.Doc, kaijutsu.ErrConflict},
		{"the records", op.Call{}, w.records.Doc(), kaijutsu.ErrNotFound},
		{"no context", op.Call{}, kaijutsu.ContextID{1}.Document(), kaijutsu.ErrNotFound},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := posting(editor.By, test.as, test.doc)
			got, err := w.kernel.Post(t.Context(), p)
			if !errors.Is(err, test.want) || err == nil && got.Change == (kaijutsu.ChangeHash{}) {
				t.Fatalf("Post = %+v, %v, want %v", got, err, test.want)
			}
			if test.doc != plan.Doc {
				return
			}
			if by, place := w.author(plan.Doc, p.Spec.ID); (place >= 0) != (test.want == nil) || place >= 0 && by != editor.By {
				t.Errorf("the block is by %v at %d", by, place)
			}
		})
	}
	if _, err := w.kernel.Post(t.Context(), posting(kaijutsu.Principal{}, owner, plan.Doc)); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("Post by nobody = %v, want ErrDenied", err)
	}
	taken := posting(editor.By, owner, plan.Doc)
	taken.Spec.ID = w.block(owner, plan.Doc, blocks.BlockSpec{Content: "x"})
	if _, err := w.kernel.Post(t.Context(), taken); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("Post of an id that somebody else has used = %v, want ErrConflict", err)
	}
}

// TestPostNext asks which block it is when its turn comes.
func TestPostNext(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	p := posting(owner.By, owner, plan.Doc)
	spec := p.Spec
	p.Spec = blocks.BlockSpec{}
	p.Next = func() (blocks.BlockSpec, bool) { return spec, false }
	got, err := w.kernel.Post(t.Context(), p)
	if err != nil || got.Already || got.Change != (kaijutsu.ChangeHash{}) {
		t.Errorf("Post of nothing = %+v, %v, want nothing", got, err)
	}
	p.Next = func() (blocks.BlockSpec, bool) { return spec, true }
	for i, already := range []bool{false, true} {
		if got, err = w.kernel.Post(t.Context(), p); err != nil || got.Already != already {
			t.Errorf("Post %d = %+v, %v, want already %v", i, got, err, already)
		}
	}
	if _, err := w.kernel.Archive(t.Context(), owner, plan.Doc, true); err != nil {
		t.Fatal(err)
	}
	if _, err := w.kernel.Post(t.Context(), p); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("Post into an archived context = %v, want ErrConflict", err)
	}
}
