package provenance_test

import (
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
)

// TestForksAreContextsOfTheirOwn: the blocks of a fork have the ids that they have
// in what it was forked from; what becomes of one says nothing of the other.
func TestForksAreContextsOfTheirOwn(t *testing.T) {
	w := newWorld(t)
	source, target := w.context("Source"), w.context("Target")
	text, heads := w.text(source, poem)
	note, _ := w.insert(source, blocks.BlockSpec{Content: "a note"})
	info, err := w.kernel.Fork(t.Context(), owner, source, nil, "Fork")
	if err != nil {
		t.Fatal(err)
	}
	fork := info.Doc
	_, ofParent := w.drift(owner.By, source, target, "of the parent [1]", cites(1, source, text, heads, 2, 2))
	_, ofFork := w.drift(owner.By, fork, target, "of the fork [1]", cites(1, fork, text, heads, 2, 2))
	changed := strings.Replace(poem, "two", "TWO", 1)
	want := func(when, parent, child string) {
		t.Helper()
		w.settle()
		if got := [2]string{w.marks(target, ofParent), w.marks(target, ofFork)}; got != [2]string{parent, child} {
			t.Errorf("%s: what cites the parent and the fork is marked %q, want %q and %q", when, got, parent, child)
		}
	}
	want("at first", "", "")
	w.replace(fork, text, changed)
	want("the fork is edited", "", "1 changed")
	w.replace(source, text, changed)
	want("both are", "1 changed", "1 changed")
	w.replace(fork, text, poem)
	want("the fork is back", "1 changed", "")
	w.delete(fork, text)
	want("it is deleted in the fork", "1 changed", "1 deleted")
	w.replace(source, text, poem)
	want("the parent is back", "", "1 deleted")
	w.restart()
	want("after a restart", "", "1 deleted")
	if err := w.kernel.Delete(t.Context(), owner, source, true); err != nil {
		t.Fatal(err)
	}
	want("the parent is gone", "1 context deleted", "1 deleted")
	w.undelete(fork, text)
	w.replace(fork, note, "another note")
	want("the fork lives on", "1 context deleted", "")
}

// TestMarksOfAForkAreItsOwn: a block that cites and was forked is one more block
// that cites.
func TestMarksOfAForkAreItsOwn(t *testing.T) {
	w := newWorld(t)
	source, target, text, block := w.cited()
	info, err := w.kernel.Fork(t.Context(), owner, target, nil, "Fork")
	if err != nil {
		t.Fatal(err)
	}
	w.replace(source, text, strings.Replace(poem, "two", "TWO", 1))
	w.settle()
	for _, doc := range []kaijutsu.DocumentID{target, info.Doc} {
		if got := w.marks(doc, block); got != "1 changed" {
			t.Errorf("marks in %s = %q, want 1 changed", doc, got)
		}
	}
	w.delete(info.Doc, block)
	w.replace(source, text, poem)
	w.wantMarks(target, block, "")
}
