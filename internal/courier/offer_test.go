package courier_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/op"
)

// gate is what a kernel has decided.
type gate struct {
	verdict courier.Verdict
	push    error
}

func (g *gate) Push(context.Context, *drift.Item, bool) error { return g.push }
func (g *gate) Foreign(kaijutsu.Principal) (courier.Verdict, string) {
	return g.verdict, "so it is"
}
func (g *gate) Act(drift.Item) string { return drift.ActPending }

// wire is the way from one kernel to another, "far", by a principal there.
type wire struct {
	to   *world
	as   op.Call
	gone bool
}

func (l *wire) Knows(kernel string) bool { return kernel == "far" }

func (l *wire) Offer(ctx context.Context, _ string, it drift.Item) (courier.Receipt, error) {
	if l.gone {
		return courier.Receipt{}, fmt.Errorf("nobody answers: %w", kaijutsu.ErrUnavailable)
	}
	it.Via = "here"
	return l.to.Offer(ctx, l.as, it)
}

// twoKernels returns a kernel, another one that it offers to, and the way.
func twoKernels(t *testing.T, g *gate) (here, far *world, way *wire) {
	t.Helper()
	far = newWorldWith(t, func(c *courier.Config) {
		c.Name = "far"
		if g != nil {
			c.Gate = g
		}
	})
	way = &wire{to: far, as: far.member("here", kaijutsu.RightEdit)}
	here = newWorldWith(t, func(c *courier.Config) { c.Name, c.Carrier = "here", way })
	return here, far, way
}

