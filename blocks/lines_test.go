package blocks

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"kaijutsu"
)

func expect(s string) *string { return &s }

func TestEditLines(t *testing.T) {
	tests := []struct {
		name  string
		text  string
		edits []LineEdit
		want  string
		err   error
		says  string
	}{
		{"replace what is expected", "a\nb\nc", []LineEdit{{Op: LineReplace, Line: 1, End: 2, Content: "B", Expected: expect("b")}}, "a\nB\nc", nil, ""},
		{"replace what is not expected", "a\nb\nc", []LineEdit{{Op: LineReplace, Line: 1, End: 2, Content: "B", Expected: expect("x")}}, "", kaijutsu.ErrConflict,
			"atomic batch failed at operation 0: conflict: content mismatch at lines 1..2\nexpected:\nx\nactual:\nb"},
		{"line feeds at the end of what is expected do not count", "a\nb\n", []LineEdit{{Op: LineReplace, Line: 0, End: 2, Content: "c", Expected: expect("a\nb\n\n")}}, "c\n", nil, ""},
		{"the third of three is out of range", "a\nb\n", []LineEdit{{Op: LineDelete, Line: 0, End: 1}, {Op: LineInsert, Line: 0, Content: "x"}, {Op: LineInsert, Line: 3, Content: "y"}}, "", kaijutsu.ErrInvalid,
			"atomic batch failed at operation 2: line 3 is out of range (file has 2 lines)"},
		{"an end out of range", "a\nb", []LineEdit{{Op: LineDelete, Line: 1, End: 3}}, "", kaijutsu.ErrInvalid, "line 3 is out of range (file has 2 lines)"},
		{"later edits see earlier ones", "a\nb\n", []LineEdit{{Op: LineInsert, Line: 0, Content: "x"}, {Op: LineReplace, Line: 1, End: 2, Content: "A", Expected: expect("a")}}, "x\nA\nb\n", nil, ""},
		{"insert in front", "a\n", []LineEdit{{Op: LineInsert, Line: 0, Content: "x"}}, "x\na\n", nil, ""},
		{"insert in the middle", "a\nb", []LineEdit{{Op: LineInsert, Line: 1, Content: "x\n"}}, "a\nx\nb", nil, ""},
		{"insert behind a line without line feed", "a", []LineEdit{{Op: LineInsert, Line: 1, Content: "b"}}, "a\nb\n", nil, ""},
		{"insert behind a line with line feed", "a\n", []LineEdit{{Op: LineInsert, Line: 1, Content: "b"}}, "a\nb\n", nil, ""},
		{"insert an empty line", "a\n", []LineEdit{{Op: LineInsert, Line: 0}}, "\na\n", nil, ""},
		{"insert into nothing", "", []LineEdit{{Op: LineInsert, Line: 0, Content: "a"}}, "a", nil, ""},
		{"replace the last line", "a\nb", []LineEdit{{Op: LineReplace, Line: 1, End: 2, Content: "c"}}, "a\nc\n", nil, ""},
		{"replace no line behind the last", "a", []LineEdit{{Op: LineReplace, Line: 1, End: 1, Content: "b"}}, "a\nb\n", nil, ""},
		{"replace by nothing", "a\nb\nc", []LineEdit{{Op: LineReplace, Line: 0, End: 2}}, "c", nil, ""},
		{"delete", "a\nb\nc", []LineEdit{{Op: LineDelete, Line: 1, End: 3}}, "a\n", nil, ""},
		{"delete nothing", "a\nb", []LineEdit{{Op: LineDelete, Line: 1, End: 1}}, "a\nb", nil, ""},
		{"delete what is expected", "a\nb", []LineEdit{{Op: LineDelete, Line: 0, End: 1, Expected: expect("a")}}, "b", nil, ""},
		{"no edits", "a", nil, "a", nil, ""},
		{"characters of many bytes", "é😀\n漢\n", []LineEdit{{Op: LineReplace, Line: 1, End: 2, Content: "字👍🏼", Expected: expect("漢")}}, "é😀\n字👍🏼\n", nil, ""},
		{"an end in front of the line", "a\nb", []LineEdit{{Op: LineDelete, Line: 1}}, "", kaijutsu.ErrInvalid, "end 0 is before line 1"},
		{"a line below zero", "a", []LineEdit{{Op: LineInsert, Line: -1, Content: "x"}}, "", kaijutsu.ErrInvalid, "out of range"},
		{"an unknown operation", "a", []LineEdit{{Op: "swap"}}, "", kaijutsu.ErrInvalid, "want insert, delete or replace"},
		{"an insert with an end", "a\nb", []LineEdit{{Op: LineInsert, Line: 0, End: 1, Content: "x"}}, "", kaijutsu.ErrInvalid, "end 1"},
		{"an insert that expects", "a\nb", []LineEdit{{Op: LineInsert, Expected: expect("a")}}, "", kaijutsu.ErrInvalid, "expected"},
		{"a delete with content", "a\nb", []LineEdit{{Op: LineDelete, End: 1, Content: "x"}}, "", kaijutsu.ErrInvalid, "content"},
		{"content that is not UTF-8", "a", []LineEdit{{Op: LineInsert, Content: "\xff"}}, "", kaijutsu.ErrInvalid, "UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPair(t, "actor")
			id := p.insert(BlockSpec{Content: tt.text})
			raw, err := p.commit(func(tx *Tx) error { return tx.EditLines(id, tt.edits) })
			if tt.err != nil {
				if raw != nil || !errors.Is(err, tt.err) || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("EditLines = %v, want an error that wraps %q and says %q", err, tt.err, tt.says)
				}
				tt.want = tt.text
			} else if err != nil {
				t.Errorf("EditLines = %v", err)
			}
			if got := p.block(id).Content; got != tt.want {
				t.Errorf("content = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLineEditsKeepWhatOthersWriteInOtherLines(t *testing.T) {
	a := newPair(t, "amy.")
	id := a.insert(BlockSpec{Content: "one\ntwo\nthree\n"})
	b := newPair(t, "ben.", a.raws...)
	edit := a.must(func(tx *Tx) error {
		return tx.EditLines(id, []LineEdit{{Op: LineReplace, Line: 0, End: 1, Content: "ONE"}, {Op: LineDelete, Line: 1, End: 2}})
	})
	typed := b.must(func(tx *Tx) error { return tx.SpliceText(id, 13, 0, " wörds") })
	a.receive(typed)
	b.receive(edit)
	for name, p := range map[string]*pair{"amy": a, "ben": b} {
		if got, want := p.block(id).Content, "ONE\nthree wörds\n"; got != want {
			t.Errorf("%s sees %q, want %q", name, got, want)
		}
	}
}

// TestEditLinesIsOneStepAfterTheOther compares a batch with its steps alone.
func TestEditLinesIsOneStepAfterTheOther(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		line := rapid.SampledFrom([]string{"", "a", "é😀", "b\nc", "d\n"})
		start := strings.Join(rapid.SliceOfN(line, 0, 5).Draw(rt, "lines"), "\n")
		var edits []LineEdit
		for range rapid.IntRange(1, 4).Draw(rt, "edits") {
			e := LineEdit{Op: rapid.SampledFrom([]LineOp{LineInsert, LineDelete, LineReplace}).Draw(rt, "op"), Line: rapid.IntRange(0, 4).Draw(rt, "line")}
			if e.Op != LineInsert {
				e.End = e.Line + rapid.IntRange(0, 2).Draw(rt, "count")
			}
			if e.Op != LineDelete {
				e.Content = line.Draw(rt, "content")
			}
			edits = append(edits, e)
		}
		batch, steps := newPair(t, "actor"), newPair(t, "actor")
		id := testID(1)
		for _, p := range []*pair{batch, steps} {
			p.insert(BlockSpec{ID: id, Content: start})
		}
		_, err := batch.commit(func(tx *Tx) error { return tx.EditLines(id, edits) })
		var failed error
		for _, e := range edits {
			if _, failed = steps.commit(func(tx *Tx) error { return tx.EditLines(id, []LineEdit{e}) }); failed != nil {
				break
			}
		}
		if (err == nil) != (failed == nil) {
			rt.Fatalf("batch: %v, steps: %v", err, failed)
		}
		want := start
		if err == nil {
			want = steps.block(id).Content
		}
		if got := batch.block(id).Content; got != want {
			rt.Fatalf("%q with %+v: %q, want %q", start, edits, got, want)
		}
	})
}
