package policy_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/policy"
	"kaijutsu/internal/repo"
)

// restart ends everything and starts it again, undriven: without anybody who
// looks at what is committed.
func (w *world) restart(undriven bool) {
	w.t.Helper()
	w.close()
	w.undriven = undriven
	w.open()
}

func TestWhatWasMissedIsCaughtUpWith(t *testing.T) {
	w := newWorld(t, nil)
	a, b := w.context("a"), w.context("b")
	w.set(toB)
	w.write(owner, a, finding("finding", "first"))
	w.settle()
	w.restart(true) // nobody looks, as in a crash between a commit and the push
	w.write(owner, a, finding("finding", "second"))
	w.write(owner, a, blocks.BlockSpec{Meta: `{"label":"finding"}`, Content: "third"})
	if got := w.drifts(b); len(got) != 1 {
		t.Fatalf("%d drifts, want 1: nobody looks", len(got))
	}
	w.restart(false)
	if got, want := w.texts(b), `["first" "second" "third"]`; got != want {
		t.Errorf("after the next start: drifts = %s, want %s", got, want)
	}
	// Looked at twice, as when the mark is old, it is pushed once; also when it
	// was deleted where it arrived.
	first := w.drifts(b)[0].ID
	w.edit(owner, b, func(tx *blocks.Tx) error { return tx.Delete(first) })
	w.settle()
	w.close()
	w.must(os.WriteFile(filepath.Join(w.dir, "policy"), []byte("0\n"), 0o600))
	w.open()
	if got, want := w.texts(b), `["second" "third"]`; got != want {
		t.Errorf("looked at again: drifts = %s, want %s", got, want)
	}
	// Without the mark nothing of the past is looked at.
	w.restart(true)
	w.write(owner, a, finding("finding", "lost"))
	w.close()
	w.must(os.Remove(filepath.Join(w.dir, "policy")))
	w.undriven = false
	w.open()
	w.write(owner, a, finding("finding", "fourth"))
	if got, want := w.texts(b), `["second" "third" "fourth"]`; got != want {
		t.Errorf("without the mark: drifts = %s, want %s", got, want)
	}
}

func TestTextThatWaitsSurvives(t *testing.T) {
	quiet := time.Hour
	w := newWorld(t, func(c *policy.Config) { c.Quiet = quiet })
	a, b := w.context("a"), w.context("b")
	w.set(policy.Policy{Rules: []policy.Rule{{On: policy.OnMention}}})
	w.write(owner, a, blocks.BlockSpec{Content: "ask @b"})
	for w.keeper.Stats().Waiting == 0 {
		if err := t.Context().Err(); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.drifts(b); len(got) != 0 {
		t.Fatalf("%d drifts, want none while the text is not quiet", len(got))
	}
	quiet = time.Millisecond
	w.restart(false)
	if got, want := w.texts(b), `["ask @b"]`; got != want {
		t.Errorf("after a restart: drifts = %s, want %s", got, want)
	}
}

func TestTheNodeWhereItWasMadePushes(t *testing.T) {
	here, there := newWorld(t, nil), newWorld(t, nil)
	for _, w := range []*world{here, there} {
		w.set(toB)
	}
	a := here.context("a")
	deliver := func(from, to *world, doc kaijutsu.DocumentID) {
		t.Helper()
		var all []*amfile.Change
		from.must(from.repo.Since(t.Context(), doc, nil, func(cs []repo.Change) error {
			for _, c := range cs {
				decoded, err := amfile.DecodeChange(c.Raw)
				if err != nil {
					return err
				}
				all = append(all, decoded)
			}
			return nil
		}))
		signers := make(map[kaijutsu.ActorID]repo.Signer)
		for _, c := range all {
			signers[c.Actors[0]] = repo.Signer{By: owner.By}
		}
		if _, err := to.repo.Absorb(t.Context(), doc, repo.Delivery{Node: "n", Changes: all, Signers: signers}); err != nil {
			t.Fatal(err)
		}
	}
	b := here.context("b")
	here.write(owner, a, finding("finding", "made here"))
	here.settle()
	mine, _ := here.one(b)

	theirs := there.context("b") // another context of that label: nothing is to come here
	deliver(here, there, a)
	there.settle()
	if got := there.drifts(theirs); len(got) != 0 {
		t.Errorf("the other node pushes %d drifts of what was made here, want none", len(got))
	}
	// What that node itself changes, it pushes; the finding has the same id.
	there.must(there.keeper.Set(t.Context(), owner, policy.Policy{Rules: []policy.Rule{{On: policy.OnDone, Label: "finding", To: b.Name()}}}))
	deliver(here, there, b)
	there.settle()
	made := findingID(there, a)
	there.edit(owner, a, func(tx *blocks.Tx) error { return tx.SetMeta(made, `{"label":"finding","more":1}`) })
	there.settle()
	if got, _ := there.one(b); got.ID != mine.ID {
		t.Errorf("the block there is %s, want %s", got.ID, mine.ID)
	}
}

// findingID returns the only block of a context.
func findingID(w *world, doc kaijutsu.DocumentID) (id blocks.ID) {
	w.t.Helper()
	w.must(w.repo.View(w.t.Context(), doc, func(v repo.View) error {
		id = v.Blocks()[0].ID
		return nil
	}))
	return id
}
