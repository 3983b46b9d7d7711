package provenance_test

import (
	"fmt"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// edges returns what a caller sees, as "from -> to kind count".
func (w *world) edges(c op.Call) []string {
	w.Helper()
	list, err := w.index.Edges(w.ctx, c)
	if err != nil {
		w.Fatal(err)
	}
	out := []string{}
	for _, e := range list {
		from := e.From
		if e.Hidden {
			from = "hidden"
		}
		if e.FromKernel != "" {
			from = e.FromKernel + ":" + from
		}
		out = append(out, fmt.Sprintf("%s -> %s %s %d", from, e.To.Name(), e.Kind, e.Count))
		if len(e.Blocks) != min(e.Count, 100) {
			w.Errorf("an edge of %d names %d blocks", e.Count, len(e.Blocks))
		}
	}
	return out
}

func (w *world) wantEdges(c op.Call, want ...string) {
	w.Helper()
	if want == nil {
		want = []string{}
	}
	if got := w.edges(c); fmt.Sprint(got) != fmt.Sprint(want) {
		w.Errorf("edges for %s = %q, want %q", c.By.Name, got, want)
	}
}

func arrow(from, to kaijutsu.DocumentID, rest string) string {
	return from.Name() + " -> " + to.Name() + " " + rest
}

// TestDriftEdge holds the edge that a drift makes.
func TestDriftEdge(t *testing.T) {
	t.Run("drift_edge_rm_by_deleting_the_block", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		_, one := w.drift(owner.By, a, b, "one")
		w.wantEdges(owner, arrow(a, b, "push 1"))
		w.delete(b, one)
		w.wantEdges(owner)
	})
	t.Run("drift_edge_rm_leaves_the_other_blocks", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		_, one := w.drift(owner.By, a, b, "one")
		w.drift(owner.By, a, b, "two")
		w.wantEdges(owner, arrow(a, b, "push 2"))
		w.delete(b, one)
		w.wantEdges(owner, arrow(a, b, "push 1"))
	})
	t.Run("drift_edge_rm_is_taken_back_by_restoring_the_block", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		_, one := w.drift(owner.By, a, b, "one")
		w.delete(b, one)
		w.wantEdges(owner)
		w.undelete(b, one)
		w.wantEdges(owner, arrow(a, b, "push 1"))
	})
	t.Run("drift_edge_rm_by_deleting_the_context", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		w.drift(owner.By, a, b, "one")
		w.wantEdges(owner, arrow(a, b, "push 1"))
		if err := w.kernel.Delete(t.Context(), owner, b, true); err != nil {
			t.Fatal(err)
		}
		w.wantEdges(owner)
	})
	t.Run("drift_edge_cycle", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		w.drift(owner.By, a, b, "one")
		w.drift(owner.By, b, a, "two")
		want := []string{arrow(b, a, "push 1"), arrow(a, b, "push 1")}
		if a.Compare(b) > 0 {
			want[0], want[1] = want[1], want[0]
		}
		w.wantEdges(owner, want...)
	})
	t.Run("drift_edge_stays_over_a_restart", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		w.drift(owner.By, a, b, "one")
		w.restart()
		w.wantEdges(owner, arrow(a, b, "push 1"))
	})
}

func TestEdgesShowWhatTheCallerMayRead(t *testing.T) {
	w := newWorld(t)
	a, b := w.context("A"), w.context("B")
	w.drift(owner.By, a, b, "one")
	eve := w.member("eve", kaijutsu.RightNone)
	w.wantEdges(eve)
	if _, err := w.access.Grant(t.Context(), owner.By, b, "eve", kaijutsu.RightRead); err != nil {
		t.Fatal(err)
	}
	w.wantEdges(eve, "hidden -> "+b.Name()+" push 1")
	if _, err := w.access.Grant(t.Context(), owner.By, a, "eve", kaijutsu.RightRead); err != nil {
		t.Fatal(err)
	}
	w.wantEdges(eve, arrow(a, b, "push 1"))
	if err := w.access.Ungrant(t.Context(), owner.By, b, "eve"); err != nil {
		t.Fatal(err)
	}
	w.wantEdges(eve)
}

