package provenance_test

import (
	"fmt"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/repo"
)

// setMeta rewrites the meta of a drift block as somebody who may edit the context.
func (w *world) setMeta(by kaijutsu.Principal, doc kaijutsu.DocumentID, id blocks.ID, change func(*drift.Meta)) {
	w.Helper()
	w.edit(by, doc, func(v repo.View, tx *blocks.Tx) error {
		b, _ := v.Block(id)
		m, _ := drift.ParseMeta(b.Meta)
		change(&m)
		meta, err := m.Encode("")
		if err != nil {
			return err
		}
		return tx.SetMeta(id, meta)
	})
}

// TestACitationThatAnotherWroteShowsNothing: whoever edits a context can write
// citations into a block of somebody who may read more.
func TestACitationThatAnotherWroteShowsNothing(t *testing.T) {
	w := newWorld(t)
	source, target, text, block := w.cited()
	mallory := kaijutsu.Principal{Name: "mallory", Kind: kaijutsu.Agent}
	w.replace(source, text, "one\ntwo\nthree\nfour\nfive\nSECRET\n")
	w.wantMarks(target, block, "")
	diffs := func() string {
		var all strings.Builder
		for _, k := range w.marksOf(target, block) {
			all.WriteString(k.Diff)
		}
		return all.String()
	}
	forge := func(m *drift.Meta) {
		m.Citations[0].Handle.First, m.Citations[0].Handle.Last = 0, 0
	}
	w.setMeta(mallory, target, block, forge)
	w.wantMarks(target, block, "1 changed")
	if got := diffs(); got != "" {
		t.Errorf("the diff of a citation that another wrote is %q, want none", got)
	}
	w.setMeta(owner.By, target, block, func(m *drift.Meta) { m.Model = "m" }) // with what the other wrote
	w.restart()
	w.replace(source, text, "one\ntwo\nthree\nfour\nfive\nSECRET 2\n")
	w.wantMarks(target, block, "1 changed")
	if got := diffs(); got != "" {
		t.Errorf("the diff is %q when the author has touched the meta, want none", got)
	}
	w.setMeta(mallory, target, block, func(m *drift.Meta) { m.Citations[0].Handle.First, m.Citations[0].Handle.Last = 2, 2 })
	w.wantMarks(target, block, "")
	w.replace(source, text, "one\nTWO\nthree\nfour\nfive\nSECRET\n")
	w.wantMarks(target, block, "1 changed")
	if got := diffs(); !strings.Contains(got, "+TWO") || strings.Contains(got, "SECRET") {
		t.Errorf("the diff of the citation that the block was made with is %q, want its line", got)
	}
	w.restart()
	w.replace(source, text, "one\nTWO 2\nthree\nfour\nfive\nSECRET\n")
	w.settle()
	if got := diffs(); !strings.Contains(got, "+TWO 2") {
		t.Errorf("after a restart the diff of the citation that the block was made with is %q, want its line", got)
	}
	id, _ := w.insert(target, blocks.BlockSpec{Content: "a claim [1]"})
	w.edit(mallory, target, func(_ repo.View, tx *blocks.Tx) error {
		return tx.SetMeta(id, fmt.Sprintf(`{"citations":[{"ref":1,"handle":%q}]}`, cites(1, source, text, w.firstHeads(source), 1, 1).Handle.String()))
	})
	w.settle()
	for _, k := range w.marksOf(target, id) {
		if k.Diff != "" {
			t.Errorf("a citation that came to a block later shows %q, want nothing", k.Diff)
		}
	}
}

// firstHeads returns heads at which a context had its first block already.
func (w *world) firstHeads(doc kaijutsu.DocumentID) (heads kaijutsu.Heads) {
	w.Helper()
	err := w.repo.View(w.ctx, doc, func(v repo.View) error { heads = v.HeadsOf(2); return nil })
	if err != nil {
		w.Fatal(err)
	}
	return heads
}

