package policy_test

import (
	"errors"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/policy"
)

var toB = policy.Policy{Rules: []policy.Rule{{On: policy.OnDone, Label: "finding", To: "b"}}}

func TestABlockThatIsDonePushes(t *testing.T) {
	w := newWorld(t, nil)
	amy := w.member("amy", kaijutsu.Agent, kaijutsu.RightEdit)
	a, b := w.context("a"), w.context("b")
	w.write(amy, a, finding("finding", "before there was a rule"))
	w.set(toB)
	w.write(amy, a, finding("other", "not of the label"))
	w.write(amy, a, blocks.BlockSpec{Content: "without a label"})
	w.write(amy, a, blocks.BlockSpec{Content: "of odd meta", Meta: `{"label":7,"labels":"finding"}`})
	w.write(amy, b, finding("finding", "written where it would go"))
	if got, want := w.texts(b), `[]`; got != want {
		t.Fatalf("drifts = %s, want %s", got, want)
	}
	id := w.write(amy, a, finding("finding", "caches are cold"))
	if got, want := w.texts(b), `["caches are cold"]`; got != want {
		t.Fatalf("drifts = %s, want %s", got, want)
	}
	block, m := w.one(b)
	if block.By != amy.By || m.Kind != drift.KindPush || m.Finding != drift.Fingerprint("caches are cold") {
		t.Errorf("the drift is by %v, a %s of %s, want one by its author %v", block.By, m.Kind, m.Finding, amy.By)
	}
	if len(m.Citations) != 1 || m.Citations[0].Handle.Block != string(id) || m.Citations[0].Handle.Context != a.Name() || len(m.Citations[0].Handle.Heads) == 0 {
		t.Errorf("it cites %+v, want block %s as it was", m.Citations, id)
	}
	if want := "main:" + a.Name(); strings.Join(m.Chain, " ") != want {
		t.Errorf("its chain is %v, want %s", m.Chain, want)
	}
	// Whatever else happens to the block, the finding is there.
	w.edit(amy, a, func(tx *blocks.Tx) error { return tx.SetMeta(id, `{"labels":["x","finding"]}`) })
	w.edit(amy, a, func(tx *blocks.Tx) error { return tx.Delete(id) })
	w.edit(amy, a, func(tx *blocks.Tx) error { return tx.Restore(id) })
	w.write(amy, a, finding("finding", "Caches  are COLD"))
	if got, want := w.texts(b), `["caches are cold"]`; got != want {
		t.Errorf("drifts = %s, want %s", got, want)
	}
	// What another principal may not write there, no rule writes for it.
	bob := w.member("bob", kaijutsu.Agent, kaijutsu.RightEdit)
	_, err := w.access.Grant(t.Context(), owner.By, b, "bob", kaijutsu.RightRead)
	w.must(err)
	w.write(bob, a, finding("finding", "bob knows better"))
	if got, want := w.texts(b), `["caches are cold"]`; got != want {
		t.Errorf("drifts = %s, want %s", got, want)
	}
	if s := w.keeper.Stats(); s.Failed != 1 || s.Fired != 1 {
		t.Errorf("stats = %+v, want one fired and one failed", s)
	}
}

func TestWhenABlockCounts(t *testing.T) {
	w := newWorld(t, nil)
	w.set(toB)
	a, b := w.context("a"), w.context("b")
	running := finding("finding", "")
	running.Form, running.Status = blocks.FormChunks, blocks.StatusRunning
	id := w.write(owner, a, running)
	w.edit(owner, a, func(tx *blocks.Tx) error { return tx.AppendText(id, "streamed") })
	if got, want := w.texts(b), `[]`; got != want {
		t.Errorf("while it runs: drifts = %s, want %s", got, want)
	}
	w.edit(owner, a, func(tx *blocks.Tx) error { return tx.SetStatus(id, blocks.StatusDone) })
	if got, want := w.texts(b), `["streamed"]`; got != want {
		t.Errorf("when it is done: drifts = %s, want %s", got, want)
	}
	failed := w.write(owner, a, running)
	w.edit(owner, a, func(tx *blocks.Tx) error { return tx.AppendText(failed, "half") })
	w.edit(owner, a, func(tx *blocks.Tx) error { return tx.SetStatus(failed, blocks.StatusError) })
	later := w.write(owner, a, blocks.BlockSpec{Content: "labelled later"})
	excluded := finding("finding", "excluded")
	excluded.Excluded = true
	w.write(owner, a, excluded)
	if got, want := w.texts(b), `["streamed"]`; got != want {
		t.Errorf("failed, without a label, or excluded: drifts = %s, want %s", got, want)
	}
	w.edit(owner, a, func(tx *blocks.Tx) error { return tx.SetMeta(later, `{"labels":["finding"]}`) })
	// Live text that is empty yet is waited for; what is typed afterwards is no
	// other finding.
	live := w.write(owner, a, blocks.BlockSpec{Meta: `{"label":"finding"}`})
	w.edit(owner, a, func(tx *blocks.Tx) error { return tx.SpliceText(live, 0, 0, "typed") })
	if got, want := w.texts(b), `["streamed" "labelled later" "typed"]`; got != want {
		t.Errorf("labelled later, and typed: drifts = %s, want %s", got, want)
	}
	w.edit(owner, a, func(tx *blocks.Tx) error { return tx.SpliceText(live, 5, 0, " more") })
	if got, want := w.texts(b), `["streamed" "labelled later" "typed"]`; got != want {
		t.Errorf("typed more: drifts = %s, want %s", got, want)
	}
}

