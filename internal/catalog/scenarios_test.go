package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
)

func TestScenario01AfterAfter(t *testing.T) {
	h := start(t)
	c := h.context("Order")
	a := h.block(c, "A", "")
	r := h.replica(c, bob)
	h.block(c, "B", fmt.Sprintf(`, "after": %q`, a))
	h.block(c, "C", fmt.Sprintf(`, "after": %q`, a))
	r.pull()
	same(t, h, c, []string{"A", "C", "B"}, r, h.replica(c, amy))
}

func TestScenario02AnUnknownNeighbourChangesNothing(t *testing.T) {
	h := start(t)
	c := h.context("Order")
	h.block(c, "A", "")
	before := h.heads(c)
	unknown := string(blocks.NewID(time.Now()))
	for _, field := range []string{"after", "before", "parent_id"} {
		h.refuse(owner(), "block_create", quote(`{"context": %, "content": "B", "`+field+`": %}`, c, unknown), kaijutsu.ErrNotFound, field, unknown)
	}
	if got := h.heads(c); got != before {
		t.Errorf("heads are %s after the errors, want %s", got, before)
	}
}

func TestScenario03NoIDIsUsedAgain(t *testing.T) {
	dir := t.TempDir()
	h, shut := open(t, dir)
	c := h.context("Ids")
	id := h.block(c, "first", "")
	again := quote(`{"context": %, "id": %, "content": "second"}`, c, id)
	h.refuse(owner(), "block_create", again, kaijutsu.ErrConflict, id)
	h.call(owner(), "block_delete", quote(`{"context": %, "block_id": %}`, c, id))
	h.refuse(owner(), "block_create", again, kaijutsu.ErrConflict, id)
	shut()

	h, _ = open(t, dir)
	h.refuse(owner(), "block_create", again, kaijutsu.ErrConflict, id)
	seen := map[string]bool{id: true}
	for range 100 {
		id := h.block(c, "more", "")
		if seen[id] {
			t.Fatalf("block id %s was given out twice", id)
		}
		seen[id] = true
	}
}

func TestScenario04TheTree(t *testing.T) {
	h := start(t)
	c := h.context("Tree")
	root := h.block(c, "root", "")
	child := h.block(c, "child", fmt.Sprintf(`, "parent_id": %q`, root))
	h.block(c, "second child", fmt.Sprintf(`, "parent_id": %q`, root))
	grandchild := h.block(c, "grandchild", fmt.Sprintf(`, "parent_id": %q`, child))
	h.block(c, "second root", "")

	list := func(more string) (all []string) {
		for _, b := range h.call(owner(), "block_list", quote(`{"context": %`+more+`}`, c)).list("blocks") {
			all = append(all, fmt.Sprintf("%d %s", b.num("depth"), b.str("summary")))
		}
		return all
	}
	for _, tt := range []struct {
		name, more string
		want       []string
	}{
		{"everything", "", []string{"0 root", "1 child", "2 grandchild", "1 second child", "0 second root"}},
		{"the roots", `, "depth": 1`, []string{"0 root", "0 second root"}},
		{"the children", fmt.Sprintf(`, "depth": 1, "parent_id": %q`, root), []string{"1 child", "1 second child"}},
		{"the descendants", fmt.Sprintf(`, "parent_id": %q`, root), []string{"1 child", "2 grandchild", "1 second child"}},
		{"of a leaf", fmt.Sprintf(`, "parent_id": %q`, grandchild), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := list(tt.more); !slices.Equal(got, tt.want) {
				t.Errorf("block_list%s = %q, want %q", tt.more, got, tt.want)
			}
		})
	}

	for _, parent := range []string{root, child, grandchild} {
		h.refuse(owner(), "block_move", quote(`{"context": %, "block_id": %, "parent_id": %}`, c, root, parent), kaijutsu.ErrInvalid, "below")
	}
	deep := grandchild
	for depth := 3; depth < 512; depth++ {
		deep = h.block(c, "deep", fmt.Sprintf(`, "parent_id": %q`, deep))
	}
	h.refuse(owner(), "block_create", quote(`{"context": %, "parent_id": %, "content": "too deep"}`, c, deep), kaijutsu.ErrTooLarge, "512")
}

