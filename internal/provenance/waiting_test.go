package provenance_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// TestLettersAreReadInPortions marks what was shown and no more, also of letters
// that were made at the same time elsewhere.
func TestLettersAreReadInPortions(t *testing.T) {
	w, there := newWorld(t), newWorld(t)
	a, b := w.context("A"), w.context("B")
	amy := w.member("amy", kaijutsu.RightEdit)
	w.drift(owner.By, a, b, "one")
	w.send(there, b)
	for _, text := range []string{"two", "three", "four"} {
		w.drift(owner.By, a, b, text)
	}
	there.drift(owner.By, a, b, "elsewhere")
	there.send(w, b)
	if err := w.index.Settle(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	portion := func(c op.Call, n int) (string, int) {
		t.Helper()
		letters, total, unread, err := w.index.Waiting(t.Context(), c, b, n)
		if err != nil || total != 5 {
			t.Fatalf("Waiting = %d in all, %v, want 5", total, err)
		}
		if err := w.index.MarkLetters(t.Context(), c, letters); err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, l := range letters {
			said = append(said, l.Content)
		}
		return strings.Join(said, " "), unread
	}
	var all []string
	for _, unread := range []int{5, 3, 1} {
		said, n := portion(amy, 2)
		if n != unread || w.index.Unread(amy.By, b) != max(0, unread-2) {
			t.Errorf("%d were unread and %d are after %q, want %d and %d", n, w.index.Unread(amy.By, b), said, unread, max(0, unread-2))
		}
		all = append(all, strings.Fields(said)...)
		w.restart()
	}
	if !slices.Equal(slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == "elsewhere" }), []string{"one", "two", "three", "four"}) || len(all) != 5 {
		t.Errorf("in portions they are %q, want each once, in order", all)
	}
	eve := w.member("eve", kaijutsu.RightNone)
	if _, _, _, err := w.index.Waiting(t.Context(), eve, b, 5); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("Waiting for who may not read it = %v, want ErrNotFound", err)
	}
	bot := w.member("bot", kaijutsu.RightEdit)
	letters, _, _, err := w.index.Waiting(t.Context(), bot, b, 5)
	if err != nil || len(letters) != 5 {
		t.Fatalf("another has %d to read, %v, want 5", len(letters), err)
	}
	if err := w.index.MarkLetters(t.Context(), eve, letters); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("MarkLetters by who may not read it = %v, want ErrNotFound", err)
	}
}
