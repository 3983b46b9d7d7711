package kernel_test

import (
	"errors"
	"log/slog"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
	"kaijutsu/internal/records"
	"kaijutsu/internal/repo"
)

// TestASecondDocumentOfTheNodesIsNobodys: it is hidden as the records are.
func TestASecondDocumentOfTheNodesIsNobodys(t *testing.T) {
	doc := records.DocumentIDOf("drift", "main")
	w := newWorldWith(t, func(c *kernel.Config) {
		c.Hidden = func(d kaijutsu.DocumentID) bool { return d == doc }
	})
	queue, err := records.Open(records.Config{Log: slog.New(slog.DiscardHandler), Repo: w.repo, Kernel: "main", Name: "drift"})
	if err != nil {
		t.Fatal(err)
	}
	// Nobody notes what is committed for it: a put waits for the teller.
	if err := w.repo.View(t.Context(), doc, func(repo.View) error { return nil }); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Fatalf("View = %v, want a document that is not there yet", err)
	}
	if err := queue.Close(); err != nil {
		t.Fatal(err)
	}
	cid := kaijutsu.ContextID(doc.Bytes())
	seed := w.context("seed")
	if err := w.repo.ForkAs(t.Context(), cid, owner.By, seed.Doc, nil, "Queue"); err != nil { // even if it looked like a context
		t.Fatal(err)
	}
	for _, when := range []string{"at once", "after a restart"} {
		if got := w.titles(owner, true); got != "seed" {
			t.Errorf("%s: contexts = %q, want the queue left out", when, got)
		}
		if got := w.kernel.Documents(); got != 1 {
			t.Errorf("%s: %d documents, want 1", when, got)
		}
		if docs := w.kernel.Lookup(t.Context(), "Queue"); len(docs) != 0 {
			t.Errorf("%s: Lookup = %v, want nothing", when, docs)
		}
		if right := w.kernel.SyncRight(owner.By, doc); right != kaijutsu.RightNone {
			t.Errorf("%s: SyncRight = %v, want none", when, right)
		}
		for _, name := range []string{cid.String(), "Queue", doc.URL(), cid.String()[:12], w.kernel.Short(doc)} {
			if _, err := w.kernel.Resolve(t.Context(), owner, name, kaijutsu.RightRead); !errors.Is(err, kaijutsu.ErrNotFound) {
				t.Errorf("%s: Resolve(%q) = %v, want ErrNotFound", when, name, err)
			}
		}
		if _, err := w.kernel.Edit(t.Context(), owner, doc, "x", func(repo.View, *blocks.Tx) error { return nil }); !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("%s: Edit = %v, want ErrNotFound", when, err)
		}
		w.restart()
	}
}

// TestPrivateContextsAreTheOwners whatever is granted in them.
func TestPrivateContextsAreTheOwners(t *testing.T) {
	var private kaijutsu.DocumentID
	w := newWorldWith(t, func(c *kernel.Config) {
		c.Private = func(doc kaijutsu.DocumentID) bool { return doc == private }
	})
	lost := w.context("lost+found")
	private = lost.Doc
	editor := w.member("editor", kaijutsu.RightEdit)
	w.grant(lost.Doc, "editor", kaijutsu.RightOwn)
	w.checkRights(lost.Doc, map[*op.Call]kaijutsu.Right{&owner: kaijutsu.RightOwn, &editor: kaijutsu.RightNone})
	if got := w.titles(editor, true); got != "" {
		t.Errorf("contexts of an editor = %q, want none", got)
	}
	if got := w.titles(owner, true); got != "lost+found" {
		t.Errorf("contexts of the owner = %q", got)
	}
}

// TestUnreadAtASeat is that of its principal in its context.
func TestUnreadAtASeat(t *testing.T) {
	w := newWorldWith(t, func(c *kernel.Config) {
		c.Unread = func(p kaijutsu.Principal, doc kaijutsu.DocumentID) int { return len(p.Name) + int(doc.Bytes()[15]) }
	})
	plan := w.known("0aaaaaaa-0000-7000-8000-000000000007", "Plan")
	if got, want := w.kernel.UnreadAt(kernel.Seat{Principal: owner.By, Context: plan.Doc}), len("owner")+7; got != want {
		t.Errorf("unread at the context = %d, want %d", got, want)
	}
	if got := w.kernel.UnreadAt(kernel.Seat{Principal: owner.By}); got != 0 {
		t.Errorf("unread at no context = %d, want 0", got)
	}
	if got := newWorld(t).kernel.UnreadAt(kernel.Seat{Principal: owner.By, Context: plan.Doc}); got != 0 {
		t.Errorf("unread where nobody counts = %d, want 0", got)
	}
}
