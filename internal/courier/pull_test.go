package courier_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/internal/courier"
)

func TestPull(t *testing.T) {
	t.Run("drift_pull_cannot_pull_from_self", func(t *testing.T) {
		w := newWorld(t)
		a := w.context("A")
		w.write(owner, a.Doc, "x")
		if _, err := w.Pull(t.Context(), at(owner, a.Doc), courier.PullSpec{From: "A"}); !errors.Is(err, kaijutsu.ErrInvalid) || !strings.Contains(err.Error(), "itself") {
			t.Errorf("Pull of itself = %v, want ErrInvalid", err)
		}
		same(t, "drifts of A", w.drifts(a.Doc), nil)
	})
	t.Run("drift_pull_no_blocks_error", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		w.write(owner, b.Doc, "  \n")
		if _, err := w.Pull(t.Context(), at(owner, a.Doc), courier.PullSpec{From: "B"}); !errors.Is(err, kaijutsu.ErrInvalid) || !strings.Contains(err.Error(), "nothing to distil") {
			t.Errorf("Pull of nothing = %v, want ErrInvalid", err)
		}
		same(t, "drifts of A", w.drifts(a.Doc), nil)
	})
	t.Run("with a focus", func(t *testing.T) {
		teller := &told{text: "Caching is off."}
		w := newWorldWith(t, func(c *courier.Config) { c.Distillers.Default = teller })
		a, b := w.context("A"), w.context("B")
		w.write(owner, b.Doc, "We turned caching off.")
		out, err := w.Pull(t.Context(), at(owner, a.Doc), courier.PullSpec{From: "B", Focus: "what was decided about caching?"})
		if err != nil || out.Doc != a.Doc {
			t.Fatalf("Pull = %+v, %v", out, err)
		}
		if teller.last.Focus != "what was decided about caching?" || len(teller.last.Source.Blocks) != 1 || teller.last.Source.Title != "B" {
			t.Errorf("the distiller was asked %+v, want B with the focus", teller.last)
		}
		m := w.metaOf(a.Doc, out.Block)
		if m.Kind != drift.KindPull || m.SourceContext != b.ID || m.Model != "a-model" || m.Distiller != "told" {
			t.Errorf("meta = %+v, want a pull from B", m)
		}
		same(t, "drifts of A", w.drifts(a.Doc), []string{"Caching is off."})
	})
	t.Run("the distiller fails", func(t *testing.T) {
		teller := &told{err: fmt.Errorf("no model: %w", kaijutsu.ErrUnavailable)}
		w := newWorldWith(t, func(c *courier.Config) { c.Distillers.Default = teller })
		a, b := w.context("A"), w.context("B")
		w.write(owner, b.Doc, "We decided to turn caching off because it hid a defect in the parser.")
		for _, fails := range []func() error{
			func() error {
				_, err := w.Pull(t.Context(), at(owner, a.Doc), courier.PullSpec{From: "B"})
				return err
			},
			func() error {
				_, err := w.Push(t.Context(), at(owner, b.Doc), courier.Push{To: "A", Summarize: true, Stage: true})
				return err
			},
		} {
			if err := fails(); !errors.Is(err, kaijutsu.ErrUnavailable) || !strings.Contains(err.Error(), "no model") {
				t.Errorf("without a model = %v, want ErrUnavailable that says so", err)
			}
		}
		same(t, "drifts of A", w.drifts(a.Doc), nil)
		same(t, "queue", w.queued(courier.Filter{}), nil)
		out, err := w.Pull(t.Context(), at(owner, a.Doc), courier.PullSpec{From: "B", Fallback: true})
		if err != nil {
			t.Fatal(err)
		}
		if m := w.metaOf(a.Doc, out.Block); m.Distiller != "extractive" || len(m.Citations) == 0 || !strings.Contains(out.Item.Content, "no model") {
			t.Errorf("the fallback = %q, %+v, want an extract that says why, with citations", out.Item.Content, m)
		}
	})
}

func TestSummarize(t *testing.T) {
	w := newWorld(t)
	a, b := w.context("A"), w.context("B")
	id := w.write(owner, a.Doc, "We decided to use Badger. It survived every crash test.\nThe open question is how large a value may be?")
	out, err := w.Push(t.Context(), at(owner, a.Doc), courier.Push{To: "B", Summarize: true})
	if err != nil {
		t.Fatal(err)
	}
	m := w.metaOf(b.Doc, out.Block)
	if m.Kind != drift.KindDistill || m.Distiller != "extractive" || len(m.Citations) == 0 {
		t.Fatalf("meta = %+v, want a distillate with citations", m)
	}
	for _, c := range m.Citations {
		if c.Handle.Context != a.ID || c.Handle.Block != string(id) || len(c.Handle.Heads) == 0 || !strings.Contains(out.Item.Content, fmt.Sprintf("[%d]", c.Ref)) {
			t.Errorf("citation %+v of %q, want the block of A, and a number in the text", c, out.Item.Content)
		}
	}
}

