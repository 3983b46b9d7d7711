package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// op3 is somebody who has done nothing yet.
func op3() op.Call {
	return op.Call{By: kaijutsu.Principal{Name: "carol", Kind: kaijutsu.Person}, Right: kaijutsu.RightEdit}
}

func TestTheMomentsOfAContext(t *testing.T) {
	h := start(t)
	c := h.context("Past")
	b := h.block(c, "one\ntwo\n", "")
	then := h.call(owner(), "block_read", quote(`{"context": %, "block_id": %}`, c, b))
	heads := fmt.Sprint(then["heads"].([]any)[0])
	h.call(owner(), "block_replace", quote(`{"context": %, "block_id": %, "content": "one\nzwei\n"}`, c, b))
	h.block(c, "later", "")

	for _, in := range []string{
		quote(`{"context": %, "heads": [%]}`, c, heads),
		quote(fmt.Sprintf(`{"context": %%, "version": %d}`, then.num("version")), c),
	} {
		got := h.call(owner(), "context_at", in)
		list := got.list("block_list")
		if len(list) != 1 || list[0].str("content") != "one\ntwo\n" || got.num("version") != then.num("version") || fmt.Sprint(got["heads"]) != "["+heads+"]" {
			t.Errorf("context_at %s = %v, want the one block as it was", in, got)
		}
	}
	for _, at := range []string{heads, fmt.Sprint(then.num("version"))} {
		got := h.call(owner(), "block_read", quote(`{"context": %, "block_id": %, "at": %}`, c, b, at))
		if got.str("content") != "   1→ one\n   2→ two" {
			t.Errorf("block_read at %s = %q, want the lines as they were", at, got.str("content"))
		}
	}
	if got := h.call(owner(), "context_at", quote(`{"context": %, "time": "2999-01-01T00:00:00Z"}`, c)); got.num("blocks") != 2 {
		t.Errorf("context_at a time to come = %v, want what there is", got)
	}
	for _, tt := range []struct {
		name, in string
		kind     error
		says     string
	}{
		{"before everything", `"time": "1969-01-01T00:00:00Z"`, kaijutsu.ErrNotFound, "nothing at"},
		{"no moment", `"context": "Past"`, kaijutsu.ErrInvalid, "give one of"},
		{"two moments", `"version": 1, "time": "2999-01-01T00:00:00Z"`, kaijutsu.ErrInvalid, "give one of"},
		{"a version to come", `"version": 99`, kaijutsu.ErrInvalid, "1 to 5"},
		{"no time", `"time": "soon"`, kaijutsu.ErrInvalid, "time"},
		{"no hash", `"heads": ["abc"]`, kaijutsu.ErrInvalid, "64 hexadecimal digits"},
		{"an unknown hash", `"heads": ["` + strings.Repeat("0", 64) + `"]`, kaijutsu.ErrNotFound, "heads"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := `{"context": "Past", ` + tt.in + `}`
			if strings.Contains(tt.in, "context") {
				in = `{` + tt.in + `}`
			}
			h.refuse(owner(), "context_at", in, tt.kind, tt.says)
		})
	}

	forth := h.call(owner(), "context_diff", quote(`{"context": %, "from": %}`, c, heads)).list("blocks")
	back := h.call(owner(), "context_diff", quote(fmt.Sprintf(`{"context": %%, "from": "5", "to": "%d"}`, then.num("version")), c)).list("blocks")
	if len(forth) != 2 || !strings.Contains(forth[0].str("patch"), "-two\n+zwei\n") || fmt.Sprint(forth[1]["how"]) != "[inserted]" {
		t.Errorf("context_diff = %v, want a changed line and an inserted block", forth)
	}
	if len(back) != 2 || !strings.Contains(back[0].str("patch"), "-zwei\n+two\n") || fmt.Sprint(back[1]["how"]) != "[deleted]" {
		t.Errorf("context_diff backwards = %v, want the same the other way round", back)
	}
	fork := h.call(owner(), "context_fork", quote(`{"context": %, "at": %}`, c, heads)).str("id")
	patch := forth[0].str("patch")
	h.call(owner(), "block_apply_patch", quote(`{"context": %, "block_id": %, "patch": %}`, fork, b, patch))
	same(t, h, fork, []string{"one\nzwei\n"})
	h.refuse(owner(), "block_apply_patch", quote(`{"context": %, "block_id": %, "patch": %}`, fork, b, patch), kaijutsu.ErrConflict, "patch", "hunk")
}

