package catalog_test

import (
	"slices"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
)

func TestUndoIsOnesOwn(t *testing.T) {
	h := start(t)
	c := h.context("Undo")
	b := h.block(c, "one two three", "")
	edit := func(more string) string { return quote(`{"context": %, "block_id": %, `+more+`}`, c, b) }
	h.call(owner(), "block_splice", edit(`"offset": 4, "delete_count": 3, "insert": "TWO"`))
	h.call(editor(), "block_splice", edit(`"offset": 0, "delete_count": 3, "insert": "ONE"`))
	h.call(editor(), "block_splice", edit(`"offset": 6, "delete_count": 0, "insert": "-bob-"`))

	undone := h.call(owner(), "undo", quote(`{"context": %}`, c))
	if got, want := h.content(c, b), "ONE two-bob- three"; got != want && got != "ONE -bob-two three" {
		t.Errorf("after amy's undo: %q, want what bob wrote kept, as in %q", got, want)
	}
	if u := undone.list("undone"); len(u) != 1 || u[0].str("what") != "block_splice" || undone.str("change") == "" {
		t.Errorf("undo = %v, want one block_splice taken back by a change", undone)
	}
	h.call(owner(), "undo", quote(`{"context": %, "change": %}`, c, undone.str("change")))
	if got, want := h.content(c, b), "ONE TWO-bob- three"; len(got) != len(want) {
		t.Errorf("after the undo of the undo: %q, want something like %q", got, want)
	}
	bobs := h.call(editor(), "block_history", edit(`"limit": 4`)).list("entries")
	at := slices.IndexFunc(bobs, func(e object) bool { return e.str("author") == "bob" })
	h.refuse(owner(), "undo", quote(`{"context": %, "change": %}`, c, bobs[at].str("change")), kaijutsu.ErrDenied, "somebody else")
	h.refuse(op3(), "undo", quote(`{"context": %}`, c), kaijutsu.ErrNotFound, "no more to take back")
	h.refuse(owner(), "undo", quote(`{"context": %, "steps": 2, "change": %}`, c, undone.str("change")), kaijutsu.ErrInvalid, "steps")
}

func TestUndoTakesTypingTogether(t *testing.T) {
	h := start(t)
	c := h.context("Typing")
	b := h.block(c, "", "")
	r := h.replica(c, bob)
	for _, letter := range "hello" {
		r.edit(func(tx *blocks.Tx) error { return tx.AppendText(blocks.ID(b), string(letter)) })
	}
	r.push()
	h.call(owner(), "block_splice", quote(`{"context": %, "block_id": %, "offset": 0, "delete_count": 0, "insert": "amy: "}`, c, b))
	got := h.call(editor(), "undo", quote(`{"context": %}`, c))
	if u := got.list("undone"); len(u) != 1 || len(u[0]["changes"].([]any)) != 5 {
		t.Errorf("undo = %v, want five keystrokes in one unit", got)
	}
	if got, want := h.content(c, b), "amy: "; got != want {
		t.Errorf("after the undo: %q, want %q", got, want)
	}
}

func TestUndoGoesBackByUnits(t *testing.T) {
	h := start(t)
	c := h.context("Steps")
	b := h.block(c, "0", "")
	for _, text := range []string{"1", "12", "123"} {
		h.call(owner(), "block_replace", quote(`{"context": %, "block_id": %, "content": %}`, c, b, text))
	}
	for _, step := range []struct{ in, want string }{
		{`{"context": %}`, "12"},
		{`{"context": %}`, "123"}, // an undo is a unit too
		{`{"context": %, "steps": 1}`, "12"},
		{`{"context": %, "steps": 1}`, "1"},
		{`{"context": %, "steps": 1}`, "0"},
	} {
		h.call(owner(), "undo", quote(step.in, c))
		if got := h.content(c, b); got != step.want {
			t.Fatalf("after undo %s: %q, want %q", step.in, got, step.want)
		}
	}
}
