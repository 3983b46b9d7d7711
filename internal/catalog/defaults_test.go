package catalog_test

import (
	"testing"

	"kaijutsu"
)

func TestARoleFollowsTheKind(t *testing.T) {
	h := start(t)
	c := h.context("Kinds")
	call := ""
	for _, tt := range []struct{ kind, role, form, status string }{
		{"text", "user", "text", "done"},
		{"comment", "user", "text", "done"},
		{"thinking", "model", "body", "done"},
		{"tool_call", "model", "body", "running"},
		{"tool_result", "tool", "body", "done"},
		{"shell_command", "user", "text", "done"},
		{"shell_output", "system", "body", "done"},
		{"drift", "system", "body", "done"},
	} {
		in := quote(`{"context": %, "kind": %, "content": "x"}`, c, tt.kind)
		if tt.kind == "tool_result" {
			in = quote(`{"context": %, "kind": %, "content": "x", "parent_id": %}`, c, tt.kind, call)
		}
		id := h.call(owner(), "block_create", in).str("block_id")
		b := h.call(owner(), "block_read", quote(`{"context": %, "block_id": %}`, c, id))
		if b.str("role") != tt.role || b.str("form") != tt.form || b.str("status") != tt.status {
			t.Errorf("a %s is of role %s, form %s and status %s, want %s, %s and %s", tt.kind, b.str("role"), b.str("form"), b.str("status"), tt.role, tt.form, tt.status)
		}
		if tt.kind == "tool_call" {
			call = id
		}
	}
}

func TestATokenDeniesOnlyWhatThereIs(t *testing.T) {
	h := start(t)
	h.refuse(owner(), "token_create", `{"name": "ci", "deny": ["block_*", "block_edti"]}`, kaijutsu.ErrInvalid, "deny[1]", `"block_edti"`, "block_edit")
	h.call(owner(), "token_create", `{"name": "ci", "deny": ["block_*", "undo", "*"]}`)
}

func TestKernelSearchTakesAsManyMatchesAsItsSchemaSays(t *testing.T) {
	h := start(t)
	h.call(owner(), "kernel_search", `{"query": "x", "max_matches": 1000}`)
	h.refuse(owner(), "kernel_search", `{"query": "x", "max_matches": 1001}`, kaijutsu.ErrInvalid, "max_matches: 1001: at most 1000")
}

func TestACursorThatIsNone(t *testing.T) {
	h := start(t)
	c := h.context("List")
	h.block(c, "one", "")
	h.refuse(owner(), "block_list", quote(`{"context": %, "cursor": "bogus"}`, c), kaijutsu.ErrInvalid, "cursor", "call before")
	h.refuse(owner(), "block_list", quote(`{"context": %, "cursor": "00000000-0000-7000-8000-0000000000ff"}`, c), kaijutsu.ErrConflict, "begin again")
}
