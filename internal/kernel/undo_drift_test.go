package kernel_test

import (
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// TestUndoOfADriftThatIsMarked takes the block away though the kernel has
// written into its meta, and an undo of that brings it back.
func TestUndoOfADriftThatIsMarked(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	amy := w.member("amy", kaijutsu.RightEdit)
	id := blocks.NewID(time.Now())
	if _, err := w.kernel.Edit(t.Context(), amy, plan.Doc, "drift_push", func(_ repo.View, tx *blocks.Tx) error {
		return tx.InsertBlock(blocks.BlockSpec{ID: id, Kind: blocks.KindDrift, Role: blocks.RoleSystem, Status: blocks.StatusDone, Form: blocks.FormBody, Content: "news", Meta: `{"drift_kind":"push"}`})
	}); err != nil {
		t.Fatal(err)
	}
	service := op.Call{By: kaijutsu.Principal{Name: "kaijutsu", Kind: kaijutsu.Service}, Right: kaijutsu.RightOwn}
	if _, err := w.kernel.Edit(t.Context(), service, plan.Doc, "stale", func(_ repo.View, tx *blocks.Tx) error {
		return tx.SetMeta(id, `{"drift_kind":"push","stale":[{"ref":1,"reason":"changed"}]}`)
	}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		if _, err := w.kernel.Undo(t.Context(), amy, plan.Doc, 0); err != nil {
			t.Fatal(err)
		}
		err := w.kernel.View(t.Context(), owner, plan.Doc, func(v repo.View) error {
			b, ok := v.Block(id)
			if !ok || b.Deleted != want || !want && b.Content != "news" {
				t.Errorf("the block is %+v, %v, want it deleted: %v", b, ok, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
