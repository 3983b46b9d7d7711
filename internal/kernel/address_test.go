package kernel_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

// known makes a context under an id of the test's choice.
func (w *world) known(id, title string) kernel.ContextInfo {
	w.t.Helper()
	cid, err := kaijutsu.ParseContextID(id)
	if err != nil {
		w.t.Fatal(err)
	}
	seed := w.context("seed of " + title)
	if err := w.repo.ForkAs(w.t.Context(), cid, owner.By, seed.Doc, nil, title); err != nil {
		w.t.Fatal(err)
	}
	info, err := w.kernel.Context(w.t.Context(), owner, cid.Document())
	if err != nil {
		w.t.Fatal(err)
	}
	return info
}

// TestAddress holds the grammar against contexts whose names clash.
func TestAddress(t *testing.T) {
	w := newWorld(t)
	one := w.known("0aaaaaaa-0000-7000-8000-0000005eed01", "One")
	if one.Short != "5eed01" {
		t.Errorf("short id = %q, want 6 digits", one.Short)
	}
	tail := w.known("0bbbbbbb-0000-7000-8000-0000000aaaaa", "Tail") // ends as another begins: 0aaaaa
	twin := w.known("0ccccccc-0000-7000-8000-0000015eed01", "Twin") // ends as one does
	byLabel := w.known("0ddddddd-0000-7000-8000-000000000d01", "Labelled")
	byTitle := w.known("0ddddddd-0000-7000-8000-000000000d02", "mark")
	w.label(byLabel.Doc, "mark")
	w.label(one.Doc, "0ccc")
	hexTitle := w.known("0eeeeeee-0000-7000-8000-000000000e01", "0bbbbbbb")
	colon := w.known("0eeeeeee-0000-7000-8000-000000000e02", "beta:plan")
	spaced := w.known("0eeeeeee-0000-7000-8000-000000000e03", "notes: the release")
	link := w.known("0eeeeeee-0000-7000-8000-000000000e04", "https://example.org/")
	w.known("0eeeeeee-0000-7000-8000-000000000e05", "main:plan")
	plan := w.known("0eeeeeee-0000-7000-8000-000000000e06", "plan")
	w.known("0ffffffa-0000-7000-8000-000000b1d1e1", "Victim")
	w.known("0ffffffb-0000-7000-8000-000000000f02", "b1d1e1")
	coffee := w.known("0ffffffc-0000-7000-8000-000000000f03", "c0ffee")
	alone := w.known("0ffffffd-0000-7000-8000-000000000f04", "main:none")
	w.known("0ffffffe-0000-7000-8000-000000000f05", "known:plan")
	within := owner
	within.Context = "One"
	astray := owner
	astray.Context = ".parent"
	none := kaijutsu.DocumentID{}
	tests := []struct {
		name string
		call op.Call
		text string
		want kaijutsu.DocumentID
		kind error
		says string
	}{
		{"the call's", within, ".", one.Doc, nil, ""},
		{"the call's, of this kernel", within, "main:.", one.Doc, nil, ""},
		{"the call's is no address", astray, ".", none, kaijutsu.ErrInvalid, "name one by id"},
		{"no parent", within, ".parent", none, kaijutsu.ErrNotFound, "has no parent"},
		{"parent of nothing", owner, ".parent", none, kaijutsu.ErrInvalid, "name one by id"},
		{"label before title", owner, "mark", byLabel.Doc, nil, ""},
		{"label before the beginning of an id", owner, "0ccc", one.Doc, nil, ""},
		{"labels are as they are written", owner, "Mark", byTitle.Doc, nil, ""}, // the beginning of a title
		{"label of this kernel", owner, "main:mark", byLabel.Doc, nil, ""},
		{"title that is the beginning of another's id", owner, "0bbbbbbb", none, kaijutsu.ErrConflict, hexTitle.Short + ` "0bbbbbbb"`},
		{"and the other is named", owner, "0bbbbbbb", none, kaijutsu.ErrConflict, tail.Short + ` "Tail"`},
		{"title that is another's short id", owner, "b1d1e1", none, kaijutsu.ErrConflict, `b1d1e1 "Victim"`},
		{"title that is no other's id", owner, "c0ffee", coffee.Doc, nil, ""},
		{"beginning of an id", owner, "0aaa", one.Doc, nil, ""},
		{"too short for an id", owner, "0aa", none, kaijutsu.ErrNotFound, "there are"},
		{"beginning of one, end of another", owner, "0aaaaa", none, kaijutsu.ErrConflict, "05eed01 0ccc"},
		{"and the other is named too", owner, "0aaaaa", none, kaijutsu.ErrConflict, tail.Short + ` "Tail"`},
		{"more of the beginning", owner, "0aaaaaaa", one.Doc, nil, ""},
		{"more of the end", owner, "00aaaaa", tail.Doc, nil, ""},
		{"an end that two share", owner, "5eed01", none, kaijutsu.ErrConflict, `05eed01 0ccc "One", 15eed01 "Twin"`},
		{"short id of the first", owner, w.kernel.Short(one.Doc), one.Doc, nil, ""},
		{"short id of the second", owner, twin.Short, twin.Doc, nil, ""},
		{"short id in capitals", owner, strings.ToUpper(twin.Short), twin.Doc, nil, ""},
		{"too short for an end", owner, "eed01", none, kaijutsu.ErrNotFound, "there are"},
		{"title with a colon", owner, "beta:plan", colon.Doc, nil, ""},
		{"beginning of a title with a colon", owner, "beta:pla", none, kaijutsu.ErrInvalid, `only drift goes to other kernels, and this one is "main"; did you mean ` + colon.Short},
		{"beginning of a title with a space", owner, "notes: the", spaced.Doc, nil, ""},
		{"beginning of a link", owner, "https://ex", link.Doc, nil, ""},
		{"title with the name of this kernel", owner, "main:plan", none, kaijutsu.ErrConflict, "or " + plan.Short},
		{"title that names nothing else in this kernel", owner, "main:none", alone.Doc, nil, ""},
		{"title that is an address in a known kernel", owner, "known:plan", none, kaijutsu.ErrConflict, `"plan" of the kernel known`},
		{"title of this kernel", owner, "main:notes: the release", spaced.Doc, nil, ""},
		{"the call's in another kernel", within, "beta:.", none, kaijutsu.ErrInvalid, "which is in this kernel; name a context of beta"},
		{"its parent in another kernel", within, "beta:.parent.parent", none, kaijutsu.ErrInvalid, "which is in this kernel"},
		{"two kernels", owner, "main:gamma:plan", none, kaijutsu.ErrInvalid, "two kernels"},
		{"another kernel", owner, "gamma:plan", none, kaijutsu.ErrInvalid, "only drift goes to other kernels"},
		{"a misspelt label", owner, "marc", none, kaijutsu.ErrNotFound, `did you mean "mark"?`},
		{"a misspelt title", owner, "Twim", none, kaijutsu.ErrNotFound, `did you mean "Twin"? there are `},
		{"plain title", owner, "plan", plan.Doc, nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := w.kernel.Resolve(t.Context(), test.call, test.text, kaijutsu.RightRead)
			if test.kind == nil && (err != nil || got != test.want) {
				t.Errorf("Resolve(%q) = %v, %v, want %v", test.text, got.Name(), err, test.want.Name())
			}
			if test.kind != nil && (!errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.says)) {
				t.Errorf("Resolve(%q) = %v, want %v with %q", test.text, err, test.kind, test.says)
			}
		})
	}
	if got, err := w.kernel.Address(t.Context(), owner, "gamma:a:b"); err != nil || got != (kernel.Address{Kernel: "gamma", Rest: "a:b"}) {
		t.Errorf("Address(gamma:a:b) = %+v, %v, want a:b of gamma", got, err)
	}
	if got, err := w.kernel.Address(t.Context(), owner, "beta:plan"); err != nil || got != (kernel.Address{Doc: colon.Doc}) {
		t.Errorf("Address(beta:plan) = %+v, %v, want the context with that title", got, err)
	}
	if w.kernel.Short(one.Doc) != "05eed01" || w.kernel.Short(twin.Doc) != "15eed01" {
		t.Errorf("short ids %q and %q, want as many digits as tell them apart", w.kernel.Short(one.Doc), w.kernel.Short(twin.Doc))
	}
	reader := w.member("reader", kaijutsu.RightRead)
	w.grant(twin.Doc, "reader", kaijutsu.RightNone)
	info, err := w.kernel.Context(t.Context(), reader, one.Doc)
	if err != nil || info.Short != "5eed01" {
		t.Errorf("short id for who may read one of both = %q, %v, want 5eed01", info.Short, err)
	}
	if got, err := w.kernel.Resolve(t.Context(), reader, "5eed01", kaijutsu.RightRead); err != nil || got != one.Doc {
		t.Errorf("Resolve by who may read one of both = %v, %v, want it", got, err)
	}
}