// TestASourceOfVeryManyHeadsIsMarked: more heads than a mark holds.
func TestASourceOfVeryManyHeadsIsMarked(t *testing.T) {
	w := newWorld(t)
	source, target, text, block := w.cited()
	const many = 66
	others := make([]*world, many)
	for i := range others {
		others[i] = newWorld(t)
		w.send(others[i], source)
		if i == many-1 {
			others[i].replace(source, text, strings.Replace(poem, "two", "TWO", 1))
		} else {
			others[i].insert(source, blocks.BlockSpec{Content: fmt.Sprint("b", i)})
		}
	}
	for _, o := range others {
		o.send(w, source)
	}
	err := w.repo.View(w.ctx, source, func(v repo.View) error {
		if len(v.Heads) != many {
			t.Errorf("the source has %d heads, want %d", len(v.Heads), many)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w.wantMarks(target, block, "1 changed")
	w.insert(source, blocks.BlockSpec{Content: "joins"})
	w.wantMarks(target, block, "1 changed")
	if k := w.marksOf(target, block); len(k) != 1 || !strings.Contains(k[0].Diff, "+TWO") {
		t.Errorf("marks = %+v, want one with a diff", k)
	}
}

// TestAForgedReceipt: whoever edits any context can make a block there that is
// what a drift would have become there.
func TestAForgedReceipt(t *testing.T) {
	w := newWorld(t)
	source, target, mine := w.context("Source"), w.context("Target"), w.context("Mallory")
	id, real := w.drift(owner.By, source, target, "finding")
	mallory := kaijutsu.Principal{Name: "mallory", Kind: kaijutsu.Agent}
	want := func(when string) {
		t.Helper()
		w.settle()
		if doc, block, ok := w.index.Receipt(id); !ok || doc != target || block != real {
			t.Errorf("%s: the receipt is %s in %s, %v; want %s in %s", when, block, doc, ok, real, target)
		}
		if doc, block, ok := w.index.ReceiptBy(id, owner.By, mine); !ok || doc != target || block != real {
			t.Errorf("%s: the owner's receipt is %s in %s, %v; want %s in %s", when, block, doc, ok, real, target)
		}
	}
	want("alone")
	forged := drift.BlockID(id, mine)
	meta, err := drift.Meta{SourceKernel: "main", SourceContext: source.Name(), Kind: drift.KindPush, DriftID: id}.Encode("")
	if err != nil {
		t.Fatal(err)
	}
	w.edit(mallory, mine, func(_ repo.View, tx *blocks.Tx) error {
		return tx.InsertBlock(blocks.BlockSpec{ID: forged, Kind: blocks.KindDrift, Role: blocks.RoleSystem, Form: blocks.FormBody, Content: "x", Meta: meta})
	})
	want("with a forged one")
	if doc, _, ok := w.index.ReceiptBy(id, mallory, target); !ok || doc != mine {
		t.Errorf("mallory's receipt is in %s, %v; want %s", doc, ok, mine)
	}
	w.setMeta(owner.By, target, real, func(m *drift.Meta) { m.Model = "m" })
	want("with another meta")
	w.edit(mallory, mine, func(_ repo.View, tx *blocks.Tx) error { return tx.SetMeta(forged, "{}") })
	want("without the forged one")
}

// TestACopyIsNoDelivery: such as of a dead letter.
func TestACopyIsNoDelivery(t *testing.T) {
	w := newWorld(t)
	source, lost := w.context("Source"), w.context("Lost")
	id := drift.NewID(w.now())
	meta, err := drift.Meta{SourceKernel: "main", SourceContext: source.Name(), Kind: drift.KindPush, DriftID: id}.Encode("")
	if err != nil {
		t.Fatal(err)
	}
	w.insert(lost, blocks.BlockSpec{ID: drift.CopyID(id, lost), Kind: blocks.KindDrift, Role: blocks.RoleSystem, Form: blocks.FormBody, Content: "x", Meta: meta})
	w.settle()
	if doc, _, ok := w.index.Receipt(id); ok {
		t.Errorf("the receipt is in %s, want none", doc)
	}
	w.wantInbox(owner, lost, "")
	w.wantEdges(owner)
}