func TestScenario05ToolResultsFollowTheirCalls(t *testing.T) {
	h := start(t)
	c := h.context("Tools")
	one := h.block(c, "call 1", `, "kind": "tool_call", "role": "model"`)
	two := h.block(c, "call 2", `, "kind": "tool_call", "role": "model"`)
	result := func(content, call, status string) string {
		return h.block(c, content, fmt.Sprintf(`, "kind": "tool_result", "role": "tool", "parent_id": %q, "status": %q`, call, status))
	}
	result("result 2", two, "done")
	id := result("result 1", one, "error")
	h.block(c, "afterwards", "")

	same(t, h, c, []string{"call 1", "result 1", "call 2", "result 2", "afterwards"})
	call := h.call(owner(), "block_read", quote(`{"context": %, "block_id": %}`, c, one))
	if got, want := call.str("role")+" "+call.str("status"), "model running"; got != want {
		t.Errorf("the call is %q, want %q", got, want)
	}
	got := h.call(owner(), "block_read", quote(`{"context": %, "block_id": %}`, c, id))
	meta, _ := got["metadata"].(map[string]any)
	if got.str("role") != "tool" || got.str("status") != "error" || got.str("parent") != one || meta["tool_call_id"] != one {
		t.Errorf("the result is %v, want role tool, status error, and parent and tool_call_id %s", got, one)
	}
}

func TestScenario06PositionsBehindAnEmoji(t *testing.T) {
	h := start(t)
	c := h.context("Text")
	b := h.block(c, "héllo😀", "")
	one, two := h.replica(c, amy), h.replica(c, bob)
	one.edit(func(tx *blocks.Tx) error { return tx.SpliceText(blocks.ID(b), 6, 0, " one") })
	two.edit(func(tx *blocks.Tx) error { return tx.SpliceText(blocks.ID(b), 5, 1, "🎉") })
	one.push()
	two.sync()
	one.sync()
	same(t, h, c, []string{"héllo🎉 one"}, one, two)

	h.call(owner(), "block_splice", quote(`{"context": %, "block_id": %, "offset": 8, "delete_count": 1, "unit": "utf16", "insert": "_"}`, c, b))
	if got, want := h.content(c, b), "héllo🎉 _ne"; got != want {
		t.Errorf("after a splice in UTF-16 units: %q, want %q", got, want)
	}
	before := h.heads(c)
	for _, tt := range []struct{ name, in, field string }{
		{"an offset past the end", `"offset": 11, "delete_count": 0`, "offset"},
		{"a delete past the end", `"offset": 9, "delete_count": 2`, "delete_count"},
		{"half a character in UTF-16", `"offset": 6, "delete_count": 0, "unit": "utf16"`, "surrogate"},
		{"half a character in bytes", `"offset": 2, "delete_count": 0, "unit": "bytes"`, "inside"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h.refuse(owner(), "block_splice", quote(`{"context": %, "block_id": %, `+tt.in+`, "insert": "x"}`, c, b), kaijutsu.ErrInvalid, tt.field)
		})
	}
	if h.heads(c) != before {
		t.Error("an edit that was refused has changed the heads")
	}
}

func TestScenario07OfflineInsertsMeet(t *testing.T) {
	h := start(t)
	c := h.context("Offline")
	one, two := h.replica(c, amy), h.replica(c, bob)
	insert := func(r *replica, name string) {
		for i := range 5 {
			r.edit(func(tx *blocks.Tx) error {
				return tx.InsertBlock(blocks.BlockSpec{ID: blocks.NewID(time.Now()), Content: fmt.Sprintf("%s %d", name, i)})
			})
		}
	}
	insert(one, "one")
	insert(two, "two")
	one.push()
	two.sync()
	one.pull()

	got := h.shown(c)
	for _, name := range []string{"one", "two"} {
		at := slices.Index(got, name+" 0")
		for i := range 5 {
			if at < 0 || at+i >= len(got) || got[at+i] != fmt.Sprintf("%s %d", name, i) {
				t.Fatalf("the server shows %q, want the run of replica %s in one piece", got, name)
			}
		}
	}
	same(t, h, c, got, one, two)
	if len(got) != 10 {
		t.Errorf("there are %d blocks, want 10", len(got))
	}
}