func TestExportsComeBack(t *testing.T) {
	h := start(t)
	c := h.context("Round trip: é😀")
	call := h.block(c, "go test", `, "kind": "tool_call", "role": "model", "metadata": {"tool_name": "shell"}`)
	h.block(c, "ok\n", fmt.Sprintf(`, "kind": "tool_result", "role": "tool", "parent_id": %q, "status": "error"`, call))
	h.block(c, "```\nfence\n```\n<!-- block {} -->\n", `, "collapsed": true`)
	h.block(c, "", `, "excluded": true, "kind": "comment"`)
	for _, format := range []string{"markdown", "json", "automerge"} {
		t.Run(format, func(t *testing.T) {
			file := h.call(owner(), "context_export", quote(`{"context": %, "format": %}`, c, format))
			key := "content"
			if format == "automerge" {
				key = "content_base64"
			}
			back := h.call(owner(), "context_import", quote(`{"format": %, "`+key+`": %}`, format, file.str(key))).str("id")
			if back == c {
				t.Fatal("the import is the context itself")
			}
			if got, want := h.outline(back), h.outline(c); got != want {
				t.Errorf("came back as\n%s\nwant\n%s", got, want)
			}
			if got, want := h.call(owner(), "context_get", quote(`{"context": %}`, back)).str("title"), "Round trip: é😀"; got != want {
				t.Errorf("the title came back as %q, want %q", got, want)
			}
		})
	}
}

// outline is everything about the blocks of a context but ids, authors and
// times.
func (h *house) outline(context string) string {
	h.t.Helper()
	var b strings.Builder
	for _, row := range h.call(owner(), "context_get", quote(`{"context": %}`, context)).list("block_list") {
		fmt.Fprintln(&b, row.num("depth"), row.str("kind"), row.str("role"), row.str("status"), row.str("form"), row["collapsed"], row["excluded"],
			strings.Contains(row.str("meta"), "tool_"), fmt.Sprintf("%q", row.str("content")))
	}
	return b.String()
}

func TestRolesThroughOperations(t *testing.T) {
	h := start(t)
	c := h.context("Roles")
	b := h.block(c, "text", "")
	h.call(owner(), "token_create", `{"name": "bob", "role": "reader"}`)
	reader := op.Call{By: bob, Right: kaijutsu.RightRead}
	create := func(more string) string { return quote(`{"context": %, "content": "x"`+more+`}`, c) }

	h.refuse(reader, "block_create", create(""), kaijutsu.ErrDenied, "role commenter")
	h.refuse(reader, "context_create", `{}`, kaijutsu.ErrDenied, "role editor")
	h.refuse(reader, "role_set", quote(`{"context": %, "principal": "bob", "role": "owner"}`, c), kaijutsu.ErrDenied)
	h.refuse(reader, "role_set", `{"principal": "bob", "role": "owner"}`, kaijutsu.ErrDenied)

	h.call(owner(), "role_set", quote(`{"context": %, "principal": "bob", "role": "commenter"}`, c))
	h.refuse(reader, "block_create", create(""), kaijutsu.ErrDenied, "comment")
	comment := h.call(reader, "block_create", create(`, "kind": "comment"`)).str("block_id")
	h.call(reader, "block_replace", quote(`{"context": %, "block_id": %, "content": "better"}`, c, comment))
	h.refuse(reader, "block_replace", quote(`{"context": %, "block_id": %, "content": "worse"}`, c, b), kaijutsu.ErrDenied)
	h.refuse(reader, "block_delete", quote(`{"context": %, "block_id": %}`, c, b), kaijutsu.ErrDenied)

	h.call(owner(), "role_set", quote(`{"context": %, "principal": "bob", "role": "none"}`, c))
	h.refuse(reader, "context_get", quote(`{"context": %}`, c), kaijutsu.ErrNotFound)
	if got := h.call(reader, "kernel_search", `{"query": "text"}`); got.num("total") != 0 {
		t.Errorf("a search by one who may not read found %v", got)
	}
	h.call(owner(), "role_set", quote(`{"context": %, "principal": "bob", "role": "default"}`, c))
	h.call(reader, "context_get", quote(`{"context": %}`, c))
}