// TestAParentThatMayNotBeRead is as good as gone.
func TestAParentThatMayNotBeRead(t *testing.T) {
	w := newWorld(t)
	secret := w.context("Secret")
	fork, err := w.kernel.Fork(t.Context(), owner, secret.Doc, nil, "Fork")
	if err != nil {
		t.Fatal(err)
	}
	reader := w.member("reader", kaijutsu.RightRead)
	w.grant(secret.Doc, "reader", kaijutsu.RightNone)
	reader.Context = fork.ID
	if _, err := w.kernel.Resolve(t.Context(), reader, ".parent", kaijutsu.RightRead); !errors.Is(err, kaijutsu.ErrNotFound) || strings.Contains(err.Error(), secret.ID) {
		t.Errorf("Resolve(.parent) = %v, want ErrNotFound that does not name it", err)
	}
	if err := w.kernel.Delete(t.Context(), owner, secret.Doc, true); err != nil {
		t.Fatal(err)
	}
	within := owner
	within.Context = fork.ID
	if _, err := w.kernel.Resolve(t.Context(), within, ".parent", kaijutsu.RightRead); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Resolve(.parent) of a deleted one = %v, want ErrNotFound", err)
	}
}

// TestNodesLookUpByTheSameRules: what is asked of another node is found there as
// it would be here.
func TestNodesLookUpByTheSameRules(t *testing.T) {
	a := newWorld(t)
	one := a.known("0aaaaaaa-0000-7000-8000-0000005eed01", "One")
	twin := a.known("0ccccccc-0000-7000-8000-0000015eed01", "Twin")
	title := a.known("0ddddddd-0000-7000-8000-000000000d02", "beta:plan")
	a.label(twin.Doc, "two")
	tests := []struct {
		name string
		want []kaijutsu.DocumentID
	}{
		{"two", []kaijutsu.DocumentID{twin.Doc}},
		{"One", []kaijutsu.DocumentID{one.Doc}},
		{"0aaaaa", []kaijutsu.DocumentID{one.Doc}},
		{"5eed01", []kaijutsu.DocumentID{one.Doc, twin.Doc}},
		{"15eed01", []kaijutsu.DocumentID{twin.Doc}},
		{"tw", []kaijutsu.DocumentID{twin.Doc}},
		{"beta:plan", []kaijutsu.DocumentID{title.Doc}},
		{"nothing", nil},
	}
	var b *world
	bring := func(doc kaijutsu.DocumentID) {
		t.Helper()
		share(a, b)
		origin, err := a.repo.Origin(t.Context(), doc)
		if err == nil && origin.Base != nil {
			err = b.bring(a, origin.Base.Doc)
		}
		if err = errors.Join(err, b.bring(a, doc)); err != nil {
			t.Error(err)
		}
	}
	b = newWorldWith(t, func(c *kernel.Config) {
		c.Seek = func(ctx context.Context, name string) bool {
			docs := a.kernel.Lookup(ctx, name)
			for _, doc := range docs {
				bring(doc)
			}
			return len(docs) > 0
		}
		c.Fetch = func(_ context.Context, doc kaijutsu.DocumentID) bool {
			bring(doc)
			return true
		}
	})
	share(a, b)
	if got, err := b.kernel.Resolve(t.Context(), owner, "beta:plan", kaijutsu.RightRead); err != nil || got != title.Doc {
		t.Errorf("Resolve of a title with a colon = %v, %v, want it brought", got, err)
	}
	if got, err := b.kernel.Resolve(t.Context(), owner, "two", kaijutsu.RightRead); err != nil || got != twin.Doc {
		t.Errorf("Resolve of a label = %v, %v, want it brought", got, err)
	}
	for _, test := range tests {
		if got := a.kernel.Lookup(t.Context(), test.name); !slices.Equal(got, test.want) {
			t.Errorf("Lookup(%q) = %v, want %v", test.name, got, test.want)
		}
	}
	if got, err := b.kernel.Resolve(t.Context(), owner, "0aaaaaaa-0", kaijutsu.RightRead); err != nil || got != one.Doc {
		t.Errorf("Resolve of the beginning of an id = %v, %v, want it brought", got, err)
	}
}