func TestScenario08ADeleteKeepsWhatOthersWrite(t *testing.T) {
	h := start(t)
	c := h.context("Delete")
	b := h.block(c, "kept", "")
	one, two := h.replica(c, amy), h.replica(c, bob)
	one.edit(func(tx *blocks.Tx) error { return tx.Delete(blocks.ID(b)) })
	two.edit(func(tx *blocks.Tx) error { return tx.AppendText(blocks.ID(b), ", and written on") })
	one.push()
	two.sync()
	one.pull()

	same(t, h, c, nil, one, two)
	got := h.call(owner(), "block_read", quote(`{"context": %, "block_id": %, "line_numbers": false}`, c, b))
	if got["deleted"] != true || got.str("content") != "kept, and written on" {
		t.Errorf("the deleted block reads %v, want it deleted and with what was written", got)
	}
	all := h.call(owner(), "block_list", quote(`{"context": %, "include_deleted": true}`, c)).list("blocks")
	if len(all) != 1 || all[0].str("id") != b || all[0]["deleted"] != true {
		t.Errorf("block_list with deleted blocks = %v, want %s", all, b)
	}
	h.call(owner(), "block_restore", quote(`{"context": %, "block_id": %}`, c, b))
	one.pull()
	same(t, h, c, []string{"kept, and written on"}, one)
}

func TestScenario09TwoHundredInsertsAtOnePlace(t *testing.T) {
	h := start(t)
	c := h.context("Place")
	first := h.block(c, "first", "")
	h.block(c, "last", "")
	want := []string{"first"}
	for i := range 200 {
		name := fmt.Sprintf("insert %d", i)
		h.block(c, name, fmt.Sprintf(`, "after": %q`, first))
		want = slices.Insert(want, 1, name)
	}
	want = append(want, "last")
	r := h.replica(c, amy)
	same(t, h, c, want, r)
	seen := make(map[string]bool)
	for _, b := range r.model.Blocks() {
		if seen[b.Order] {
			t.Fatalf("order key %q is used twice", b.Order)
		}
		seen[b.Order] = true
	}
}

func TestScenario10AForkGoesItsOwnWay(t *testing.T) {
	h := start(t)
	c := h.context("Parent")
	call := h.block(c, "call", `, "kind": "tool_call", "role": "model"`)
	result := h.block(c, "result", fmt.Sprintf(`, "kind": "tool_result", "role": "tool", "parent_id": %q`, call))
	h.block(c, "from afar", `, "kind": "drift", "role": "system", "metadata": {"source_context": "elsewhere", "drift_kind": "push"}`)

	row := h.call(owner(), "context_fork", quote(`{"context": %, "title": "Child"}`, c))
	f := row.str("id")
	from, _ := row["forked_from"].(map[string]any)
	if from["context"] != c || row.str("title") != "Child" || f == c {
		t.Errorf("context_fork = %v, want a new context Child, forked from %s", row, c)
	}
	rows := func(context string) string {
		var b strings.Builder
		for _, r := range h.call(owner(), "context_get", quote(`{"context": %}`, context)).list("block_list") {
			fmt.Fprintln(&b, r.str("id"), r.str("parent"), r.str("kind"), r.str("role"), r.str("content"), r.str("meta"), r.str("author"))
		}
		return b.String()
	}
	if got, want := rows(f), rows(c); got != want || !strings.Contains(got, "drift_kind") || !strings.Contains(got, `"tool_call_id":"`+call) {
		t.Errorf("the fork holds\n%s\nwant what its parent holds\n%s", got, want)
	}
	h.block(c, "only in the parent", "")
	h.block(f, "only in the fork", "")
	h.call(owner(), "block_thaw", quote(`{"context": %, "block_id": %}`, f, result))
	h.call(owner(), "block_append", quote(`{"context": %, "block_id": %, "text": " of the fork", "flush": true}`, f, result))
	same(t, h, c, []string{"call", "result", "from afar", "only in the parent"})
	same(t, h, f, []string{"call", "result of the fork", "from afar", "only in the fork"})
}

// heads are the heads of a context, in one text.
func (h *house) heads(context string) string {
	h.t.Helper()
	return fmt.Sprint(h.call(owner(), "context_get", quote(`{"context": %}`, context))["heads"])
}
