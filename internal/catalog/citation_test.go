package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// cite returns a handle for lines of a block.
func (h *house) cite(block, lines string) string {
	h.t.Helper()
	return h.call(owner(), "citation_create", quote(`{"block_id": %, "lines": %}`, block, lines)).str("handle")
}

// resolve reads a handle.
func (h *house) resolve(handle string) object {
	h.t.Helper()
	return h.call(owner(), "citation_resolve", quote(`{"handle": %}`, handle))
}

func TestACitationReadsAsItWas(t *testing.T) {
	h := start(t)
	c := h.context("Findings")
	b := h.block(c, "one\ngap\ntwo\ngap\nthree\n", "")
	handle := h.cite(b, "3")
	replace := func(text string) {
		h.call(owner(), "block_replace", quote(`{"context": %, "block_id": %, "content": %}`, c, b, text))
	}
	for _, tt := range []struct {
		name        string
		change      func()
		state       string
		now, inDiff string
		first       int
	}{
		{"at once", func() {}, "fresh", "", "", 3},
		{"an edit elsewhere", func() { replace("one\ngap\ntwo\ngap\n3\n") }, "fresh", "", "", 3},
		{"a line in front", func() { replace("zero\none\ngap\ntwo\ngap\n3\n") }, "fresh", "", "", 4},
		{"the line itself", func() { replace("zero\none\ngap\nTWO\ngap\n3\n") }, "stale", "TWO\n", "-two\n+TWO\n", 4},
		{"back again", func() { replace("zero\none\ngap\ntwo\ngap\n3\n") }, "fresh", "", "", 4},
		{"deleted", func() { h.call(owner(), "block_delete", quote(`{"context": %, "block_id": %}`, c, b)) }, "deleted", "", "", 0},
		{"restored", func() { h.call(owner(), "block_restore", quote(`{"context": %, "block_id": %}`, c, b)) }, "fresh", "", "", 4},
	} {
		tt.change()
		got := h.resolve(handle)
		if got.str("text") != "two\n" || got.str("handle") != handle {
			t.Errorf("%s: %s reads %q, want %q for good", tt.name, got.str("handle"), got.str("text"), "two\n")
		}
		if got.str("state") != tt.state || got.str("now") != tt.now || !strings.Contains(got.str("diff"), tt.inDiff) || got.num("now_first") != tt.first {
			t.Errorf("%s: %v, want %s with %q now, a diff with %q, at line %d", tt.name, got, tt.state, tt.now, tt.inDiff, tt.first)
		}
	}
}

func TestAHandleIsReadInManyForms(t *testing.T) {
	h := start(t)
	c := h.context("Findings")
	b := h.block(c, "one\ntwo\nthree\n", "")
	canonical := h.cite(b, "2-3")
	heads := canonical[strings.Index(canonical, "@")+1 : strings.Index(canonical, "#")]
	for _, handle := range []string{
		canonical, "main:" + canonical, " " + canonical,
		fmt.Sprintf("Findings/%s@%s#L2-L3", b, heads), fmt.Sprintf("Findings/%s@%s#2-3", b, heads[:8]), fmt.Sprintf("%s/%s#2-3", c[len(c)-6:], b),
	} {
		if got := h.resolve(handle); got.str("handle") != canonical || got.str("text") != "two\nthree\n" {
			t.Errorf("%q resolves to %s, %q, want %s", handle, got.str("handle"), got.str("text"), canonical)
		}
	}
	for handle, want := range map[string]error{
		"Findings/" + b + "@00000000#2":                        kaijutsu.ErrNotFound,
		"Findings/" + b + "@" + heads + "#2-4":                 kaijutsu.ErrNotFound,
		"Nowhere/" + b:                                         kaijutsu.ErrNotFound,
		"Findings/00000000-0000-7000-8000-0000000000ff":        kaijutsu.ErrNotFound,
		"lab:" + canonical:                                     kaijutsu.ErrNotFound,
		"Findings#2":                                           kaijutsu.ErrInvalid,
		"Findings/" + b + "@" + strings.Repeat("0", 65) + "#2": kaijutsu.ErrInvalid,
	} {
		h.refuse(owner(), "citation_resolve", quote(`{"handle": %}`, handle), want)
	}
}

