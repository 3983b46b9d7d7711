package provenance_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// committed is a keystroke in a block.
func committed(doc kaijutsu.DocumentID, id blocks.ID, before, after kaijutsu.Heads) repo.Committed {
	return repo.Committed{
		Doc: doc, Before: before, Heads: after, Version: 2, From: 1,
		Deltas: []repo.Delta{{Delta: blocks.Delta{Blocks: []blocks.Touched{{ID: id, How: blocks.TouchContent}}}}},
	}
}

// BenchmarkNote is what every keystroke costs in a context without citations.
func BenchmarkNote(b *testing.B) {
	w := newWorld(b)
	doc := w.context("A")
	id, heads := w.text(doc, poem)
	w.settle()
	c := committed(doc, id, heads, heads)
	b.ReportAllocs()
	for b.Loop() {
		w.index.Note(c)
	}
}

// BenchmarkNoteCited is the same in a block that a hundred others cite.
func BenchmarkNoteCited(b *testing.B) {
	w := newWorld(b)
	doc, target := w.context("A"), w.context("B")
	id, heads := w.text(doc, poem)
	for range 100 {
		w.drift(owner.By, doc, target, "a claim [1]", cites(1, doc, id, heads, 2, 2))
	}
	w.settle()
	c := committed(doc, id, heads, heads)
	b.ReportAllocs()
	for b.Loop() {
		w.index.Note(c)
	}
}

// BenchmarkStale is a hundred citations of a block that becomes another and is
// as it was again: until the marks are written, and until they are gone.
func BenchmarkStale(b *testing.B) {
	w := newWorld(b)
	doc, target := w.context("A"), w.context("B")
	id, heads := w.text(doc, strings.Repeat("line\n", 100))
	for i := range 100 {
		w.drift(owner.By, doc, target, fmt.Sprint("a claim [1] ", i), cites(1, doc, id, heads, i+1, i+1))
	}
	w.settle()
	b.ResetTimer()
	for b.Loop() {
		w.replace(doc, id, "x")
		w.settle()
		w.replace(doc, id, strings.Repeat("line\n", 100))
		w.settle()
	}
}

// TestAHotBlockThatThousandsCite measures a block that thousands of others of one
// context cite, as typing goes on in it and others work in that context.
func TestAHotBlockThatThousandsCite(t *testing.T) {
	many := 1000
	if os.Getenv("KJ_FULL") != "" {
		many = 10_000
	}
	w := newWorld(t)
	source, target, other := w.context("Source"), w.context("Target"), w.context("Other")
	text, heads := w.text(source, poem)
	for i := 0; i < many; i += 500 {
		w.edit(owner.By, target, func(_ repo.View, tx *blocks.Tx) error {
			for k := range 500 {
				c := cites(1, source, text, heads, 2, 2)
				meta := fmt.Sprintf(`{"citations":[{"ref":1,"handle":%q}]}`, c.Handle.String())
				if err := tx.InsertBlock(blocks.BlockSpec{ID: blocks.NewID(time.Now()), Content: fmt.Sprint("note ", i+k), Meta: meta}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	_, far := w.drift(owner.By, source, other, "a claim [1]", cites(1, source, text, heads, 2, 2))
	began := time.Now()
	w.settle()
	t.Logf("%d blocks that cite were read in %v", many, time.Since(began))
	began = time.Now()
	w.replace(source, text, strings.Replace(poem, "two", "TWO", 1))
	done := make(chan error, 1)
	go func() { done <- w.index.SettleMarks(t.Context()) }()
	var worst, notes time.Duration
	edits, mine := 0, blocks.ID("")
	mine, _ = w.text(target, "mine")
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	farAt := time.Duration(0)
	for over := false; !over; {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			over = true
		case <-tick.C:
			at := time.Now()
			w.edit(owner.By, target, func(_ repo.View, tx *blocks.Tx) error { return tx.AppendText(mine, "x") })
			worst, edits = max(worst, time.Since(at)), edits+1
			at = time.Now()
			w.edit(owner.By, source, func(_ repo.View, tx *blocks.Tx) error { return tx.AppendText(text, "y") })
			notes = max(notes, time.Since(at))
			if farAt == 0 && w.marks(other, far) != "" {
				farAt = time.Since(began)
			}
		}
	}
	t.Logf("all marks were there after %v, that of another context after %v; meanwhile %d edits in the context took at most %v, and those of the source %v", time.Since(began), farAt, edits, worst, notes)
	marked := 0
	err := w.repo.View(t.Context(), target, func(v repo.View) error {
		for s := range v.Model().Summaries() {
			if strings.Contains(s.Meta, `"stale"`) {
				marked++
			}
		}
		t.Logf("the context has %d changes", v.Version())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if marked != many {
		t.Errorf("%d blocks are marked, want %d", marked, many)
	}
	if worst > 5*time.Second {
		t.Errorf("an edit in the context took %v", worst)
	}
}
