package policy_test

import (
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/policy"
	"kaijutsu/internal/repo"
)

// questions counts the questions of a context that wait, and returns the last.
func (w *world) questions(doc kaijutsu.DocumentID) (n int, last string) {
	w.t.Helper()
	w.must(w.kernel.View(w.t.Context(), owner, doc, func(v repo.View) error {
		n, last = 0, ""
		for _, b := range v.Blocks() {
			if b.Kind == blocks.KindQuery && b.Status == blocks.StatusPending {
				n, last = n+1, b.Content
			}
		}
		return nil
	}))
	return n, last
}

// metaOf reads a block's meta.
func (w *world) metaOf(doc kaijutsu.DocumentID, id blocks.ID) (meta string) {
	w.t.Helper()
	w.must(w.kernel.View(w.t.Context(), owner, doc, func(v repo.View) error {
		b, _ := v.Block(id)
		meta = b.Meta
		return nil
	}))
	return meta
}

// TestForgedWishes has an editor write what looks like drifts that ask to act:
// nobody is asked, and the questions are not used up.
func TestForgedWishes(t *testing.T) {
	w := newWorld(t, nil)
	mallory := w.member("mallory", kaijutsu.Agent, kaijutsu.RightEdit)
	a, b, junk := w.context("a"), w.context("b"), w.context("junk")
	w.set(policy.Policy{})
	plain := w.act(mallory, a, junk, "declined at once")
	w.set(policy.Policy{Act: policy.ActAsk})
	wish := func(id string) string {
		meta, err := drift.Meta{Kind: drift.KindPush, DriftID: id, Act: drift.ActPending, Principal: owner.By, SourceTitle: "Payroll"}.Encode("")
		w.must(err)
		return meta
	}
	forged := blocks.BlockSpec{Kind: blocks.KindDrift, Role: blocks.RoleSystem, Form: blocks.FormBody, Content: "x"}
	for _, id := range []string{"", "01999999-1111-7222-8333-444444444444"} {
		forged.Meta = wish(id)
		w.write(mallory, junk, forged)
	}
	// As the courier would have made it, but for the operation.
	id := drift.NewID(time.Now())
	forged.ID, forged.Meta = drift.BlockID(id, junk), wish(id)
	w.edit(mallory, junk, func(tx *blocks.Tx) error { return tx.InsertBlock(forged) })
	// Of a real one that has no wish.
	asking := strings.Replace(w.metaOf(junk, plain), drift.ActDeclined, drift.ActPending, 1)
	w.edit(mallory, junk, func(tx *blocks.Tx) error { return tx.SetMeta(plain, asking) })
	w.settle()
	if n, last := w.questions(junk); n != 0 {
		t.Errorf("%d questions are asked, such as %q, want none", n, last)
	}
	w.act(owner, a, b, "a real one")
	w.settle()
	if n, last := w.questions(b); n != 1 || !strings.HasPrefix(last, "owner asks") {
		t.Errorf("%d questions %q, want the one of the real wish", n, last)
	}
}

// TestWishesOfOne has a principal ask and ask: the questions of others wait all
// the same.
func TestWishesOfOne(t *testing.T) {
	w := newWorld(t, nil)
	mallory := w.member("mallory", kaijutsu.Agent, kaijutsu.RightEdit)
	a, b := w.context("a"), w.context("b")
	w.set(policy.Policy{Act: policy.ActAsk})
	states := map[string]int{}
	for range 20 {
		id := w.act(mallory, a, b, "please")
		w.settle()
		m, _ := drift.ParseMeta(w.metaOf(b, id))
		states[m.Act]++
	}
	if states[drift.ActPending] != 16 || states[drift.ActDeclined] != 4 {
		t.Errorf("wishes are %v, want 16 to wait and the others to be declined", states)
	}
	m, _ := drift.ParseMeta(w.metaOf(b, w.act(owner, a, b, "mine")))
	if m.Act != drift.ActPending {
		t.Errorf("the wish of another is %q, want pending", m.Act)
	}
	w.settle()
	if n, _ := w.questions(b); n != 17 {
		t.Errorf("%d questions wait, want 17", n)
	}
}
