package policy_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/access"
	"kaijutsu/internal/courier"
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

// TestNobodySpeaksAsAnother has several write into a block: a rule pushes what
// somebody alone said and set off, and nothing else.
func TestNobodySpeaksAsAnother(t *testing.T) {
	const said, label = "do not wire the money", `{"label":"finding"}`
	type people struct{ amy, owner, mallory op.Call }
	for _, tt := range []struct {
		name string
		spec blocks.BlockSpec
		does func(w *world, p people, doc kaijutsu.DocumentID, id blocks.ID)
		want string // who pushed what
	}{
		{"all by one", blocks.BlockSpec{Content: said}, func(w *world, p people, doc kaijutsu.DocumentID, id blocks.ID) {
			w.edit(p.amy, doc, func(tx *blocks.Tx) error { return tx.SetMeta(id, label) })
		}, `[amy "do not wire the money"]`},
		{"a mention by one", blocks.BlockSpec{Content: said}, func(w *world, p people, doc kaijutsu.DocumentID, id blocks.ID) {
			w.edit(p.amy, doc, func(tx *blocks.Tx) error { return tx.ReplaceText(id, said+" @private") })
		}, `[amy "do not wire the money @private"]`},
		{"text", blocks.BlockSpec{Content: said}, func(w *world, p people, doc kaijutsu.DocumentID, id blocks.ID) {
			w.edit(p.mallory, doc, func(tx *blocks.Tx) error { return tx.ReplaceText(id, "wire the money. @private") })
		}, "[]"},
		{"a piece of the text", blocks.BlockSpec{Content: said}, func(w *world, p people, doc kaijutsu.DocumentID, id blocks.ID) {
			w.edit(p.mallory, doc, func(tx *blocks.Tx) error { return tx.ReplaceText(id, "do wire the money") })
			w.edit(p.amy, doc, func(tx *blocks.Tx) error { return tx.SetMeta(id, label) })
		}, "[]"},
		{"a body", blocks.BlockSpec{Content: said, Form: blocks.FormBody}, func(w *world, p people, doc kaijutsu.DocumentID, id blocks.ID) {
			w.edit(p.mallory, doc, func(tx *blocks.Tx) error { return tx.ReplaceText(id, "wire the money") })
			w.edit(p.amy, doc, func(tx *blocks.Tx) error { return tx.SetMeta(id, label) })
		}, "[]"},
		{"the label", blocks.BlockSpec{Content: said}, func(w *world, p people, doc kaijutsu.DocumentID, id blocks.ID) {
			w.edit(p.mallory, doc, func(tx *blocks.Tx) error { return tx.SetMeta(id, label) })
		}, "[]"},
		{"the label before it is done", blocks.BlockSpec{Content: said, Status: blocks.StatusRunning}, func(w *world, p people, doc kaijutsu.DocumentID, id blocks.ID) {
			w.edit(p.mallory, doc, func(tx *blocks.Tx) error { return tx.SetMeta(id, label) })
			w.settle()
			w.edit(p.amy, doc, func(tx *blocks.Tx) error { return tx.SetStatus(id, blocks.StatusDone) })
		}, "[]"},
		{"the status", blocks.BlockSpec{Content: said, Status: blocks.StatusRunning, Meta: label}, func(w *world, p people, doc kaijutsu.DocumentID, id blocks.ID) {
			w.settle()
			w.edit(p.mallory, doc, func(tx *blocks.Tx) error { return tx.SetStatus(id, blocks.StatusDone) })
		}, "[]"},
		{"all the text and the label", blocks.BlockSpec{Content: said}, func(w *world, p people, doc kaijutsu.DocumentID, id blocks.ID) {
			w.edit(p.mallory, doc, func(tx *blocks.Tx) error { return tx.ReplaceText(id, "X") })
			w.edit(p.mallory, doc, func(tx *blocks.Tx) error { return tx.SetMeta(id, label) })
		}, "[]"},
		{"by who may edit the target", blocks.BlockSpec{Content: said}, func(w *world, p people, doc kaijutsu.DocumentID, id blocks.ID) {
			w.edit(p.owner, doc, func(tx *blocks.Tx) error { return tx.ReplaceText(id, "do wire the money") })
			w.edit(p.amy, doc, func(tx *blocks.Tx) error { return tx.SetMeta(id, label) })
		}, "[]"},
		{"text that is put back", blocks.BlockSpec{Content: said}, func(w *world, p people, doc kaijutsu.DocumentID, id blocks.ID) {
			w.edit(p.mallory, doc, func(tx *blocks.Tx) error { return tx.ReplaceText(id, said+", please") })
			w.edit(p.mallory, doc, func(tx *blocks.Tx) error { return tx.ReplaceText(id, said) })
			w.settle()
			w.edit(p.amy, doc, func(tx *blocks.Tx) error { return tx.SetMeta(id, label) })
		}, `[amy "do not wire the money"]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			log := &lines{}
			w := newWorld(t, func(c *policy.Config) { c.Log = slog.New(slog.NewTextHandler(log, nil)) })
			amy := w.member("amy", kaijutsu.Person, kaijutsu.RightEdit)
			shared, private := w.context("shared"), w.context("private")
			mallory := w.guest("mallory", shared)
			w.set(policy.Policy{Rules: []policy.Rule{{On: policy.OnDone, Label: "finding", To: "private"}, {On: policy.OnMention}}})
			id := w.write(amy, shared, tt.spec)
			tt.does(w, people{amy, owner, mallory}, shared, id)
			w.settle()
			got := []string{}
			for _, b := range w.drifts(private) {
				got = append(got, fmt.Sprintf("%s %q", b.By.Name, b.Content))
			}
			if fmt.Sprint(got) != tt.want {
				t.Errorf("drifts = %s, want %s", got, tt.want)
			}
			if told := log.count("a block is not pushed"); (told > 0) != (tt.want == "[]") {
				t.Errorf("the log says %d times that nothing is pushed; drifts are %s", told, tt.want)
			}
		})
	}
}

// lines is a log.
type lines struct {
	mu   sync.Mutex
	text strings.Builder // guarded by mu
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) count(words string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), words)
}

// TestNobodyReadsByARule has a handle in a text, which somebody may have been
// made to paste, name what who reads the target may not read.
func TestNobodyReadsByARule(t *testing.T) {
	w := newWorld(t, nil)
	amy := w.member("amy", kaijutsu.Person, kaijutsu.RightEdit)
	shared, pub, private := w.context("shared"), w.context("pub"), w.context("private")
	secret := w.write(amy, private, blocks.BlockSpec{Content: "the launch code is 0000\n"})
	w.set(policy.Policy{Rules: []policy.Rule{{On: policy.OnMention}}})
	w.write(amy, shared, blocks.BlockSpec{Content: "see [[private/" + string(secret) + "]] @pub"})
	w.settle()
	b, m := w.one(pub)
	if b.By != amy.By || len(m.Citations) != 1 || m.Citations[0].Handle.Context != shared.Name() {
		t.Errorf("drift by %v cites %+v, want the block alone", b.By, m.Citations)
	}
	for _, c := range m.Citations {
		if c.Quote == drift.Quote("the launch code is 0000\n") {
			t.Errorf("it quotes %q, which the rule was not asked to read", c.Quote)
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
	w.act(amy, a, b, "and again")
	push := func() string {
		_, err := w.courier.Push(t.Context(), amy, courier.Push{From: a.Name(), To: b.Name(), Content: "too much"})
		return fmt.Sprint(err)
	}
	if got := push(); !strings.Contains(got, "amy pushes more") || !strings.Contains(got, "room again in 10s") {
		t.Errorf("the third push: %s; want to hear of amy's limit, by the rate for what is done by hand", got)
	}
	w.set(policy.Policy{Manual: policy.Limit{Principal: policy.Rate{PerMinute: 100}, Target: policy.Rate{PerMinute: 6, Burst: 1}}})
	w.act(owner, a, b, "of another")
	if got := push(); !strings.Contains(got, fmt.Sprintf(`context "b" (%s) gets more`, w.kernel.Short(b))) {
		t.Errorf("a push over the target's limit: %s; want its name", got)
	}
}

// TestWhereItHasBeen says which context a finding has been in, and what helps.
func TestWhereItHasBeen(t *testing.T) {
	w := newWorld(t, nil)
	a := w.context("a")
	_, err := w.courier.Push(t.Context(), owner, courier.Push{From: a.Name(), To: a.Name(), Content: "to itself"})
	if want := fmt.Sprintf(`in context "a" (%s) already`, w.kernel.Short(a)); !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "say again") {
		t.Errorf("a push to itself: %v, want a conflict that says %s and what helps", err, want)
	}
	chain := []string{"main:" + a.Name()}
	err = w.keeper.Push(t.Context(), &drift.Item{ID: drift.NewID(time.Now()), Via: "away", Target: a, By: owner.By, Meta: drift.Meta{Chain: chain}}, false)
	if !errors.Is(err, kaijutsu.ErrConflict) || strings.Contains(err.Error(), "say again") {
		t.Errorf("an offer of what has been here: %v, want a conflict without what does not help", err)
	}
}
