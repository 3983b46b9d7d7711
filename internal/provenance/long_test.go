package provenance_test

import (
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// TestLongTextsAreMarkedWithoutADiff: what a diff would take long of.
func TestLongTextsAreMarkedWithoutADiff(t *testing.T) {
	w := newWorld(t)
	source, target := w.context("Source"), w.context("Target")
	id, _ := w.insert(source, blocks.BlockSpec{Role: blocks.RoleModel, Status: blocks.StatusRunning})
	var heads kaijutsu.Heads
	for range 10 {
		heads = w.edit(owner.By, source, func(_ repo.View, tx *blocks.Tx) error { return tx.AppendText(id, strings.Repeat("a\n", 20_000)) })
	}
	_, block := w.drift(owner.By, source, target, "a claim [1]", cites(1, source, id, heads, 0, 0))
	w.edit(owner.By, source, func(_ repo.View, tx *blocks.Tx) error { return tx.AppendText(id, "b\n") })
	w.wantMarks(target, block, "1 changed")
	if k := w.marksOf(target, block); len(k) != 1 || k[0].Diff != "" {
		t.Errorf("marks = %.200v, want one without a diff", k)
	}
}
