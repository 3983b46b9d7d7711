package courier_test

import (
	"errors"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/courier"
)

// TestScenarios are the acceptance scenarios 19 to 29 as far as they are about
// the queue and delivery.
func TestScenarios(t *testing.T) {
	t.Run("19 a push is one block of the sender's", func(t *testing.T) {
		for _, stage := range []bool{false, true} {
			w := newWorld(t)
			amy := w.member("amy", kaijutsu.RightEdit)
			a, b := w.context("A"), w.context("B")
			if _, err := w.Push(t.Context(), at(amy, a.Doc), courier.Push{To: "B", Content: "x", Model: "m", Stage: stage}); err != nil {
				t.Fatal(err)
			}
			w.flush(owner, a.Doc)
			all := w.shown(b.Doc)
			if len(all) != 1 {
				t.Fatalf("B has %d blocks, want one", len(all))
			}
			m := w.metaOf(b.Doc, all[0].ID)
			if all[0].Kind != blocks.KindDrift || all[0].Role != blocks.RoleSystem || all[0].Content != "x" || all[0].By != amy.By ||
				m.Kind != drift.KindPush || m.SourceContext != a.ID || m.Model != "m" {
				t.Errorf("staged %v: block %+v, meta %+v", stage, all[0], m)
			}
		}
	})
	t.Run("20 an address that means nothing, or several", func(t *testing.T) {
		w := newWorld(t)
		a := w.context("A")
		w.context("Twin one")
		w.context("Twin two")
		for to, want := range map[string]error{"Nobody": kaijutsu.ErrNotFound, "Twin": kaijutsu.ErrConflict} {
			_, err := w.Push(t.Context(), at(owner, a.Doc), courier.Push{To: to, Content: "x"})
			if !errors.Is(err, want) || !strings.Contains(err.Error(), "Twin one") {
				t.Errorf("Push to %q = %v, want %v that lists what there is", to, err, want)
			}
		}
		if s := w.Stats(); s != (courier.Stats{}) {
			t.Errorf("Stats = %+v, want nothing staged", s)
		}
	})
	t.Run("21 cancel twice", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		w.stage(owner, a.Doc, b.Doc, "one")
		w.stage(owner, a.Doc, b.Doc, "two")
		if _, err := w.Cancel(t.Context(), owner, "1"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Cancel(t.Context(), owner, "1"); !errors.Is(err, kaijutsu.ErrNotFound) || !strings.Contains(err.Error(), `#2 (staged) to "B"`) {
			t.Errorf("the second cancel = %v, want not found, and the queue", err)
		}
		w.flush(owner, a.Doc)
		same(t, "drifts of B", w.drifts(b.Doc), []string{"two"})
	})
	t.Run("22 a flush is of its source", func(t *testing.T) {
		w := newWorld(t)
		a, b, c := w.context("A"), w.context("B"), w.context("C")
		w.stage(owner, a.Doc, b.Doc, "a")
		w.stage(owner, c.Doc, b.Doc, "c")
		w.flush(owner, a.Doc)
		same(t, "drifts of B", w.drifts(b.Doc), []string{"a"})
		same(t, "queue", w.queued(courier.Filter{}), []string{"c"})
	})
	t.Run("23 a target that is archived", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		w.bury(a.Doc, b.Doc, "x")
		w.archive(b.Doc, false)
		if _, err := w.Replay(t.Context(), owner, "all", ""); err != nil {
			t.Fatal(err)
		}
		same(t, "drifts of B", w.drifts(b.Doc), []string{"x"})
	})
	t.Run("24 a restart", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		w.deliverOnly(w.stage(owner, a.Doc, b.Doc, "one"))
		w.stage(owner, a.Doc, b.Doc, "two")
		w.restart()
		w.flush(owner, a.Doc)
		w.restart()
		w.flush(owner, a.Doc)
		same(t, "drifts of B", w.drifts(b.Doc), []string{"one", "two"})
	})
	t.Run("26 a fork tells its parent", func(t *testing.T) {
		w := newWorld(t)
		p := w.context("P")
		f, err := w.kernel.Fork(t.Context(), owner, p.Doc, nil, "F")
		if err != nil {
			t.Fatal(err)
		}
		w.write(owner, f.Doc, "The parser is faster by a third now.")
		if _, err := w.Merge(t.Context(), owner, courier.MergeSpec{Fork: "F"}); err != nil {
			t.Fatal(err)
		}
		all := w.shown(p.Doc)
		if len(all) != 1 || w.metaOf(p.Doc, all[0].ID).Kind != drift.KindMerge {
			t.Errorf("P has %+v, want one merge", all)
		}
	})
	t.Run("29 somebody else flushes", func(t *testing.T) {
		w := newWorld(t)
		amy := w.member("amy", kaijutsu.RightEdit)
		a, b := w.context("A"), w.context("B")
		w.stage(amy, a.Doc, b.Doc, "x")
		w.flush(owner, a.Doc)
		if got := w.shown(b.Doc)[0].By; got != amy.By {
			t.Errorf("author %v, want amy", got)
		}
	})
}