// TestACitationIsForWhoMayReadItsContext has a handle tell nothing to others,
// and not even that there is such a context.
func TestACitationIsForWhoMayReadItsContext(t *testing.T) {
	h := start(t)
	c := h.context("Secret")
	b := h.block(c, "one\n", "")
	handle := h.cite(b, "1")
	h.call(owner(), "token_create", `{"name": "bob", "role": "editor"}`)
	h.call(owner(), "role_set", quote(`{"principal": "bob", "role": "none", "context": %}`, c))
	h.refuse(editor(), "citation_resolve", quote(`{"handle": %}`, handle), kaijutsu.ErrNotFound)
	h.refuse(editor(), "citation_create", quote(`{"context": %, "block_id": %}`, c, b), kaijutsu.ErrNotFound)
	h.call(owner(), "role_set", quote(`{"principal": "bob", "role": "reader", "context": %}`, c))
	got := h.call(editor(), "citation_resolve", quote(`{"handle": %}`, handle))
	if got.str("text") != "one\n" {
		t.Errorf("a reader of the context reads %q, want the line", got.str("text"))
	}
}

// TestNoHandleOfWhatIsDeleted refuses one that would say deleted from the start.
func TestNoHandleOfWhatIsDeleted(t *testing.T) {
	h := start(t)
	c := h.context("Findings")
	b := h.block(c, "one\n", "")
	h.call(owner(), "block_delete", quote(`{"context": %, "block_id": %}`, c, b))
	h.refuse(owner(), "citation_create", quote(`{"block_id": %, "context": %}`, b, c), kaijutsu.ErrNotFound, "deleted")
	h.call(owner(), "block_restore", quote(`{"context": %, "block_id": %}`, c, b))
	h.cite(b, "1")
}

// TestAPushThatIsTooLong is refused in one way, however its characters are
// written.
func TestAPushThatIsTooLong(t *testing.T) {
	h := start(t)
	h.context("A")
	h.context("B")
	for _, content := range []string{strings.Repeat("x", 256<<10+1), strings.Repeat("漢", 256<<10/3+1)} {
		h.refuse(owner(), "drift_push", quote(`{"context": "A", "to": "B", "content": %}`, content), kaijutsu.ErrTooLarge, "262144")
	}
}

// TestWhatAHandleDoesNotFindIsNamed says which context was asked, and a block
// that is not there is an error of its parameter.
func TestWhatAHandleDoesNotFindIsNamed(t *testing.T) {
	h := start(t)
	c := h.context("Findings")
	d := h.context("Others")
	b, other := h.block(c, "one\n", ""), h.block(d, "two\n", "")
	canonical := h.cite(b, "1")
	heads := canonical[strings.Index(canonical, "@"):strings.Index(canonical, "#")]
	for _, handle := range []string{c + "/" + b + "@" + strings.Repeat("0", 64), c + "/" + b + "@00000000,11111111", c + "/" + other + heads} {
		h.refuse(owner(), "citation_resolve", quote(`{"handle": %}`, handle), kaijutsu.ErrNotFound, c, "Findings")
	}
	for _, in := range []string{quote(`{"context": %, "block_id": %}`, c, other), quote(`{"context": %, "block_id": "ffffffff"}`, c), `{"block_id": "00000000-0000-7000-8000-0000000000ff"}`} {
		_, err := h.set.Call(t.Context(), owner(), "block_read", []byte(in))
		if p := op.ProblemOf(err); p.Kind != "not_found" || p.Field != "block_id" {
			t.Errorf("block_read %s = %+v, want not_found of block_id", in, p)
		}
	}
}

// TestReplayOfNothingListsDeadLetters names those that there are.
func TestReplayOfNothingListsDeadLetters(t *testing.T) {
	h := start(t)
	h.context("A")
	h.context("B")
	h.refuse(owner(), "drift_replay", `{"item": "99"}`, kaijutsu.ErrNotFound, "Dead letter #99 not found", "No dead letters.")
	h.call(owner(), "drift_push", `{"context": "A", "to": "B", "content": "a lost letter", "stage": true}`)
	h.call(owner(), "context_archive", `{"context": "B"}`)
	for range 5 {
		h.call(owner(), "drift_flush", `{"context": "A"}`)
	}
	h.refuse(owner(), "drift_replay", `{"item": "99"}`, kaijutsu.ErrNotFound, "#1 → B: a lost letter")
	h.refuse(owner(), "drift_replay", `{"item": "1"}`, kaijutsu.ErrConflict, "archived")
}