func TestEdgesOfOtherKernels(t *testing.T) {
	w := newWorld(t)
	b := w.context("B")
	m := drift.Meta{SourceKernel: "elsewhere", SourceContext: b.Name(), Kind: drift.KindDistill}
	meta, err := m.Encode("")
	if err != nil {
		t.Fatal(err)
	}
	w.insert(b, blocks.BlockSpec{Kind: blocks.KindDrift, Content: "x", Meta: meta})
	w.wantEdges(owner, "elsewhere:"+b.Name()+" -> "+b.Name()+" distill 1")
}

func TestReceiptAndHas(t *testing.T) {
	w := newWorld(t)
	a, b := w.context("A"), w.context("B")
	id, block := w.drift(owner.By, a, b, "The cache is  too small")
	if err := w.index.Settle(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	check := func(when string, has bool) {
		t.Helper()
		doc, got, ok := w.index.Receipt(id)
		if !ok || doc != b || got != block {
			t.Errorf("%s: Receipt = %v %s %v, want the block", when, doc, got, ok)
		}
		if got := w.index.Has(b, drift.Fingerprint("the cache is too small")); got != has {
			t.Errorf("%s: Has = %v, want %v", when, got, has)
		}
	}
	check("delivered", true)
	if w.index.Has(a, drift.Fingerprint("the cache is too small")) {
		t.Error("the source has the finding too")
	}
	w.delete(b, block)
	w.settle()
	check("deleted", false)
	w.undelete(b, block)
	w.settle()
	check("restored", true)
	w.restart()
	w.settle()
	check("after a restart", true)

	// What says that it is this drift and is not, is no receipt.
	fake := blocks.NewID(w.now())
	w.delete(b, block)
	m := drift.Meta{SourceContext: a.Name(), Kind: drift.KindPush, DriftID: id}
	meta, err := m.Encode("")
	if err != nil {
		t.Fatal(err)
	}
	w.insert(a, blocks.BlockSpec{ID: fake, Kind: blocks.KindDrift, Content: "fake", Meta: meta})
	w.settle()
	check("faked", false)
}

// TestAForkBringsNoLetters holds that what a fork holds was not sent to it.
func TestAForkBringsNoLetters(t *testing.T) {
	w := newWorld(t)
	a, b := w.context("A"), w.context("B")
	id, _ := w.drift(owner.By, a, b, "one")
	fork, err := w.kernel.Fork(t.Context(), owner, b, nil, "Fork")
	if err != nil {
		t.Fatal(err)
	}
	w.settle()
	w.wantEdges(owner, arrow(a, b, "push 1"))
	if doc, _, _ := w.index.Receipt(id); doc != b {
		t.Errorf("the receipt is in %v, want %v", doc, b)
	}
	if list, _, err := w.index.Inbox(t.Context(), owner, fork.Doc); err != nil || len(list) != 0 {
		t.Errorf("inbox of a fork = %v %v, want none", list, err)
	}
	if !w.index.Has(fork.Doc, drift.Fingerprint("one")) {
		t.Error("a fork does not have what it holds")
	}
}

// TestNonsense holds that what an editor writes by hand does no harm.
func TestNonsense(t *testing.T) {
	w := newWorld(t)
	a := w.context("A")
	for i, meta := range []string{
		`{"citations":5}`, `{"citations":[5,{"ref":"x"},{"ref":1,"handle":"no handle"}]}`,
		`{"citations":[{"ref":1,"handle":"Plan/0199a0a0-0000-7000-8000-000000000000@00000000"}],"stale":"no"}`,
		`{"citations":[{"ref":1,"handle":"0199a0a0-0000-7000-8000-000000000000/0199a0a0-0000-7000-8000-000000000000@00000000,123456789"}]}`,
		`{"citations":[{"ref":1,"handle":"other:` + a.Name() + `/0199a0a0-0000-7000-8000-000000000000@00000000"}],"stale":[{"ref":1,"reason":"changed"}]}`,
		`{"drift_kind":7,"source_context":"\u0000"}`,
	} {
		for _, kind := range []blocks.Kind{blocks.KindText, blocks.KindDrift} {
			id, _ := w.insert(a, blocks.BlockSpec{Kind: kind, Content: "x", Meta: meta})
			w.settle()
			err := w.repo.View(t.Context(), a, func(v repo.View) error {
				if b, _ := v.Block(id); b.Meta != meta {
					t.Errorf("meta %d is %s now, want %s", i, b.Meta, meta)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}