func TestMerge(t *testing.T) {
	t.Run("drift_merge_no_parent", func(t *testing.T) {
		w := newWorld(t)
		a := w.context("A")
		w.write(owner, a.Doc, "x")
		if _, err := w.Merge(t.Context(), owner, courier.MergeSpec{Fork: "A"}); !errors.Is(err, kaijutsu.ErrInvalid) || !strings.Contains(err.Error(), "has no parent — cannot merge") {
			t.Errorf("Merge of a root = %v, want that it has no parent", err)
		}
	})
	t.Run("what is new in the fork", func(t *testing.T) {
		teller := &told{text: "It works."}
		w := newWorldWith(t, func(c *courier.Config) { c.Distillers.Default = teller })
		p := w.context("P")
		w.write(owner, p.Doc, "of the parent")
		f, err := w.kernel.Fork(t.Context(), owner, p.Doc, nil, "F")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Merge(t.Context(), owner, courier.MergeSpec{Fork: "F"}); !errors.Is(err, kaijutsu.ErrInvalid) {
			t.Errorf("Merge of nothing new = %v, want ErrInvalid", err)
		}
		w.write(owner, f.Doc, "tried in the fork")
		out, err := w.Merge(t.Context(), at(owner, f.Doc), courier.MergeSpec{})
		if err != nil || out.Doc != p.Doc {
			t.Fatalf("Merge = %+v, %v, want it in the parent", out, err)
		}
		if got := teller.last.Source.Blocks; len(got) != 1 || got[0].Content != "tried in the fork" {
			t.Errorf("distilled %+v, want what is new alone", got)
		}
		if m := w.metaOf(p.Doc, out.Block); m.Kind != drift.KindMerge || m.SourceContext != f.ID {
			t.Errorf("meta = %+v, want a merge from F", m)
		}
		same(t, "drifts of P", w.drifts(p.Doc), []string{"It works."})
	})
}

// TestPushOfBlocks holds that blocks cite themselves, as they were.
func TestPushOfBlocks(t *testing.T) {
	w := newWorld(t)
	amy := w.member("amy", kaijutsu.RightEdit)
	a, b := w.context("A"), w.context("B")
	one, empty, two := w.write(amy, a.Doc, "first\nsecond\n"), w.write(owner, a.Doc, ""), w.write(owner, a.Doc, "third")
	cite := a.ID + "/" + string(two) + "#L1"
	out, err := w.Push(t.Context(), at(owner, a.Doc), courier.Push{
		To: "B", Content: "As A says [1], and [[" + a.ID + "/" + string(one) + "#2]].",
		Blocks: []string{string(one), string(empty), string(two)[:30], string(one)}, Cite: []string{cite},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "As A says [1], and [[" + a.ID + "/" + string(one) + "#2]].\n\n**[2] text by amy**\n\nfirst\nsecond\n\n\n**[1] text by owner**\n\nthird"
	if out.Item.Content != want {
		t.Errorf("content = %q, want %q", out.Item.Content, want)
	}
	heads, err := w.repo.Heads(t.Context(), a.Doc)
	if err != nil {
		t.Fatal(err)
	}
	at := "@" + strings.Join(heads.Texts(), ",")
	var got []string
	for _, c := range w.metaOf(b.Doc, out.Block).Citations {
		got = append(got, fmt.Sprintf("%d %s %q", c.Ref, c.Handle, c.Quote))
	}
	same(t, "citations", got, []string{
		fmt.Sprintf("1 %s/%s%s#1 %q", a.ID, two, at, "third"),
		fmt.Sprintf("2 %s/%s%s#1-2 %q", a.ID, one, at, "first\nsecond\n"),
		fmt.Sprintf("3 %s/%s%s#2 %q", a.ID, one, at, "second\n"),
	})
	for name, p := range map[string]courier.Push{
		"a block of another context": {To: "B", Blocks: []string{string(out.Block)}},
		"nothing but an empty one":   {To: "B", Blocks: []string{string(empty)}},
		"a line that is not there":   {To: "B", Content: "x", Cite: []string{a.ID + "/" + string(two) + "#2"}},
		"no handle":                  {To: "B", Content: "x", Cite: []string{"x"}},
	} {
		p.From = a.ID
		if _, err := w.Push(t.Context(), owner, p); err == nil {
			t.Errorf("Push of %s: no error", name)
		}
	}
}

// TestAChainGrows holds that a drift that is pushed on says where it has been.
func TestAChainGrows(t *testing.T) {
	w := newWorld(t)
	a, b, c := w.context("A"), w.context("B"), w.context("C")
	first := w.push(owner, a.Doc, b.Doc, "x")
	out, err := w.Push(t.Context(), at(owner, b.Doc), courier.Push{To: "C", Blocks: []string{string(first.Block)}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "chain", w.metaOf(c.Doc, out.Block).Chain, []string{"main:" + a.ID, "main:" + b.ID})
}