func TestMentions(t *testing.T) {
	w := newWorld(t, nil)
	a, b, c := w.context("a"), w.context("b"), w.context("c.d")
	w.set(policy.Policy{Rules: []policy.Rule{{On: policy.OnMention, From: "a"}}})
	w.write(owner, a, blocks.BlockSpec{Role: blocks.RoleModel, Form: blocks.FormBody, Content: "See @b, and (@c.d). Not @a, @nobody or me@b."})
	if got, want := w.texts(b)+w.texts(c)+w.texts(a), `["See @b, and (@c.d). Not @a, @nobody or me@b."]["See @b, and (@c.d). Not @a, @nobody or me@b."][]`; got != want {
		t.Errorf("drifts = %s, want %s", got, want)
	}
	w.write(owner, a, blocks.BlockSpec{Kind: blocks.KindShellOutput, Content: "npm i @b/x @b"})
	w.write(owner, b, blocks.BlockSpec{Content: "@c.d is not meant from here"})
	if got := w.drifts(c); len(got) != 1 {
		t.Errorf("output and another context: %d drifts, want 1", len(got))
	}
	live := w.write(owner, a, blocks.BlockSpec{Content: "what do you think"})
	w.settle()
	w.edit(owner, a, func(tx *blocks.Tx) error { return tx.SpliceText(live, 17, 0, " @c.d") })
	w.edit(owner, a, func(tx *blocks.Tx) error { return tx.SpliceText(live, 22, 0, "?") })
	w.settle()
	if got := w.drifts(c); len(got) != 2 || got[1].Content != "what do you think @c.d?" {
		t.Errorf("live text pushes %d drifts, want the whole line when it is quiet", len(got))
	}
}

func TestACheckpointPushesABriefing(t *testing.T) {
	for name, point := range map[string]blocks.BlockSpec{
		"by its meta": {Content: "done", Meta: `{"checkpoint":true}`},
		"by its kind": {Content: "done", Kind: blocks.KindCheckpoint},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			a := w.context("a")
			fork, err := w.kernel.Fork(t.Context(), owner, a, nil, "fork")
			w.must(err)
			w.set(policy.Policy{Rules: []policy.Rule{{On: policy.OnCheckpoint, To: ".parent"}}})
			w.write(owner, fork.Doc, blocks.BlockSpec{Content: "We decided to keep the cache in memory, because the disk was slow. The open question is how large it may grow."})
			w.write(owner, fork.Doc, point)
			w.write(owner, a, blocks.BlockSpec{Content: "no parent here", Meta: `{"checkpoint":true}`})
			w.write(owner, fork.Doc, blocks.BlockSpec{Content: "no", Meta: `{"checkpoint":"yes"}`})
			w.settle()
			b, m := w.one(a)
			if m.Kind != drift.KindDistill || m.SourceContext != fork.ID || !strings.Contains(b.Content, "cache in memory") {
				t.Errorf("the parent has a %s from %s: %q, want a briefing of the fork", m.Kind, m.SourceContext, b.Content)
			}
		})
	}
}

