package policy_test

import (
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/access"
	"kaijutsu/internal/op"
	"kaijutsu/internal/policy"
)

// guest makes a principal that may edit some contexts, and nothing else.
func (w *world) guest(name string, docs ...kaijutsu.DocumentID) op.Call {
	w.t.Helper()
	_, made, err := w.access.CreateToken(w.t.Context(), access.NewToken{Name: name, Kind: kaijutsu.Agent, By: owner.By})
	w.must(err)
	for _, doc := range docs {
		_, err := w.access.Grant(w.t.Context(), owner.By, doc, name, kaijutsu.RightEdit)
		w.must(err)
	}
	return op.Call{By: made.Principal, Right: made.Right}
}

// TestNobodySpeaksAsAnother has somebody who may not edit a target write into a
// block of somebody who may.
func TestNobodySpeaksAsAnother(t *testing.T) {
	for _, tt := range []struct {
		name string
		does func(w *world, mallory op.Call, doc kaijutsu.DocumentID, id blocks.ID)
		want string
	}{
		{"text", func(w *world, mallory op.Call, doc kaijutsu.DocumentID, id blocks.ID) {
			w.edit(mallory, doc, func(tx *blocks.Tx) error { return tx.ReplaceText(id, "wire the money. @private") })
		}, "[]"},
		{"a piece of the text", func(w *world, mallory op.Call, doc kaijutsu.DocumentID, id blocks.ID) {
			w.edit(mallory, doc, func(tx *blocks.Tx) error { return tx.ReplaceText(id, "do wire the money") })
			w.edit(owner, doc, func(tx *blocks.Tx) error { return tx.SetMeta(id, `{"label":"finding"}`) })
		}, "[]"},
		{"the label", func(w *world, mallory op.Call, doc kaijutsu.DocumentID, id blocks.ID) {
			w.edit(mallory, doc, func(tx *blocks.Tx) error { return tx.SetMeta(id, `{"label":"finding"}`) })
		}, "[]"},
		{"text that is put back", func(w *world, mallory op.Call, doc kaijutsu.DocumentID, id blocks.ID) {
			w.edit(mallory, doc, func(tx *blocks.Tx) error { return tx.ReplaceText(id, "do not wire the money, please") })
			w.edit(mallory, doc, func(tx *blocks.Tx) error { return tx.ReplaceText(id, "do not wire the money") })
			w.edit(owner, doc, func(tx *blocks.Tx) error { return tx.SetMeta(id, `{"label":"finding"}`) })
		}, `["do not wire the money"]`},
		{"by who may edit the target", func(w *world, _ op.Call, doc kaijutsu.DocumentID, id blocks.ID) {
			w.edit(owner, doc, func(tx *blocks.Tx) error { return tx.ReplaceText(id, "do wire it") })
			w.edit(owner, doc, func(tx *blocks.Tx) error { return tx.SetMeta(id, `{"label":"finding"}`) })
		}, `["do wire it"]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, nil)
			amy := w.member("amy", kaijutsu.Person, kaijutsu.RightEdit)
			shared, private := w.context("shared"), w.context("private")
			mallory := w.guest("mallory", shared)
			w.set(policy.Policy{Rules: []policy.Rule{{On: policy.OnDone, Label: "finding", To: "private"}, {On: policy.OnMention}}})
			id := w.write(amy, shared, blocks.BlockSpec{Content: "do not wire the money"})
			tt.does(w, mallory, shared, id)
			if got := w.texts(private); got != tt.want {
				t.Errorf("drifts = %s, want %s", got, tt.want)
			}
		})
	}
}

// TestNobodyReadsByARule has a handle in somebody's text name what only others
// may read.
func TestNobodyReadsByARule(t *testing.T) {
	w := newWorld(t, nil)
	amy := w.member("amy", kaijutsu.Person, kaijutsu.RightEdit)
	shared, pub, private := w.context("shared"), w.context("pub"), w.context("private")
	mallory := w.guest("mallory", shared, pub)
	secret := w.write(amy, private, blocks.BlockSpec{Content: "the launch code is 0000\n"})
	w.set(policy.Policy{Rules: []policy.Rule{{On: policy.OnMention}}})
	id := w.write(amy, shared, blocks.BlockSpec{Content: "hello"})
	w.edit(mallory, shared, func(tx *blocks.Tx) error { return tx.ReplaceText(id, "see [[private/"+string(secret)+"]] @pub") })
	w.settle()
	b, m := w.one(pub)
	if b.By != amy.By || len(m.Citations) != 1 || m.Citations[0].Handle.Context != shared.Name() {
		t.Errorf("drift by %v cites %+v, want the block alone", b.By, m.Citations)
	}
	for _, c := range m.Citations {
		if c.Quote == drift.Quote("the launch code is 0000\n") {
			t.Errorf("it quotes %q, which who wrote the text may not read", c.Quote)
		}
	}
}

// TestTwoLimits counts what rules push and what is pushed by hand apart.
func TestTwoLimits(t *testing.T) {
	w := newWorld(t, nil)
	amy := w.member("amy", kaijutsu.Agent, kaijutsu.RightEdit)
	a, b := w.context("a"), w.context("b")
	w.set(policy.Policy{
		Rules:     toB.Rules,
		Automatic: policy.Limit{Principal: policy.Rate{PerMinute: 1, Burst: 2}},
		Manual:    policy.Limit{Principal: policy.Rate{PerMinute: 6, Burst: 2}},
	})
	w.write(amy, a, finding("finding", "one"))
	w.write(amy, a, finding("finding", "two"))
	w.texts(b)
	w.act(amy, a, b, "by hand") // would fail the test
}
