package kernel_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

func (w *world) append(c op.Call, doc kaijutsu.DocumentID, id blocks.ID, text string, flush bool) kernel.Appended {
	w.t.Helper()
	out, err := w.kernel.Append(w.t.Context(), c, doc, id, text, flush)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// version returns the number of changes on disk, without a look that writes
// what waits.
func (w *world) version(doc kaijutsu.DocumentID) uint64 {
	w.t.Helper()
	var version uint64
	err := w.repo.View(w.t.Context(), doc, func(v repo.View) error {
		version = v.Version()
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return version
}

// TestSmallAppendsAreWrittenTogether: given 60 single-character appends, then
// fewer than 10 changes are produced; a lone tail flushes 100 ms later with no
// further append; setting status done flushes first.
func TestSmallAppendsAreWrittenTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		plan := w.context("Plan")
		id := w.block(owner, plan.Doc, blocks.BlockSpec{Role: blocks.RoleModel, Status: blocks.StatusRunning})
		before := w.version(plan.Doc)
		want := ""
		var last kernel.Appended
		for n := range 60 {
			want += fmt.Sprint(n % 10)
			last = w.append(owner, plan.Doc, id, fmt.Sprint(n%10), false)
			if durable := n == 49; last.Durable != durable {
				t.Errorf("append %d: durable = %v, want %v", n, last.Durable, durable)
			}
		}
		if last.Buffered != 10 {
			t.Errorf("buffered = %d, want 10", last.Buffered)
		}
		if got := w.version(plan.Doc); got != before+1 {
			t.Errorf("changes for the first 50 = %d, want 1", got-before)
		}
		time.Sleep(99 * time.Millisecond)
		synctest.Wait()
		if got := w.version(plan.Doc); got != before+1 {
			t.Errorf("changes after 99 ms = %d, want 1", got-before)
		}
		time.Sleep(time.Millisecond)
		if got := w.waitVersion(plan.Doc, before+2); got != before+2 {
			t.Errorf("changes after 100 ms = %d, want 2", got-before)
		}
		if got := w.content(plan.Doc, id); got != want {
			t.Errorf("content = %q, want %q", got, want)
		}
		w.append(owner, plan.Doc, id, "the end", false)
		_, err := w.kernel.Edit(t.Context(), owner, plan.Doc, "block_status", func(v repo.View, tx *blocks.Tx) error {
			if b, _ := v.Block(id); b.Content != want+"the end" {
				t.Errorf("content before done = %q", b.Content)
			}
			return tx.SetStatus(id, blocks.StatusDone)
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := w.version(plan.Doc); got-before >= 10 {
			t.Errorf("changes = %d, want fewer than 10", got-before)
		}
		if got := w.content(plan.Doc, id); got != want+"the end" {
			t.Errorf("content = %q, want the end of it too", got)
		}
		w.close()
	})
}

// waitVersion waits for what a timer has begun, whose disk takes real time.
func (w *world) waitVersion(doc kaijutsu.DocumentID, want uint64) uint64 {
	w.t.Helper()
	for range 1_000_000 {
		if w.version(doc) >= want {
			break
		}
	}
	return w.version(doc)
}

func TestWhatWritesAppends(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	id := w.block(owner, plan.Doc, blocks.BlockSpec{Content: ":"})
	other := w.block(owner, plan.Doc, blocks.BlockSpec{Content: ":"})
	editor := w.member("editor", kaijutsu.RightEdit)
	view := func(repo.View) error { return nil }
	tests := []struct {
		name string
		do   func() error
	}{
		{"a view", func() error { return w.kernel.View(t.Context(), owner, plan.Doc, view) }},
		{"a view by somebody else", func() error { return w.kernel.View(t.Context(), editor, plan.Doc, view) }},
		{"an edit of another block by somebody else", func() error {
			_, err := w.kernel.Edit(t.Context(), editor, plan.Doc, "x", func(_ repo.View, tx *blocks.Tx) error { return tx.AppendText(other, "x") })
			return err
		}},
		{"an export", func() error { _, err := w.kernel.Export(t.Context(), owner, plan.Doc); return err }},
		{"a fork", func() error { _, err := w.kernel.Fork(t.Context(), owner, plan.Doc, nil, ""); return err }},
		{"the context", func() error { _, err := w.kernel.Context(t.Context(), owner, plan.Doc); return err }},
		{"a newline", func() error { _, err := w.kernel.Append(t.Context(), owner, plan.Doc, id, "\n", false); return err }},
		{"flush", func() error { _, err := w.kernel.Append(t.Context(), owner, plan.Doc, id, "", true); return err }},
		{"a newline by somebody else", func() error { _, err := w.kernel.Append(t.Context(), editor, plan.Doc, id, "\n", false); return err }},
		{"everything", func() error { return w.kernel.Flush(t.Context()) }},
		{"closing", func() error { w.restart(); return nil }},
	}
	for n, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w.t = t
			text := fmt.Sprintf("<%d>", n)
			if out := w.append(owner, plan.Doc, id, text, false); out.Durable || out.Buffered != len(text) || len(out.Heads) == 0 {
				t.Fatalf("Append = %+v, want it to wait", out)
			}
			if err := test.do(); err != nil {
				t.Fatal(err)
			}
			var got string
			err := w.repo.View(t.Context(), plan.Doc, func(v repo.View) error {
				b, _ := v.Block(id)
				got = strings.TrimRight(b.Content, "\n")
				return nil
			})
			if err != nil || !strings.HasSuffix(got, text) {
				t.Errorf("content = %q, %v, want %q at its end", got, err, text)
			}
		})
	}
	w.t = t
}

