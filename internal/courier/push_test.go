package courier_test

import (
	"errors"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/flowbus"
	"kaijutsu/internal/courier"
)

func TestPush(t *testing.T) {
	t.Run("drift_push_delivers_immediately", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		out := w.push(owner, a.Doc, b.Doc, "x")
		same(t, "drifts of B", w.drifts(b.Doc), []string{"x"})
		if out.Doc != b.Doc || out.Block != drift.BlockID(out.Item.ID, b.Doc) || out.Item.Number != 0 {
			t.Errorf("Push = %+v, want the block %s of B and no number", out, drift.BlockID(out.Item.ID, b.Doc))
		}
		same(t, "queue", w.queued(courier.Filter{}), nil)
		same(t, "events of B", w.kinds(b.Doc), []flowbus.Kind{flowbus.DriftDelivered})
	})
	t.Run("drift_push_stage_defers_delivery", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		it := w.stage(owner, a.Doc, b.Doc, "later")
		same(t, "drifts of B", w.drifts(b.Doc), nil)
		same(t, "queue", w.queued(courier.Filter{}), []string{"later"})
		same(t, "events of A", w.kinds(a.Doc), []flowbus.Kind{flowbus.DriftStaged})
		if it.Number != 1 || it.By != owner.By {
			t.Errorf("staged %+v, want number 1 by the owner", it)
		}
	})
	t.Run("build_drift_block", func(t *testing.T) {
		w := newWorld(t)
		amy := w.member("amy", kaijutsu.RightEdit)
		a, b := w.context("A"), w.context("B")
		w.write(owner, a.Doc, "why")
		w.write(owner, b.Doc, "first")
		out, err := w.Push(t.Context(), at(amy, a.Doc), courier.Push{To: "B", Content: "x\ny", Model: "claude"})
		if err != nil {
			t.Fatal(err)
		}
		all := w.shown(b.Doc)
		got := all[len(all)-1]
		if got.ID != out.Block || got.Kind != blocks.KindDrift || got.Role != blocks.RoleSystem || got.Status != blocks.StatusDone ||
			got.Form != blocks.FormBody || got.Content != "x\ny" || got.Parent != "" || got.By != amy.By {
			t.Errorf("block = %+v, want a drift of system, done, a body, by amy, last and below nothing", got)
		}
		heads, err := w.repo.Heads(t.Context(), a.Doc)
		if err != nil {
			t.Fatal(err)
		}
		m := w.metaOf(b.Doc, got.ID)
		if m.SourceKernel != "main" || m.SourceContext != a.ID || m.SourceTitle != "A" || m.Model != "claude" || m.Kind != drift.KindPush ||
			m.Principal != amy.By || m.DriftID != out.Item.ID || m.Finding != drift.Fingerprint("x\ny") {
			t.Errorf("meta = %+v", m)
		}
		same(t, "heads", m.Heads, heads.Texts())
		same(t, "chain", m.Chain, []string{"main:" + a.ID})
	})
	t.Run("drift_push_block_carries_the_sending_principal", func(t *testing.T) {
		w := newWorld(t)
		amy := w.member("amy", kaijutsu.RightEdit)
		a, b := w.context("A"), w.context("B")
		w.push(amy, a.Doc, b.Doc, "x")
		if got := w.shown(b.Doc)[0]; got.By != amy.By {
			t.Errorf("author = %v, want amy", got.By)
		}
	})
	t.Run("drift_push_accepts_parent_ref", func(t *testing.T) {
		w := newWorld(t)
		p := w.context("P")
		f, err := w.kernel.Fork(t.Context(), owner, p.Doc, nil, "F")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Push(t.Context(), at(owner, f.Doc), courier.Push{To: ".parent", Content: "up"}); err != nil {
			t.Fatal(err)
		}
		same(t, "drifts of P", w.drifts(p.Doc), []string{"up"})
	})
	t.Run("drift_push_accepts_current_ref", func(t *testing.T) {
		w := newWorld(t)
		a := w.context("A")
		if _, err := w.Push(t.Context(), at(owner, a.Doc), courier.Push{To: ".", Content: "note"}); err != nil {
			t.Fatal(err)
		}
		same(t, "drifts of A", w.drifts(a.Doc), []string{"note"})
	})
	t.Run("drift_push_delivery_failure_stages_loudly", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.context("A"), w.context("B")
		w.archive(b.Doc, true)
		out, err := w.Push(t.Context(), owner, courier.Push{From: a.ID, To: b.ID, Content: "x"})
		if !errors.Is(err, kaijutsu.ErrConflict) || !strings.Contains(err.Error(), "#1") || out.State != drift.StateStaged || out.Item.Failures != 1 {
			t.Fatalf("Push to an archived context = %+v, %v, want it staged with one failure, and an error that names it", out, err)
		}
		w.archive(b.Doc, false)
		if got := w.flush(owner, a.Doc); got.Delivered != 1 {
			t.Errorf("Flush = %+v, want one delivered", got)
		}
		same(t, "drifts of B", w.drifts(b.Doc), []string{"x"})
	})
}

