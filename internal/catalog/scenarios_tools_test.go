package catalog_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/op"
)

func TestScenario11LinesAreComparedBeforeTheyAreSet(t *testing.T) {
	h := start(t)
	c := h.context("Lines")
	b := h.block(c, "a\nb\nc", "")
	edit := func(expected string) string {
		return quote(`{"context": %, "block_id": %, "operations": [{"op": "replace", "start_line": 1, "end_line": 2, "content": "B", "expected_text": %}]}`, c, b, expected)
	}
	before := h.call(owner(), "block_read", quote(`{"context": %, "block_id": %}`, c, b))
	got := h.call(owner(), "block_edit", edit("b"))
	if got.num("version") <= before.num("version") || fmt.Sprint(got["heads"]) == fmt.Sprint(before["heads"]) {
		t.Errorf("after the edit version and heads are %v and %v, as before", got["version"], got["heads"])
	}
	if got, want := h.content(c, b), "a\nB\nc"; got != want {
		t.Errorf("after the edit: %q, want %q", got, want)
	}
	h.refuse(owner(), "block_edit", edit("x"), kaijutsu.ErrConflict, "expected:\nx", "actual:\nB", "lines 1..2")
	if got, want := h.content(c, b), "a\nB\nc"; got != want {
		t.Errorf("after the edit that was refused: %q, want %q", got, want)
	}
}

func TestScenario12ABatchIsAllOrNothing(t *testing.T) {
	h := start(t)
	c := h.context("Batch")
	b := h.block(c, "a\nb\nc\n", "")
	before := h.heads(c)
	h.refuse(owner(), "block_edit", quote(`{"context": %, "block_id": %, "operations": [
		{"op": "insert", "line": 0, "content": "new"},
		{"op": "delete", "start_line": 1, "end_line": 2},
		{"op": "insert", "line": 9, "content": "lost"}]}`, c, b), kaijutsu.ErrInvalid, "operation 2", "line 9 is out of range", "3 lines")
	if got, want := h.content(c, b), "a\nb\nc\n"; got != want {
		t.Errorf("after the batch that was refused: %q, want %q", got, want)
	}
	if h.heads(c) != before {
		t.Error("a batch that was refused has changed the heads")
	}
}

func TestScenario13AnInsertBehindALineWithoutItsEnd(t *testing.T) {
	h := start(t)
	c := h.context("Newline")
	b := h.block(c, "a", "")
	h.call(owner(), "block_edit", quote(`{"context": %, "block_id": %, "operations": [{"op": "insert", "line": 1, "content": "b"}]}`, c, b))
	if got, want := h.content(c, b), "a\nb\n"; got != want {
		t.Errorf("after the insert: %q, want %q", got, want)
	}
}

func TestScenario14SmallAppendsAreWrittenTogether(t *testing.T) {
	h := start(t)
	c := h.context("Stream")
	b := h.block(c, "", `, "form": "chunks", "role": "model", "kind": "shell_output"`)
	version := func() int { return h.call(owner(), "context_get", quote(`{"context": %}`, c)).num("version") }
	before := version()
	add := quote(`{"context": %, "block_id": %, "text": "x"}`, c, b)
	began := time.Now()
	for range 60 {
		h.call(owner(), "block_append", add)
	}
	n := version() - before                                         // reading the version writes what waits
	most := max(9, 2+int(time.Since(began)/(100*time.Millisecond))) // a slow machine lets more timers go off
	if n < 1 || n > most {
		t.Errorf("60 appends of a character made %d changes, want at most %d", n, most)
	}

	t.Run("a tail is written by itself", func(t *testing.T) {
		doc := h.replica(c, amy).doc
		w, err := h.repo.Watch(t.Context(), doc)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		began := time.Now()
		if got := h.call(owner(), "block_append", add); got["durable"] != false || got.num("buffered") != 1 {
			t.Fatalf("one more character: %v, want it to wait", got)
		}
		if _, err := w.Next(t.Context()); err != nil { // nothing reads or appends meanwhile
			t.Fatal(err)
		}
		if took := time.Since(began); took > 5*time.Second { // a busy machine's 100 ms
			t.Errorf("the tail was written after %v, want about 100 ms", took)
		}
		if got, want := h.content(c, b), strings.Repeat("x", 61); got != want {
			t.Errorf("the block says %q, want %q", got, want)
		}
	})

	t.Run("a terminal status writes what waits", func(t *testing.T) {
		h.call(owner(), "block_append", quote(`{"context": %, "block_id": %, "text": "end"}`, c, b))
		h.call(owner(), "block_status", quote(`{"context": %, "block_id": %, "status": "done"}`, c, b))
		got := h.call(owner(), "block_read", quote(`{"context": %, "block_id": %, "line_numbers": false}`, c, b))
		if want := strings.Repeat("x", 61) + "end"; got.str("content") != want || got.str("form") != "body" {
			t.Errorf("the finished block is %v, want a body that says %q", got, want)
		}
	})
}

