package catalog_test

import (
	"testing"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// TestDotsAreReadFromTheNamedContext pushes and pulls with `.` and `.parent`
// where the parameter context names the source, and where the call does.
func TestDotsAreReadFromTheNamedContext(t *testing.T) {
	h := start(t)
	top := h.context("Top")
	h.call(owner(), "context_fork", `{"context": "Top", "title": "Mid"}`)
	h.call(owner(), "context_fork", `{"context": "Mid", "title": "Low"}`)
	for _, c := range []string{"Top", "Mid", "Low"} {
		h.block(c, "We decided that "+c+" goes first, because it is ready.", "")
	}
	within := func(name string) op.Call {
		c := owner()
		c.Context = name
		return c
	}
	for _, tt := range []struct {
		name     string
		c        op.Call
		op, in   string
		from, to string
	}{
		{"push from a named one", owner(), "drift_push", `{"context": "Low", "to": ".parent", "content": "1"}`, "Low", "Mid"},
		{"push by the old name", owner(), "drift_push", `{"from": "Low", "to": ".parent.parent", "content": "2"}`, "Low", "Top"},
		{"the named one is before the call's", within("Mid"), "drift_push", `{"context": "Low", "to": ".parent", "content": "3"}`, "Low", "Mid"},
		{"the named one is read from the call's", within("Low"), "drift_push", `{"context": ".parent", "to": ".parent", "content": "4"}`, "Mid", "Top"},
		{"of the call", within("Low"), "drift_push", `{"to": ".parent", "content": "5"}`, "Low", "Mid"},
		{"the context of the call, named", within("Low"), "drift_push", `{"context": ".", "to": ".parent", "content": "6"}`, "Low", "Mid"},
		{"pull into a named one", owner(), "drift_pull", `{"context": "Low", "from": ".parent"}`, "Mid", "Low"},
		{"pull by the old name", owner(), "drift_pull", `{"into": "Mid", "from": ".parent"}`, "Top", "Mid"},
		{"pull into what the call's leads to", within("Low"), "drift_pull", `{"context": ".parent", "from": ".parent"}`, "Top", "Mid"},
		{"merge what the call's leads to", within("Low"), "drift_merge", `{"context": ".parent"}`, "Mid", "Top"},
	} {
		out := h.call(tt.c, tt.op, tt.in)
		from, _ := out["from"].(map[string]any)
		to, _ := out["to"].(map[string]any)
		if from["title"] != tt.from || to["title"] != tt.to {
			t.Errorf("%s: %s %s goes from %v to %v, want %s and %s", tt.name, tt.op, tt.in, from["title"], to["title"], tt.from, tt.to)
		}
	}
	out := h.call(owner(), "drift_push", quote(`{"context": "Mid", "to": "Low", "content": "as [1] says", "cite": [%]}`, ".parent/"+h.block("Top", "cited", "")))
	if got := out.list("citations"); len(got) != 1 || got[0].str("handle")[:36] != top {
		t.Errorf("a handle of .parent cites %v, want one of %s", got, top)
	}
	h.refuse(owner(), "drift_push", `{"context": ".parent", "to": "Low", "content": "x"}`, kaijutsu.ErrInvalid, "none is named")
	h.refuse(owner(), "drift_push", `{"context": "Top", "to": ".parent", "content": "x"}`, kaijutsu.ErrNotFound, "no parent")
}
