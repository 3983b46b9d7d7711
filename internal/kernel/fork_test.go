package kernel_test

import (
	"errors"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// rights are what callers may do with a document.
func (w *world) checkRights(doc kaijutsu.DocumentID, want map[*op.Call]kaijutsu.Right) {
	w.t.Helper()
	for c, right := range want {
		if got := w.kernel.Right(*c, doc); got != right {
			w.t.Errorf("%s has the role %s, want %s", c.By.Name, got, right)
		}
		if got := w.kernel.SyncRight(c.By, doc); got != right {
			w.t.Errorf("%s syncs with the role %s, want %s", c.By.Name, got, right)
		}
	}
}

func TestAForkHasTheRolesOfItsSource(t *testing.T) {
	w := newWorld(t)
	secret := w.context("Secret")
	red, may, amy, bob := w.member("red", kaijutsu.RightRead), w.member("may", kaijutsu.RightNone), w.member("amy", kaijutsu.RightEdit), w.member("bob", kaijutsu.RightEdit)
	grant := func(doc kaijutsu.DocumentID, c op.Call, right kaijutsu.Right) {
		t.Helper()
		if _, err := w.access.Grant(t.Context(), owner.By, doc, c.By.Name, right); err != nil {
			t.Fatal(err)
		}
	}
	grant(secret.Doc, red, kaijutsu.RightNone)
	grant(secret.Doc, may, kaijutsu.RightComment)
	grant(secret.Doc, amy, kaijutsu.RightRead)
	fork, err := w.kernel.Fork(t.Context(), amy, secret.Doc, nil, "Copy")
	if err != nil {
		t.Fatal(err)
	}
	if fork.Fork.From != secret.Doc || fork.By != amy.By || fork.Title != "Copy" {
		t.Errorf("Fork = %+v, want Copy by amy, of the secret", fork)
	}
	want := map[*op.Call]kaijutsu.Right{&red: kaijutsu.RightNone, &may: kaijutsu.RightComment, &amy: kaijutsu.RightOwn, &bob: kaijutsu.RightEdit}
	w.checkRights(fork.Doc, want)
	grant(secret.Doc, red, kaijutsu.RightRead)
	w.checkRights(fork.Doc, want) // they go their own ways
	again, err := w.kernel.Fork(t.Context(), owner, fork.Doc, nil, "Again")
	if err != nil {
		t.Fatal(err)
	}
	w.checkRights(again.Doc, want)
	w.restart()
	w.checkRights(fork.Doc, want)
}

func TestAForkThatFailsLeavesNothingBehind(t *testing.T) {
	w := newWorld(t)
	secret := w.context("Secret")
	red := w.member("red", kaijutsu.RightRead)
	if _, err := w.access.Grant(t.Context(), owner.By, secret.Doc, "red", kaijutsu.RightNone); err != nil {
		t.Fatal(err)
	}
	count := func() (n int) {
		for range w.records.All("") {
			n++
		}
		return n
	}
	before := count()
	if _, err := w.kernel.Fork(t.Context(), owner, secret.Doc, kaijutsu.Heads{{1}}, "Copy"); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Fork at unknown heads = %v, want ErrNotFound", err)
	}
	if _, err := w.kernel.Fork(t.Context(), red, secret.Doc, nil, "Copy"); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Fork by red = %v, want ErrNotFound", err)
	}
	if after := count(); after != before {
		t.Errorf("%d records, want %d as before", after, before)
	}
}

// TestAForkThatComesBeforeItsRoles gives nobody more than its source does.
func TestAForkThatComesBeforeItsRoles(t *testing.T) {
	a, b := newWorld(t), newWorld(t)
	secret := a.context("Secret")
	red, amy, may := a.member("red", kaijutsu.RightRead), a.member("amy", kaijutsu.RightEdit), a.member("may", kaijutsu.RightNone)
	if _, err := a.access.Grant(t.Context(), owner.By, secret.Doc, "red", kaijutsu.RightNone); err != nil {
		t.Fatal(err)
	}
	share(a, b)
	if err := b.bring(a, secret.Doc); err != nil {
		t.Fatal(err)
	}
	fork, err := a.kernel.Fork(t.Context(), amy, secret.Doc, nil, "Copy")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.access.Grant(t.Context(), owner.By, fork.Doc, "may", kaijutsu.RightRead); err != nil {
		t.Fatal(err)
	}
	if err := b.bring(a, fork.Doc); err != nil {
		t.Fatal(err)
	}
	b.checkRights(fork.Doc, map[*op.Call]kaijutsu.Right{&red: kaijutsu.RightNone, &amy: kaijutsu.RightEdit, &may: kaijutsu.RightNone})
	share(a, b)
	b.checkRights(fork.Doc, map[*op.Call]kaijutsu.Right{&red: kaijutsu.RightNone, &amy: kaijutsu.RightOwn, &may: kaijutsu.RightRead})
}
