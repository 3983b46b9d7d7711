package repo_test

import (
	"errors"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// TestTheBlockThen edits a block, and asks at each step for what it was before.
func TestTheBlockThen(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	doc := newContext(t, h.repo, "Plan")
	id := insert(t, h.repo, doc, "one\ntwo\nthree\n")
	type state struct {
		heads kaijutsu.Heads
		want  blocks.Then
	}
	var states []state
	note := func() {
		t.Helper()
		err := h.repo.View(t.Context(), doc, func(v repo.View) error {
			b, _ := v.Model().Then(id)
			states = append(states, state{v.Heads, b})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	edit := func(f func(tx *blocks.Tx) error) {
		t.Helper()
		if _, err := h.repo.Edit(t.Context(), doc, repo.Edit{By: amy}, func(_ repo.View, tx *blocks.Tx) error { return f(tx) }); err != nil {
			t.Fatal(err)
		}
		note()
	}
	note()
	edit(func(tx *blocks.Tx) error { return tx.SpliceText(id, 4, 3, "zwei") })
	edit(func(tx *blocks.Tx) error { return tx.ReplaceText(id, "1\n2\n") })
	edit(func(tx *blocks.Tx) error { return tx.Delete(id) })
	edit(func(tx *blocks.Tx) error { return tx.Restore(id) })
	edit(func(tx *blocks.Tx) error { return tx.SpliceText(id, 0, 4, "one\ntwo\n") })
	err := h.repo.View(t.Context(), doc, func(v repo.View) error {
		for i, s := range states {
			got, err := v.ContentAt(id, s.heads)
			if err != nil || got.Then != s.want || got.By != amy {
				t.Errorf("ContentAt(%d) = %+v, %v, want %+v by %v", i, got, err, s.want, amy)
			}
			if behind, err := v.Behind(s.heads[0], states[2].heads); err != nil || behind != (i <= 2) {
				t.Errorf("Behind(%d, 2) = %v, %v", i, behind, err)
			}
		}
		for _, tt := range []struct {
			at, first, last int
			stale           bool
		}{{0, 2, 2, false}, {0, 3, 3, true}, {1, 1, 2, true}, {1, 1, 1, false}, {2, 1, 2, true}} {
			f, err := v.Fate(id, states[tt.at].heads, tt.first, tt.last)
			if err != nil || f.Stale != tt.stale {
				t.Errorf("Fate(%d, %d, %d) = %+v, %v, want stale %v", tt.at, tt.first, tt.last, f, err, tt.stale)
			}
		}
		made, ok := v.Inserted(id)
		if !ok || made != states[0].heads[0] {
			t.Errorf("Inserted = %v, %v, want %v", made, ok, states[0].heads)
		}
		if _, ok := v.Inserted(blocks.NewID(time.Now())); ok {
			t.Error("a block that is none was inserted")
		}
		all, err := v.Behinds([]kaijutsu.ChangeHash{made, states[5].heads[0], {1}}, states[4].heads)
		if err != nil || !all[0] || all[1] || all[2] {
			t.Errorf("Behinds = %v, %v, want the first alone", all, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		heads kaijutsu.Heads
		id    blocks.ID
		want  error
	}{
		{"no heads", nil, id, kaijutsu.ErrInvalid},
		{"an unknown head", kaijutsu.Heads{{1}}, id, kaijutsu.ErrNotFound},
		{"no such block", states[0].heads, blocks.NewID(time.Now()), kaijutsu.ErrNotFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := h.repo.View(t.Context(), doc, func(v repo.View) error { _, err := v.ContentAt(tt.id, tt.heads); return err })
			if !errors.Is(err, tt.want) {
				t.Errorf("ContentAt: %v, want %v", err, tt.want)
			}
			err = h.repo.View(t.Context(), doc, func(v repo.View) error { _, err := v.Fate(tt.id, tt.heads, 1, 1); return err })
			if !errors.Is(err, tt.want) {
				t.Errorf("Fate: %v, want %v", err, tt.want)
			}
		})
	}
	early := states[0].heads
	err = h.repo.View(t.Context(), doc, func(v repo.View) error {
		_, err := v.ContentAt(id, v.HeadsOf(1))
		return err
	})
	if !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("ContentAt before the block was there: %v, want %v", err, kaijutsu.ErrNotFound)
	}
	child := fork(t, h.repo, doc, early, "Fork")
	err = h.repo.View(t.Context(), child, func(v repo.View) error {
		got, err := v.ContentAt(id, early)
		if err == nil && got.Content != states[0].want.Content {
			t.Errorf("the fork says %q, want %q", got.Content, states[0].want.Content)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