func TestAcrossKernels(t *testing.T) {
	t.Run("accepted", func(t *testing.T) {
		here, far, way := twoKernels(t, &gate{verdict: courier.Accept})
		a, plan := here.context("A"), far.context("Plan")
		out, err := here.Push(t.Context(), at(owner, a.Doc), courier.Push{To: "far:Plan", Content: "x", Act: true})
		if err != nil || out.State != drift.StateDelivered || out.Block != drift.BlockID(out.Item.ID, plan.Doc) {
			t.Fatalf("Push = %+v, %v, want it delivered", out, err)
		}
		got := far.shown(plan.Doc)[0]
		m := far.metaOf(plan.Doc, got.ID)
		if got.By != way.as.By || m.SourceKernel != "here" || m.SourceContext != a.ID || m.Principal != owner.By || m.Act != drift.ActPending {
			t.Errorf("block by %v, meta %+v, want who offers as the author and the sender in the meta", got.By, m)
		}
		if s := here.Stats(); s != (courier.Stats{}) {
			t.Errorf("Stats = %+v, want nothing left", s)
		}
	})
	t.Run("held, and consented to", func(t *testing.T) {
		here, far, way := twoKernels(t, nil)
		a, plan := here.context("A"), far.context("Plan")
		out, err := here.Push(t.Context(), at(owner, a.Doc), courier.Push{To: "far:Plan", Content: "x"})
		if err != nil || out.State != drift.StateOffered {
			t.Fatalf("Push = %+v, %v, want it offered", out, err)
		}
		far.restart()
		way.to = far
		if s := far.Stats(); s.Held != 1 {
			t.Fatalf("Stats = %+v, want it held after a restart", s)
		}
		if got := here.flush(owner, a.Doc); got.Held != 1 {
			t.Errorf("Flush = %+v, want it held still", got)
		}
		eve := far.member("eve", kaijutsu.RightRead)
		if _, err := far.Consent(t.Context(), eve, "1", true, ""); !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("consent of a reader = %v, want that there is none", err)
		}
		ben := far.member("ben", kaijutsu.RightEdit)
		if shown, err := far.Queue(t.Context(), ben, courier.Filter{State: drift.StateHeld}); err != nil || len(shown) != 1 {
			t.Errorf("Queue of an editor of the target = %+v, %v, want the item", shown, err)
		}
		if got, err := far.Consent(t.Context(), ben, "1", true, ""); err != nil || got.State != drift.StateDelivered {
			t.Fatalf("Consent = %+v, %v", got, err)
		}
		if got := far.shown(plan.Doc)[0]; got.By != way.as.By || got.Content != "x" {
			t.Errorf("block by %v, want who offered it", got.By)
		}
		if got := here.flush(owner, a.Doc); got.Delivered != 1 {
			t.Errorf("Flush = %+v, want the sender to hear that it is delivered", got)
		}
		if s := here.Stats(); s != (courier.Stats{}) {
			t.Errorf("Stats = %+v, want nothing left", s)
		}
	})
	t.Run("held, and declined", func(t *testing.T) {
		here, far, _ := twoKernels(t, nil)
		a, plan := here.context("A"), far.context("Plan")
		if _, err := here.Push(t.Context(), at(owner, a.Doc), courier.Push{To: "far:Plan", Content: "x"}); err != nil {
			t.Fatal(err)
		}
		if got, err := far.Consent(t.Context(), owner, "1", false, "we do not want it"); err != nil || got.State != drift.StateCancelled {
			t.Fatalf("Consent = %+v, %v", got, err)
		}
		if got := here.flush(owner, a.Doc); got.Dead != 1 || !strings.Contains(got.Items[0].Reason, "we do not want it") {
			t.Errorf("Flush = %+v, want a dead letter with the reason", got)
		}
		same(t, "drifts of Plan", far.drifts(plan.Doc), nil)
	})
	t.Run("refused", func(t *testing.T) {
		here, far, _ := twoKernels(t, &gate{verdict: courier.Refuse})
		a := here.context("A")
		far.context("Plan")
		_, err := here.Push(t.Context(), at(owner, a.Doc), courier.Push{To: "far:Plan", Content: "x"})
		if !errors.Is(err, kaijutsu.ErrDenied) || !strings.Contains(err.Error(), "so it is") {
			t.Errorf("Push = %v, want ErrDenied with the reason", err)
		}
		if s := here.Stats(); s != (courier.Stats{Dead: 1}) {
			t.Errorf("Stats = %+v, want a dead letter", s)
		}
		for _, to := range []string{"far:Nowhere", "far:.parent"} {
			out, err := here.Push(t.Context(), at(owner, a.Doc), courier.Push{To: to, Content: "x"})
			if err == nil || out.Item.ID != "" {
				t.Errorf("Push(%q) = %+v, %v, want an error and nothing staged", to, out, err)
			}
		}
		if s := here.Stats(); s != (courier.Stats{Dead: 1}) {
			t.Errorf("Stats = %+v, want nothing more", s)
		}
	})
	t.Run("away, and back", func(t *testing.T) {
		here, far, way := twoKernels(t, &gate{verdict: courier.Accept})
		a, plan := here.context("A"), far.context("Plan")
		way.gone = true
		out, err := here.Push(t.Context(), at(owner, a.Doc), courier.Push{To: "far:Plan", Content: "x"})
		if !errors.Is(err, kaijutsu.ErrUnavailable) || out.State != drift.StateStaged || out.Item.Failures != 1 {
			t.Fatalf("Push = %+v, %v, want it staged with one failure", out, err)
		}
		way.gone = false
		here.restart()
		if got := here.flush(owner, a.Doc); got.Delivered != 1 {
			t.Errorf("Flush = %+v, want it delivered", got)
		}
		same(t, "drifts of Plan", far.drifts(plan.Doc), []string{"x"})
	})
}

