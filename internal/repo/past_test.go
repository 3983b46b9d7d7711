package repo_test

import (
	"strings"
	"sync"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// TestALongPastIsMadeElsewhere: who looks far back waits for it, and those who
// edit meanwhile do not.
func TestALongPastIsMadeElsewhere(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	doc := newContext(t, h.repo, "Plan")
	id := insert(t, h.repo, doc, "")
	const edits = 1500
	var writing sync.WaitGroup
	for range 50 { // together: one commit holds what many write
		writing.Go(func() {
			for range edits / 50 {
				_, err := h.repo.Edit(t.Context(), doc, repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error { return tx.AppendText(id, "x") })
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	calls := 0
	err := h.repo.View(t.Context(), doc, func(v repo.View) error {
		calls++
		for _, back := range []int{10, 20} {
			heads := v.HeadsOf(int(v.Version()) - back)
			m, err := v.At(heads)
			if err != nil {
				return err
			}
			if b, _ := m.Block(id); b.Content != strings.Repeat("x", edits-back) {
				t.Errorf("%d changes back there are %d characters, want %d", back, len(b.Content), edits-back)
			}
		}
		return nil
	})
	if err != nil || calls != 3 {
		t.Errorf("View = %v after %d calls, want 3: one for each past that was not there", err, calls)
	}
	for range 2 { // they are kept
		calls = 0
		err = h.repo.View(t.Context(), doc, func(v repo.View) error {
			calls++
			_, err := v.At(v.HeadsOf(int(v.Version()) - 10))
			return err
		})
		if err != nil || calls != 1 {
			t.Errorf("View = %v after %d calls, want 1", err, calls)
		}
	}
	var heads kaijutsu.Heads
	if err := h.repo.View(t.Context(), doc, func(v repo.View) error { heads = v.HeadsOf(1200); return nil }); err != nil {
		t.Fatal(err)
	}
	child := fork(t, h.repo, doc, heads, "Fork")
	err = h.repo.View(t.Context(), child, func(v repo.View) error {
		if v.Version() != 1201 {
			t.Errorf("the fork holds %d changes, want 1201", v.Version())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
