package courier_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/drift"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/repo"
)

func TestReplayElsewhere(t *testing.T) {
	w := newWorld(t)
	amy, bob := w.member("amy", kaijutsu.RightEdit), w.member("bob", kaijutsu.RightEdit)
	from, x, y := w.context("from"), w.context("x"), w.context("y")
	it := w.stage(amy, from.Doc, x.Doc, "I approve this")
	if _, err := w.Replay(t.Context(), bob, it.ID, y.Doc.Name()); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("Replay elsewhere by another = %v, want ErrDenied", err)
	}
	same(t, "drifts of y", w.drifts(y.Doc), nil)
	outs, err := w.Replay(t.Context(), owner, it.ID, y.Doc.Name())
	if err != nil || len(outs) != 1 || outs[0].State != drift.StateDelivered {
		t.Fatalf("Replay by an owner = %+v, %v, want it delivered", outs, err)
	}
	for _, b := range w.shown(y.Doc) {
		if b.Kind == blocks.KindDrift && b.By != owner.By {
			t.Errorf("author = %v, want who sent it there, %v", b.By, owner.By)
		}
	}
	if m := w.metaOf(y.Doc, outs[0].Block); m.Principal != amy.By {
		t.Errorf("meta.principal = %v, want who wrote it, %v", m.Principal, amy.By)
	}
	again := w.stage(amy, from.Doc, x.Doc, "and this")
	if outs, err := w.Replay(t.Context(), amy, again.ID, y.Doc.Name()); err != nil || outs[0].State != drift.StateDelivered {
		t.Errorf("Replay elsewhere by the stager = %+v, %v, want it delivered", outs, err)
	}
}

func TestDeniedOperations(t *testing.T) {
	w := newWorld(t)
	amy := w.member("amy", kaijutsu.RightEdit)
	amy.Deny = []string{"drift_push"}
	from, to := w.context("from"), w.context("to")
	w.write(amy, from.Doc, "We decided to use the cache, because it is fast.")
	for _, stage := range []bool{false, true} {
		_, err := w.Push(t.Context(), amy, courier.Push{From: from.Doc.Name(), To: to.Doc.Name(), Content: "x", Stage: stage})
		if !errors.Is(err, kaijutsu.ErrDenied) {
			t.Errorf("Push(stage %v) = %v, want ErrDenied", stage, err)
		}
	}
	if s := w.Stats(); s != (courier.Stats{}) {
		t.Errorf("Stats = %+v, want nothing staged", s)
	}
	out, err := w.Pull(t.Context(), amy, courier.PullSpec{From: from.Doc.Name(), Into: to.Doc.Name()})
	if err != nil || out.State != drift.StateDelivered {
		t.Errorf("Pull = %+v, %v, want it delivered: that is another operation", out, err)
	}
}

// TestForgedReceipt has an index that takes the word of a block of somebody else.
func TestForgedReceipt(t *testing.T) {
	id := drift.NewID(time.Now())
	var forged kaijutsu.DocumentID
	mallory := kaijutsu.Principal{Name: "mallory", Kind: kaijutsu.Agent}
	w := newWorldWith(t, func(c *courier.Config) {
		c.Receipt = func(of string, by kaijutsu.Principal, in kaijutsu.DocumentID) (kaijutsu.DocumentID, blocks.ID, bool) {
			return forged, drift.BlockID(id, forged), of == id && by == mallory && !forged.IsZero()
		}
	})
	amy, forger := w.member("amy", kaijutsu.RightEdit), w.member(mallory.Name, kaijutsu.RightEdit)
	from, to, own := w.context("from"), w.context("to"), w.context("own")
	push := courier.Push{ID: id, From: from.Doc.Name(), To: to.Doc.Name(), Content: "x"}
	if out, err := w.Push(t.Context(), amy, push); err != nil || out.State != drift.StateDelivered {
		t.Fatalf("Push = %+v, %v", out, err)
	}
	_, err := w.kernel.Edit(t.Context(), forger, own.Doc, "block_create", func(_ repo.View, tx *blocks.Tx) error {
		return tx.InsertBlock(blocks.BlockSpec{ID: drift.BlockID(id, own.Doc), Position: blocks.Last(), Kind: blocks.KindDrift, Content: "x", Meta: `{"drift_id":"` + id + `"}`})
	})
	if err != nil {
		t.Fatal(err)
	}
	forged = own.Doc
	w.Courier.Close()
	w.start() // it remembers nothing
	out, err := w.Push(t.Context(), amy, push)
	if err != nil || !out.Already || out.Doc != to.Doc {
		t.Errorf("the same push again = %+v, %v, want it found delivered", out, err)
	}
	w.Courier.Close()
	w.start()
	if _, err := w.Cancel(t.Context(), amy, id); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Cancel = %v, want ErrNotFound and no word of the forged block", err)
	}
}

// TestOneBlock pushes a block on: it stays the same finding.
func TestOneBlock(t *testing.T) {
	w := newWorld(t)
	a, b, c := w.context("a"), w.context("b"), w.context("c")
	block := w.write(owner, a.Doc, "the cache is cold")
	want := drift.Fingerprint("the cache is cold")
	push := func(from, to kaijutsu.DocumentID, id blocks.ID) (blocks.ID, drift.Meta) {
		t.Helper()
		out, err := w.Push(context.Background(), owner, courier.Push{From: from.Name(), To: to.Name(), Blocks: []string{string(id)}})
		if err != nil {
			t.Fatal(err)
		}
		return out.Block, w.metaOf(to, out.Block)
	}
	there, m := push(a.Doc, b.Doc, block)
	if m.Finding != want {
		t.Errorf("finding of a block = %q, want that of its content, %q", m.Finding, want)
	}
	_, m = push(b.Doc, c.Doc, there)
	if m.Finding != want {
		t.Errorf("finding of a drift block = %q, want what it was, %q", m.Finding, want)
	}
	same(t, "chain", m.Chain, []string{"main:" + a.Doc.Name(), "main:" + b.Doc.Name()})
}

// TestHandlesAbroad has a handle in a text say whose it is when it leaves.
func TestHandlesAbroad(t *testing.T) {
	var got drift.Item
	w := newWorldWith(t, func(c *courier.Config) {
		c.Name = "here"
		c.Carrier = &carrier{offer: func(it drift.Item) (courier.Receipt, error) {
			got = it
			return courier.Receipt{State: drift.StateDelivered, Block: drift.BlockID(it.ID, it.Target)}, nil
		}}
	})
	from := w.context("from")
	block := w.write(owner, from.Doc, "the cache is cold")
	bare, other := from.Doc.Name()+"/"+string(block), "else:plan/"+string(block)
	_, err := w.Push(t.Context(), owner, courier.Push{From: from.Doc.Name(), To: "far:X", Content: "see " + bare + ", [[" + bare + "#1]] and [[" + other + "]]."})
	if err != nil {
		t.Fatal(err)
	}
	if want := "see here:" + bare + ", [[here:" + bare + "#1]] and [[" + other + "]]."; got.Content != want {
		t.Errorf("content = %q, want %q", got.Content, want)
	}
	for _, c := range got.Meta.Citations {
		if c.Handle.Kernel == "" {
			t.Errorf("citation %d is of %v, want it to name its kernel", c.Ref, c.Handle)
		}
	}
}
