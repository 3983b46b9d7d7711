package repo_test

import (
	"errors"
	"maps"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/repo"
)

// TestLines lets a service load a file, and two people edit it.
func TestLines(t *testing.T) {
	h := open(t, t.TempDir(), nil)
	doc := newContext(t, h.repo, "app@main")
	disk := kaijutsu.Principal{Name: "disk", Kind: kaijutsu.Service}
	id := blocks.NewID(time.Now())
	edit := func(by kaijutsu.Principal, message string, f func(tx *blocks.Tx) error) {
		t.Helper()
		if _, err := h.repo.Edit(t.Context(), doc, repo.Edit{By: by, Message: message}, func(_ repo.View, tx *blocks.Tx) error { return f(tx) }); err != nil {
			t.Fatal(err)
		}
	}
	edit(disk, "loaded", func(tx *blocks.Tx) error {
		return tx.InsertBlock(blocks.BlockSpec{ID: id, Kind: blocks.KindFile, Role: blocks.RoleSystem, Content: "one\ntwo\nthree\n"})
	})
	var base kaijutsu.Heads
	if err := h.repo.View(t.Context(), doc, func(v repo.View) error { base = v.Heads; return nil }); err != nil {
		t.Fatal(err)
	}
	edit(amy, "a word", func(tx *blocks.Tx) error { return tx.SpliceText(id, 4, 3, "zwei") })
	edit(ben, "a line", func(tx *blocks.Tx) error { return tx.SpliceText(id, 0, 0, "zero\n") })
	err := h.repo.View(t.Context(), doc, func(v repo.View) error {
		lines, err := v.Lines(id)
		if err != nil {
			return err
		}
		want := []repo.LineBy{
			{By: ben, Message: "a line", Start: 0, Len: 4}, {By: disk, Message: "loaded", Start: 5, Len: 3},
			{By: amy, Message: "a word", Start: 9, Len: 4}, {By: disk, Message: "loaded", Start: 14, Len: 5},
		}
		for i, got := range lines {
			at, _ := v.Log().Index(got.Change)
			header, err := v.Log().Header(at)
			if err != nil || got.Actor != header.Author || got.Time.Unix() != header.Time {
				t.Errorf("line %d is by %v at %v, %v, want what change %v says", i, got.Actor, got.Time, err, got.Change)
			}
			got.Actor, got.Change, got.Time = "", kaijutsu.ChangeHash{}, time.Time{}
			if i >= len(want) || got != want[i] {
				t.Errorf("line %d is %+v, want %+v", i, got, want[i])
			}
		}
		if len(lines) != len(want) {
			t.Errorf("%d lines, want %d", len(lines), len(want))
		}
		since, err := v.SurvivingSince(id, base)
		if want := map[kaijutsu.Principal]int{amy: 4, ben: 5}; err != nil || !maps.Equal(since, want) {
			t.Errorf("SurvivingSince(the load) = %v, %v, want %v", since, err, want)
		}
		all, err := v.SurvivingSince(id, nil)
		if want := map[kaijutsu.Principal]int{amy: 4, ben: 5, disk: 11}; err != nil || !maps.Equal(all, want) {
			t.Errorf("SurvivingSince(nothing) = %v, %v, want %v", all, err, want)
		}
		if _, err := v.SurvivingSince(id, kaijutsu.Heads{{1}}); !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("SurvivingSince(unknown heads): %v, want an error that wraps ErrNotFound", err)
		}
		if _, err := v.Lines(blocks.NewID(time.Now())); !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("Lines of no block: %v, want an error that wraps ErrNotFound", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