func TestOfferAgain(t *testing.T) {
	g := &gate{verdict: courier.Hold}
	_, far, way := twoKernels(t, g)
	far.context("Plan")
	it := drift.Item{ID: "0190aaaa-0000-7000-8000-000000000001", Via: "here", To: "Plan", Content: "x", Meta: drift.Meta{
		Kind: drift.KindPush, SourceContext: "0190aaaa-0000-7000-8000-000000000002", Principal: owner.By, DriftID: "0190aaaa-0000-7000-8000-000000000001",
	}}
	offer := func(it drift.Item, as op.Call) (courier.Receipt, error) { return far.Offer(t.Context(), as, it) }
	for range 2 {
		if r, err := offer(it, way.as); err != nil || r.State != drift.StateHeld {
			t.Fatalf("Offer = %+v, %v, want it held", r, err)
		}
	}
	if s := far.Stats(); s.Held != 1 {
		t.Errorf("Stats = %+v, want one held", s)
	}
	changed := it
	changed.Content = "y"
	if _, err := offer(changed, way.as); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("Offer of another content = %v, want ErrConflict", err)
	}
	if _, err := offer(it, owner); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("Offer by somebody else = %v, want ErrConflict", err)
	}
	nowhere := it
	nowhere.ID, nowhere.To = "0190aaaa-0000-7000-8000-000000000003", "Nowhere"
	if _, err := offer(nowhere, way.as); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Offer to nowhere = %v, want ErrNotFound", err)
	}
	g.verdict = courier.Accept // the policy has changed
	for range 2 {
		if r, err := offer(it, way.as); err != nil || r.State != drift.StateDelivered {
			t.Errorf("Offer = %+v, %v, want it delivered", r, err)
		}
	}
	if _, err := offer(changed, way.as); !errors.Is(err, kaijutsu.ErrConflict) {
		t.Errorf("Offer of another content than what was delivered = %v, want ErrConflict", err)
	}
	if s := far.Stats(); s != (courier.Stats{}) {
		t.Errorf("Stats = %+v, want none left", s)
	}
	g.push = fmt.Errorf("it has been here: %w", kaijutsu.ErrConflict)
	again := it
	again.ID = "0190aaaa-0000-7000-8000-000000000004"
	if r, err := offer(again, way.as); err != nil || r.State != drift.StateCancelled || !strings.Contains(r.Reason, "it has been here") {
		t.Errorf("Offer of a circle = %+v, %v, want it refused", r, err)
	}
}

// TestHeldForLong gives up an offer that nobody decides on, and tells its sender
// why.
func TestHeldForLong(t *testing.T) {
	now := time.Now
	w := newWorldWith(t, func(c *courier.Config) { c.Now = func() time.Time { return now() } })
	reader := w.member("reader", kaijutsu.RightRead)
	x := w.context("x")
	it := drift.Item{ID: drift.NewID(time.Now()), Via: "far", To: x.Doc.Name(), Content: "hello", Meta: drift.Meta{Kind: drift.KindPush}}
	if r, err := w.Offer(t.Context(), reader, it); err != nil || r.State != drift.StateHeld {
		t.Fatalf("Offer = %+v, %v, want it held", r, err)
	}
	w.Expire()
	if got := w.Stats().Held; got != 1 {
		t.Errorf("held = %d on the first day, want 1", got)
	}
	w.Courier.Close()
	now = func() time.Time { return time.Now().Add(31 * 24 * time.Hour) }
	w.start()
	w.Expire()
	if got := w.Stats().Held; got != 0 {
		t.Errorf("held = %d after a month, want 0", got)
	}
	if r, err := w.Offer(t.Context(), reader, it); err != nil || r.State != drift.StateCancelled || !strings.Contains(r.Reason, "30 days") {
		t.Errorf("Offer again = %+v, %v, want it refused, with why", r, err)
	}
}

// TestAReaderFillsLittle offers more than is held of one principal.
func TestAReaderFillsLittle(t *testing.T) {
	w := newWorld(t)
	reader := w.member("reader", kaijutsu.RightRead)
	from, x := w.context("from"), w.context("x")
	var err error
	n := 0
	for ; err == nil && n < 100; n++ {
		_, err = w.Offer(t.Context(), reader, drift.Item{
			ID: drift.NewID(time.Now()), Via: "far", To: x.Doc.Name(), Content: strings.Repeat("\x01", drift.MaxContent), Meta: drift.Meta{Kind: drift.KindPush},
		})
	}
	if !errors.Is(err, kaijutsu.ErrTooLarge) || n > 8 {
		t.Errorf("%d large offers are held, then %v, want few and ErrTooLarge", n, err)
	}
	w.stage(owner, from.Doc, x.Doc, "there is room for others")
}