func TestOverTheLimitIsStaged(t *testing.T) {
	w := newWorld(t, nil)
	amy := w.member("amy", kaijutsu.Agent, kaijutsu.RightEdit)
	p := toB
	p.Automatic.Principal = policy.Rate{PerMinute: 1, Burst: 2}
	w.set(p)
	a, b := w.context("a"), w.context("b")
	for _, text := range []string{"1", "2", "3", "4"} {
		w.write(amy, a, finding("finding", text))
	}
	w.write(owner, a, finding("finding", "somebody else's"))
	if got, want := w.texts(b), `["1" "2" "somebody else's"]`; got != want {
		t.Errorf("drifts = %s, want %s", got, want)
	}
	staged, err := w.courier.Queue(t.Context(), owner, courier.Filter{})
	w.must(err)
	if len(staged) != 2 || staged[0].By != amy.By {
		t.Errorf("staged: %+v, want two of amy's", staged)
	}
	_, err = w.courier.Flush(t.Context(), owner, a.Name())
	w.must(err)
	if got, want := w.texts(b), `["1" "2" "somebody else's" "3" "4"]`; got != want {
		t.Errorf("after a flush: drifts = %s, want %s", got, want)
	}
}

func TestLimitsOfPeople(t *testing.T) {
	w := newWorld(t, nil)
	w.set(policy.Policy{Manual: policy.Limit{Target: policy.Rate{PerMinute: 2, Burst: 1}}})
	a, b := w.context("a"), w.context("b")
	push := func(text string) error {
		_, err := w.courier.Push(t.Context(), owner, courier.Push{From: a.Name(), To: b.Name(), Content: text})
		return err
	}
	w.must(push("one"))
	err := push("two")
	if !errors.Is(err, kaijutsu.ErrUnavailable) || !strings.Contains(err.Error(), "room again in 30s") {
		t.Errorf("the second push: %v, want ErrUnavailable that says when there is room again", err)
	}
	if got, want := w.texts(b), `["one"]`; got != want {
		t.Errorf("drifts = %s, want %s", got, want)
	}
}

func TestAFindingDoesNotGoBackByHand(t *testing.T) {
	w := newWorld(t, nil)
	a, b := w.context("a"), w.context("b")
	out, err := w.courier.Push(t.Context(), owner, courier.Push{From: a.Name(), To: b.Name(), Content: "news"})
	w.must(err)
	back := courier.Push{From: b.Name(), To: a.Name(), Blocks: []string{string(out.Block)}}
	if _, err = w.courier.Push(t.Context(), owner, back); !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), "again") {
		t.Errorf("pushed back: %v, want ErrConflict that says how", err)
	}
	back.Again = true
	if _, err = w.courier.Push(t.Context(), owner, back); err != nil || len(w.drifts(a)) != 1 {
		t.Errorf("pushed back again: %v, and %d drifts, want it there", err, len(w.drifts(a)))
	}
}

func TestThePolicyIsTheOwners(t *testing.T) {
	w := newWorld(t, nil)
	amy := w.member("amy", kaijutsu.Person, kaijutsu.RightEdit)
	if err := w.keeper.Set(t.Context(), amy, toB); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("set by an editor: %v, want ErrDenied", err)
	}
	if err := w.keeper.Set(t.Context(), owner, policy.Policy{Rules: []policy.Rule{{On: "never"}}}); !errors.Is(err, kaijutsu.ErrInvalid) {
		t.Errorf("set what is none: %v, want ErrInvalid", err)
	}
	w.set(toB)
	got, err := w.keeper.Get(amy)
	if err != nil || len(got.Rules) != 1 || got.Rules[0] != toB.Rules[0] {
		t.Errorf("policy = %+v, %v, want %+v", got, err, toB)
	}
	got.Rules[0].To = "elsewhere" // a copy
	if again, _ := w.keeper.Get(amy); again.Rules[0].To != "b" {
		t.Errorf("policy = %+v, want it untouched", again)
	}
	if _, err := w.keeper.Get(w.member("nobody", kaijutsu.Person, kaijutsu.RightNone)); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("read without a role: %v, want ErrDenied", err)
	}
	// What another node writes counts at once; what nobody can read is none.
	a, b := w.context("a"), w.context("b")
	w.must(w.queue.Put(t.Context(), owner.By, "policy", []byte(`{"v":2,"rules":[{"on":"done","label":"finding","to":"b"}]}`)))
	w.write(owner, a, finding("finding", "unread"))
	if _, err := w.keeper.Get(owner); !errors.Is(err, kaijutsu.ErrUnavailable) || w.keeper.Stats().Unread == "" {
		t.Errorf("reading an unreadable one: %v, want ErrUnavailable", err)
	}
	w.must(w.queue.Put(t.Context(), owner.By, "policy", []byte(`{"v":1,"rules":[{"on":"done","label":"finding","to":"b"}]}`)))
	w.write(owner, a, finding("finding", "read"))
	if got, want := w.texts(b), `["read"]`; got != want {
		t.Errorf("drifts = %s, want %s", got, want)
	}
}