func TestPushToAWrongAddress(t *testing.T) {
	w := newWorld(t)
	a := w.context("A")
	w.context("planning")
	w.context("Twin")
	w.context("Twin")
	reader := w.member("reader", kaijutsu.RightRead)
	for _, tt := range []struct {
		name string
		call string
		push courier.Push
		want error
		says string
	}{
		{"stage_unknown_target", "owner", courier.Push{To: "planing", Content: "x", Stage: true}, kaijutsu.ErrNotFound, "planning"},
		{"unknown, at once", "owner", courier.Push{To: "zzz", Content: "x"}, kaijutsu.ErrNotFound, "there are"},
		{"drift_push_ambiguous_prefix_names_candidates", "owner", courier.Push{To: "Twi", Content: "x"}, kaijutsu.ErrConflict, "Twin"},
		{"denied", "reader", courier.Push{To: "planning", Content: "x"}, kaijutsu.ErrDenied, "role"},
		{"another kernel", "owner", courier.Push{To: "b:plan", Content: "x"}, kaijutsu.ErrNotFound, "no link"},
		{"no content", "owner", courier.Push{To: "planning", Content: " "}, kaijutsu.ErrInvalid, "Use --summarize for auto-summary."},
		{"no target", "owner", courier.Push{Content: "x"}, kaijutsu.ErrInvalid, "to: "},
		{"a bad id", "owner", courier.Push{ID: "x", To: "planning", Content: "x"}, kaijutsu.ErrInvalid, "UUID"},
		{"too much", "owner", courier.Push{To: "planning", Content: strings.Repeat("x", drift.MaxContent+1)}, kaijutsu.ErrTooLarge, "at most"},
		{"not UTF-8", "owner", courier.Push{To: "planning", Content: "\xff"}, kaijutsu.ErrInvalid, "UTF-8"},
		{"a distiller that is not there", "owner", courier.Push{To: "planning", Summarize: true, Distiller: "gpt"}, kaijutsu.ErrInvalid, "distiller"},
		{"a handle that leads nowhere", "owner", courier.Push{To: "planning", Content: "x", Cite: []string{a.ID + "/00000000-0000-7000-8000-000000000000"}}, kaijutsu.ErrNotFound, "cite[0]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			call := at(owner, a.Doc)
			if tt.call == "reader" {
				call = at(reader, a.Doc)
			}
			out, err := w.Push(t.Context(), call, tt.push)
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("Push = %+v, %v, want %v that says %q", out, err, tt.want, tt.says)
			}
			same(t, "queue", w.queued(courier.Filter{}), nil)
		})
	}
}

// TestPushAgain holds that a push with an id may be repeated.
func TestPushAgain(t *testing.T) {
	w := newWorld(t)
	a, b, other := w.context("A"), w.context("B"), w.context("C")
	amy := w.member("amy", kaijutsu.RightEdit)
	id := drift.NewID(w.context("D").Created)
	p := courier.Push{ID: strings.ToUpper(id), From: a.ID, To: b.ID, Content: "x"}
	first, err := w.Push(t.Context(), owner, p)
	if err != nil || first.Already || first.Item.ID != id {
		t.Fatalf("Push = %+v, %v", first, err)
	}
	for _, restart := range []bool{false, true} {
		if restart {
			w.restart()
		}
		again, err := w.Push(t.Context(), owner, p)
		if err != nil || !again.Already || again.Block != first.Block || again.State != drift.StateDelivered {
			t.Errorf("the same again = %+v, %v, want Already with block %s", again, err, first.Block)
		}
		staged := p
		staged.Stage = true
		if again, err := w.Push(t.Context(), owner, staged); err != nil || again.State != drift.StateDelivered {
			t.Errorf("the same, staged = %+v, %v, want that it is delivered", again, err)
		}
		changed := p
		changed.Content = "y"
		if _, err := w.Push(t.Context(), owner, changed); !errors.Is(err, kaijutsu.ErrConflict) {
			t.Errorf("another content = %v, want ErrConflict", err)
		}
		if _, err := w.Push(t.Context(), amy, p); !errors.Is(err, kaijutsu.ErrConflict) {
			t.Errorf("somebody else = %v, want ErrConflict", err)
		}
	}
	second := p
	second.ID, second.To = drift.NewID(a.Created), other.ID
	moved := second
	moved.To = b.ID
	if _, err := w.Push(t.Context(), owner, second); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Push(t.Context(), owner, moved); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("another target = %v, want ErrConflict", err)
	}
	same(t, "drifts of B", w.drifts(b.Doc), []string{"x"})
	same(t, "queue", w.queued(courier.Filter{}), nil)
}

func TestStageAgain(t *testing.T) {
	w := newWorld(t)
	a, b, other := w.context("A"), w.context("B"), w.context("C")
	id := drift.NewID(a.Created)
	p := courier.Push{ID: id, From: a.ID, To: b.ID, Content: "x", Stage: true}
	first, err := w.Push(t.Context(), owner, p)
	if err != nil {
		t.Fatal(err)
	}
	again, err := w.Push(t.Context(), owner, p)
	if err != nil || !again.Already || again.Item.Number != first.Item.Number || again.State != drift.StateStaged {
		t.Errorf("the same again = %+v, %v, want Already as number %d", again, err, first.Item.Number)
	}
	for name, change := range map[string]func(*courier.Push){
		"content": func(p *courier.Push) { p.Content = "y" },
		"target":  func(p *courier.Push) { p.To = other.ID },
		"source":  func(p *courier.Push) { p.From = other.ID },
	} {
		q := p
		change(&q)
		if _, err := w.Push(t.Context(), owner, q); !errors.Is(err, kaijutsu.ErrConflict) {
			t.Errorf("another %s = %v, want ErrConflict", name, err)
		}
	}
	p.Stage = false // it is wanted now
	if now, err := w.Push(t.Context(), owner, p); err != nil || now.State != drift.StateDelivered {
		t.Errorf("the same at once = %+v, %v, want it delivered", now, err)
	}
	same(t, "drifts of B", w.drifts(b.Doc), []string{"x"})
	same(t, "queue", w.queued(courier.Filter{}), nil)
}
