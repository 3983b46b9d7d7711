package catalog_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"kaijutsu"
)

// TestASearchOfALongLineIsShort: a result does not hold a long line once for
// each match in it, or each line around it.
func TestASearchOfALongLineIsShort(t *testing.T) {
	h := start(t)
	plan := h.context("Plan")
	block := h.block(plan, strings.Repeat("a", 400_000)+"\n"+strings.Repeat("b", 400_000), `, "form": "body"`)
	in := quote(`{"context": %, "block_id": %, "query": "a", "max_matches": 1000}`, plan, block)
	out, err := h.set.Call(t.Context(), owner(), "block_search", json.RawMessage(in))
	if err != nil {
		t.Fatal(err)
	}
	if len(out) > 4<<20 {
		t.Errorf("the result has %d bytes", len(out))
	}
	first := h.call(owner(), "block_search", in).list("matches")[0].str("content")
	if !strings.Contains(first, "[399500 characters]") || !strings.Contains(first, "2→ bbb") {
		t.Errorf("content = %.100q … %q", first, first[len(first)-100:])
	}
	in = quote(`{"context": %, "block_id": %, "query": "((a{0,30}){0,30})c"}`, plan, block)
	if _, err := h.set.Call(t.Context(), owner(), "block_search", json.RawMessage(in)); !errors.Is(err, kaijutsu.ErrTooLarge) {
		t.Errorf("a pattern that takes long = %v, want too large", err)
	}
}