func TestScenario15ABlockLandsInTheContextOfTheCall(t *testing.T) {
	h := start(t)
	h.context("First")
	c := h.context("Mine")
	h.block(c, "before", "")
	call := owner()
	call.Context = c
	got := h.call(call, "block_create", `{"content": "here", "role": "model", "kind": "tool_call", "metadata": {"tool_name": "git", "arguments": [1, {"a": null}]}}`)
	if got.str("context") != c {
		t.Errorf("the block is in %s, want %s", got.str("context"), c)
	}
	same(t, h, c, []string{"before", "here"})
	read := h.call(call, "block_read", quote(`{"block_id": %}`, got.str("block_id")))
	meta, err := json.Marshal(read["metadata"])
	if want := `{"arguments":[1,{"a":null}],"tool_name":"git"}`; err != nil || string(meta) != want {
		t.Errorf("the metadata is %s, %v, want %s", meta, err, want)
	}
	h.refuse(owner(), "block_create", `{"content": "nowhere"}`, kaijutsu.ErrInvalid, "context")
}

func TestScenario16ExpressionsThatAreNotValid(t *testing.T) {
	h := start(t)
	c := h.context("Search")
	b := h.block(c, "f(x) f(y)\nf(z)\nnothing\n", "")
	search := func(query string, most int) object {
		return h.call(owner(), "block_search", quote(fmt.Sprintf(`{"context": %%, "block_id": %%, "query": %%, "max_matches": %d}`, most), c, b, query))
	}
	if got := search("f(", 20); got["literal"] != true || len(got.list("matches")) != 3 || got["truncated"] != false {
		t.Errorf("block_search f( = %v, want three literal matches", got)
	}
	if got := search("f(", 2); len(got.list("matches")) != 2 || got["truncated"] != true {
		t.Errorf("block_search f( for at most 2 = %v, want two and truncated", got)
	}
	if got := search(`f\(`, 3); got["literal"] != false || len(got.list("matches")) != 3 || got["truncated"] != false {
		t.Errorf(`block_search f\( for at most 3 = %v, want all three and not truncated`, got)
	}
	h.refuse(owner(), "block_search", quote(`{"context": %, "block_id": %, "query": "absent"}`, c, b), kaijutsu.ErrNotFound, "no matches found for pattern")

	h.refuse(owner(), "kernel_search", `{"query": "f("}`, kaijutsu.ErrInvalid, "query")
	for most, truncated := range map[int]bool{1: true, 2: false, 3: false} {
		got := h.call(owner(), "kernel_search", fmt.Sprintf(`{"query": "f\\(", "max_matches": %d}`, most))
		if len(got.list("matches")) != min(most, 2) || got["truncated"] != truncated {
			t.Errorf("kernel_search for at most %d of two lines = %v, want truncated %v", most, got, truncated)
		}
	}
}

func TestScenario17BogusFiltersAreErrors(t *testing.T) {
	h := start(t)
	c := h.context("Bogus")
	b := h.block(c, "a", "")
	for _, tt := range []struct{ name, op, in, field string }{
		{"a kind", "block_list", `"kind": "bogus"`, "kind"},
		{"a status", "block_list", `"status": "bogus"`, "status"},
		{"a role", "block_list", `"role": "bogus"`, "role"},
		{"a status to set", "block_status", `"block_id": "` + b + `", "status": "bogus"`, "status"},
		{"a kind to make", "block_create", `"kind": "bogus"`, "kind"},
		{"a role to make", "block_create", `"role": "bogus"`, "role"},
		{"a kind to search", "kernel_search", `"query": "a", "kind": "bogus"`, "kind"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := quote(`{"context": %, `+tt.in+`}`, c)
			if tt.op == "kernel_search" {
				in = "{" + tt.in + "}"
			}
			h.refuse(owner(), tt.op, in, kaijutsu.ErrInvalid, tt.field, "bogus", "want")
		})
	}
}

func TestScenario18WhatIsDeniedIsNotThere(t *testing.T) {
	h := start(t)
	c := h.context("Denied")
	b := h.block(c, "a", "")
	call := owner()
	call.Deny = []string{"block_edit", "token_*"}
	for _, o := range h.set.List(call) {
		if op.Denied(call.Deny, o.Name) {
			t.Errorf("%s is listed although it is denied", o.Name)
		}
	}
	if got, want := len(h.set.List(owner()))-len(h.set.List(call)), 5; got != want {
		t.Errorf("%d operations are not listed, want %d", got, want)
	}
	in := quote(`{"context": %, "block_id": %, "operations": [{"op": "insert", "line": 0, "content": "x"}]}`, c, b)
	h.refuse(call, "block_edit", in, kaijutsu.ErrNotFound, "block_edit")
	h.refuse(call, "token_create", `{"name": "eve"}`, kaijutsu.ErrNotFound, "token_create")
	if got := h.content(c, b); got != "a" {
		t.Errorf("the block says %q, want %q", got, "a")
	}
	h.call(owner(), "block_edit", in)
}