func TestAppendsKeepTheirOrder(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	id := w.block(owner, plan.Doc, blocks.BlockSpec{Content: ""})
	editor := w.member("editor", kaijutsu.RightEdit)
	for _, step := range []struct {
		call op.Call
		text string
	}{{owner, "a"}, {owner, "b"}, {editor, "c"}, {owner, "d"}, {editor, "e"}} {
		w.append(step.call, plan.Doc, id, step.text, false)
	}
	before := w.version(plan.Doc)
	out := w.append(editor, plan.Doc, id, "f", true)
	if got := w.content(plan.Doc, id); got != "abcdef" {
		t.Errorf("content = %q, want abcdef", got)
	}
	if got := w.version(plan.Doc); got != before+4 || !out.Durable || out.Version != got || out.Change == (kaijutsu.ChangeHash{}) {
		t.Errorf("changes = %d, Append = %+v, want one for each turn, and the last one told", got-before, out)
	}

	var writers sync.WaitGroup
	for _, c := range []op.Call{owner, editor} {
		for lane := range 4 {
			writers.Go(func() {
				for n := range 100 {
					if _, err := w.kernel.Append(context.Background(), c, plan.Doc, id, fmt.Sprintf("%s%d.%02d;", c.By.Name[:1], lane, n), n%17 == 0); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	writers.Wait()
	all := strings.Split(strings.TrimSuffix(strings.TrimPrefix(w.content(plan.Doc, id), "abcdef"), ";"), ";")
	next := make(map[string]int)
	for _, word := range all {
		lane, n, _ := strings.Cut(word, ".")
		if want := fmt.Sprintf("%02d", next[lane]); n != want {
			t.Fatalf("lane %s: %s comes where %s should", lane, n, want)
		}
		next[lane]++
	}
	if len(all) != 800 {
		t.Errorf("%d words arrived, want 800", len(all))
	}
}

func TestAppendRefusesAtOnce(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	record := w.block(owner, plan.Doc, blocks.BlockSpec{Role: blocks.RoleTool, Form: blocks.FormBody, Content: "x"})
	deleted := w.block(owner, plan.Doc, blocks.BlockSpec{Content: "x"})
	mine := w.block(owner, plan.Doc, blocks.BlockSpec{Content: "x"})
	if _, err := w.kernel.Edit(t.Context(), owner, plan.Doc, "block_delete", func(_ repo.View, tx *blocks.Tx) error { return tx.Delete(deleted) }); err != nil {
		t.Fatal(err)
	}
	commenter := w.member("commenter", kaijutsu.RightComment)
	tests := []struct {
		name string
		call op.Call
		id   blocks.ID
		kind error
		want string
	}{
		{"no such block", owner, blocks.NewID(time.Now()), kaijutsu.ErrNotFound, "not found"},
		{"finished record", owner, record, kaijutsu.ErrConflict, "thaw it"},
		{"deleted", owner, deleted, kaijutsu.ErrConflict, "restore it"},
		{"reader", w.member("reader", kaijutsu.RightRead), mine, kaijutsu.ErrDenied, "commenter"},
		{"commenter on another's block", commenter, mine, kaijutsu.ErrDenied, "only comment"},
		{"nobody", op.Call{Right: kaijutsu.RightOwn}, mine, kaijutsu.ErrDenied, "nobody"},
	}
	for _, test := range tests {
		for _, flush := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, flush %v", test.name, flush), func(t *testing.T) {
				out, err := w.kernel.Append(t.Context(), test.call, plan.Doc, test.id, "y", flush)
				if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.want) {
					t.Errorf("Append = %+v, %v, want %v with %q", out, err, test.kind, test.want)
				}
			})
		}
	}
}

func TestLostAppendsAreTold(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	id := w.block(owner, plan.Doc, blocks.BlockSpec{Content: "x"})
	editor := w.member("editor", kaijutsu.RightEdit)
	lose := func() {
		w.append(editor, plan.Doc, id, "lost", false)
		w.grant(plan.Doc, "editor", kaijutsu.RightRead)
		if got := w.content(plan.Doc, id); got != "x" { // somebody else looks
			t.Errorf("content = %q, want what was written while it was allowed", got)
		}
		w.grant(plan.Doc, "editor", kaijutsu.RightEdit)
	}
	lose()
	_, err := w.kernel.Append(t.Context(), editor, plan.Doc, id, "y", false)
	if !errors.Is(err, kaijutsu.ErrDenied) || !strings.Contains(err.Error(), "the last 4 characters") {
		t.Errorf("next append = %v, want that the last was not written", err)
	}
	if out := w.append(editor, plan.Doc, id, "y", true); !out.Durable {
		t.Errorf("append after that = %+v", out)
	}
	if got := w.content(plan.Doc, id); got != "xy" {
		t.Errorf("content = %q, want xy", got)
	}
	if _, err := w.kernel.Edit(t.Context(), owner, plan.Doc, "x", func(_ repo.View, tx *blocks.Tx) error { return tx.ReplaceText(id, "x") }); err != nil {
		t.Fatal(err)
	}
	lose()
	view := func() error {
		return w.kernel.View(t.Context(), editor, plan.Doc, func(repo.View) error { return nil })
	}
	if err := view(); !errors.Is(err, kaijutsu.ErrDenied) {
		t.Errorf("next view = %v, want that the last append was not written", err)
	}
	if err := view(); err != nil {
		t.Errorf("view after that = %v, want it told once", err)
	}
}

func TestAppendsToADeletedContext(t *testing.T) {
	w := newWorld(t)
	plan := w.context("Plan")
	id := w.block(owner, plan.Doc, blocks.BlockSpec{Content: "x"})
	w.append(owner, plan.Doc, id, "y", false)
	if err := w.kernel.Delete(t.Context(), owner, plan.Doc, true); err != nil {
		t.Fatal(err)
	}
	if _, err := w.kernel.Append(t.Context(), owner, plan.Doc, id, "y", false); !errors.Is(err, kaijutsu.ErrNotFound) {
		t.Errorf("append to a block of a deleted context = %v, want ErrNotFound", err)
	}
}

func BenchmarkAppend(b *testing.B) {
	w := newWorld(b)
	doc := w.context("Plan").Doc
	id := w.block(owner, doc, blocks.BlockSpec{Role: blocks.RoleModel, Status: blocks.StatusRunning})
	for _, flush := range []bool{false, true} {
		b.Run(fmt.Sprintf("flush=%v", flush), func(b *testing.B) {
			for b.Loop() {
				if _, err := w.kernel.Append(b.Context(), owner, doc, id, "x", flush); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