// TestNamesFollowWhatChanges: an old name means nothing, a new one at once, who
// ever wrote it.
func TestNamesFollowWhatChanges(t *testing.T) {
	w := newWorld(t)
	one, two := w.context("One"), w.context("Two")
	find := func(when, name string, want ...kernel.ContextInfo) {
		t.Helper()
		got, err := w.kernel.Resolve(t.Context(), owner, name, kaijutsu.RightRead)
		switch {
		case len(want) == 0 && !errors.Is(err, kaijutsu.ErrNotFound):
			t.Errorf("%s: Resolve(%q) = %v, %v, want ErrNotFound", when, name, got, err)
		case len(want) == 1 && (err != nil || got != want[0].Doc):
			t.Errorf("%s: Resolve(%q) = %v, %v, want %v", when, name, got, err, want[0].Doc)
		case len(want) > 1 && !errors.Is(err, kaijutsu.ErrConflict):
			t.Errorf("%s: Resolve(%q) = %v, %v, want ErrConflict", when, name, got, err)
		}
	}
	for range 2 {
		find("made", "One", one)
		find("made", two.Short, two)
		w.restart()
	}
	if _, err := w.kernel.Rename(t.Context(), owner, one.Doc, "Two"); err != nil {
		t.Fatal(err)
	}
	find("renamed", "One")
	find("renamed", "Two", one, two)
	if _, err := w.repo.Edit(t.Context(), two.Doc, repo.Edit{By: owner.By}, func(_ repo.View, tx *blocks.Tx) error { return tx.SetTitle("Three") }); err != nil {
		t.Fatal(err)
	}
	find("renamed by sync", "Two", one)
	find("renamed by sync", "Three", two)
	w.block(owner, two.Doc, blocks.BlockSpec{Content: "x"})
	find("edited", "Three", two)
	if _, err := w.kernel.Rename(t.Context(), owner, two.Doc, "Two"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.kernel.Archive(t.Context(), owner, one.Doc, true); err != nil {
		t.Fatal(err)
	}
	find("archived", "Two", two)
	find("archived", one.Short, one)
	if err := w.kernel.Delete(t.Context(), owner, two.Doc, true); err != nil {
		t.Fatal(err)
	}
	find("the other deleted", "Two", one)
	find("deleted", two.Short)
	find("deleted", two.ID)
}
