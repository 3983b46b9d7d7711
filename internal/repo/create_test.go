package repo_test

import (
	"errors"
	"io"
	"testing"
	"time"

	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// TestAContextIsMadeWithItsBlocks: one commit holds both, and where the blocks
// cannot be written there is no context.
func TestAContextIsMadeWithItsBlocks(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	commits := h.store.Stats().Commits
	cid, err := h.repo.CreateContextWith(t.Context(), repo.Edit{By: amy, Message: "op:context_import"}, "Plan", func(_ repo.View, tx *blocks.Tx) error {
		return tx.InsertBlock(blocks.BlockSpec{ID: blocks.NewID(time.Now()), Content: "one"})
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := h.store.Stats().Commits - commits; got != 1 {
		t.Errorf("%d commits, want 1", got)
	}
	err = h.repo.View(t.Context(), cid.Document(), func(v repo.View) error {
		if list := v.Blocks(); v.Title() != "Plan" || len(list) != 1 || list[0].Content != "one" || list[0].By != amy {
			t.Errorf("title %q, blocks %+v", v.Title(), list)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.repo.CreateContextWith(t.Context(), repo.Edit{By: amy}, "Half", func(_ repo.View, tx *blocks.Tx) error {
		return errors.Join(tx.InsertBlock(blocks.BlockSpec{ID: blocks.NewID(time.Now()), Content: "one"}), io.ErrUnexpectedEOF)
	})
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("CreateContextWith = %v, want the function's error", err)
	}
	if got := h.store.Stats().Commits - commits; got != 1 {
		t.Errorf("%d commits after the failure, want 1", got)
	}
}
