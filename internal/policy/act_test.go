package policy_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
	"kaijutsu/internal/policy"
	"kaijutsu/internal/repo"
)

// act pushes with a wish to act, and returns the block.
func (w *world) act(by op.Call, from, to kaijutsu.DocumentID, text string) blocks.ID {
	w.t.Helper()
	out, err := w.courier.Push(w.t.Context(), by, courier.Push{From: from.Name(), To: to.Name(), Content: text, Act: true})
	w.must(err)
	return out.Block
}

// actOf waits until a drift block says something else than before of the wish to
// act.
func (w *world) actOf(doc kaijutsu.DocumentID, id blocks.ID, before string) string {
	w.t.Helper()
	watch, err := w.repo.Watch(w.t.Context(), doc)
	w.must(err)
	defer watch.Close()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	for {
		var m drift.Meta
		w.must(w.repo.View(w.t.Context(), doc, func(v repo.View) error {
			b, _ := v.Block(id)
			m, _ = drift.ParseMeta(b.Meta)
			return nil
		}))
		if m.Act != before {
			return m.Act
		}
		if _, err := watch.Next(ctx); err != nil {
			w.t.Fatalf("the wish to act stays %q: %v", before, err)
		}
	}
}

// question waits for a question in a context.
func (w *world) question(doc kaijutsu.DocumentID) blocks.ID {
	w.t.Helper()
	watch, err := w.repo.Watch(w.t.Context(), doc)
	w.must(err)
	defer watch.Close()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	for {
		var id blocks.ID
		w.must(w.repo.View(w.t.Context(), doc, func(v repo.View) error {
			for _, b := range v.Blocks() {
				if b.Kind == blocks.KindQuery && b.Status == blocks.StatusPending {
					id = b.ID
				}
			}
			return nil
		}))
		if id != "" {
			return id
		}
		if _, err := watch.Next(ctx); err != nil {
			w.t.Fatalf("nobody is asked: %v", err)
		}
	}
}

func TestAWishToAct(t *testing.T) {
	w := newWorld(t, nil)
	amy, ben := w.member("amy", kaijutsu.Agent, kaijutsu.RightEdit), w.member("ben", kaijutsu.Person, kaijutsu.RightEdit)
	a, b := w.context("a"), w.context("b")
	for _, tt := range []struct {
		act  policy.Act
		want string
	}{{"", drift.ActDeclined}, {policy.ActNever, drift.ActDeclined}, {policy.ActAlways, drift.ActGranted}} {
		w.set(policy.Policy{Act: tt.act})
		if got := w.actOf(b, w.act(amy, a, b, "do it"), ""); got != tt.want {
			t.Errorf("policy %q: act = %q, want %q", tt.act, got, tt.want)
		}
	}
	w.set(policy.Policy{Act: policy.ActAsk})
	for _, tt := range []struct {
		name   string
		by     op.Call
		action string
		want   string
	}{
		{"accepted", ben, kernel.ElicitAccept, drift.ActGranted},
		{"declined", ben, kernel.ElicitDecline, drift.ActDeclined},
		{"by the agent that asks", amy, kernel.ElicitAccept, drift.ActDeclined},
	} {
		id := w.act(amy, a, b, tt.name)
		q := w.question(b)
		reply := kernel.Reply{Action: tt.action}
		if tt.action == kernel.ElicitAccept {
			reply.Content = json.RawMessage(`{}`)
		}
		_, err := w.kernel.AnswerElicit(t.Context(), tt.by, b, q, reply)
		w.must(err)
		if got := w.actOf(b, id, drift.ActPending); got != tt.want {
			t.Errorf("%s: act = %q, want %q", tt.name, got, tt.want)
		}
	}
	for _, d := range w.drifts(b) {
		if m, ok := drift.ParseMeta(d.Meta); !ok || m.Principal != amy.By {
			t.Errorf("drift %q: its meta %q lost what it said", d.Content, d.Meta)
		}
	}
}

func TestAQuestionOutlivesARestart(t *testing.T) {
	w := newWorld(t, nil)
	a, b := w.context("a"), w.context("b")
	w.set(policy.Policy{Act: policy.ActAsk})
	id := w.act(owner, a, b, "do it")
	q := w.question(b)
	w.settle()
	w.restart(false)
	if again := w.question(b); again != q {
		t.Errorf("it asks %s again, want %s to stay the only question", again, q)
	}
	_, err := w.kernel.AnswerElicit(t.Context(), owner, b, q, kernel.Reply{Action: kernel.ElicitAccept, Content: json.RawMessage(`{}`)})
	w.must(err)
	if got := w.actOf(b, id, drift.ActPending); got != drift.ActGranted {
		t.Errorf("act = %q, want granted", got)
	}
}

func TestAQuestionExpires(t *testing.T) {
	w := newWorld(t, nil)
	a, b := w.context("a"), w.context("b")
	w.set(policy.Policy{Act: policy.ActAsk, ActWait: time.Second})
	if got := w.actOf(b, w.act(owner, a, b, "do it"), drift.ActPending); got != drift.ActDeclined {
		t.Errorf("act = %q, want declined when nobody answers", got)
	}
}

// TestAWishInAnArchivedContext has the context of a question go away before
// somebody answers.
func TestAWishInAnArchivedContext(t *testing.T) {
	w := newWorld(t, nil)
	a, b := w.context("a"), w.context("b")
	w.set(policy.Policy{Act: policy.ActAsk, ActWait: time.Second})
	id := w.act(owner, a, b, "do it")
	w.question(b)
	_, err := w.kernel.Archive(t.Context(), owner, b, true)
	w.must(err)
	if got := w.actOf(b, id, drift.ActPending); got != drift.ActDeclined {
		t.Errorf("act = %q, want declined", got)
	}
}

// TestAWishWhenThePolicyChanges has nobody ask any more by the time the keeper
// comes to it.
func TestAWishWhenThePolicyChanges(t *testing.T) {
	w := newWorld(t, nil)
	a, b := w.context("a"), w.context("b")
	w.set(policy.Policy{Act: policy.ActAsk})
	w.restart(true)
	id := w.act(owner, a, b, "do it")
	w.set(policy.Policy{Act: policy.ActNever, Rules: []policy.Rule{{On: policy.OnMention}}})
	w.must(w.keeper.Drive(w.courier))
	if got := w.actOf(b, id, drift.ActPending); got != drift.ActDeclined {
		t.Errorf("act = %q, want declined", got)
	}
}
