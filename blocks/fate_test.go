package blocks

import (
	"errors"
	"strings"
	"testing"

	"kaijutsu"
)

func (p *pair) fate(id ID, heads kaijutsu.Heads, first, last int) (Fate, error) {
	p.t.Helper()
	f, exact, err := p.model.Fate(id, p.graph.AncestryOf(heads), graphLog{p.graph}, first, last)
	if !exact {
		p.t.Fatalf("Fate(%d, %d) has no answer", first, last)
	}
	return f, err
}

// put splices by what is in the text: the first old becomes new.
func (p *pair) swap(id ID, old, with string) {
	p.t.Helper()
	at := strings.Index(p.block(id).Content, old)
	if at < 0 {
		p.t.Fatalf("%q does not hold %q", p.block(id).Content, old)
	}
	p.must(func(tx *Tx) error {
		return tx.SpliceText(id, len([]rune(p.block(id).Content[:at])), len([]rune(old)), with)
	})
}

func TestFate(t *testing.T) {
	swap := func(old, with string) func(*pair, ID) {
		return func(p *pair, id ID) { p.swap(id, old, with) }
	}
	replace := func(text string) func(*pair, ID) {
		return func(p *pair, id ID) { p.must(func(tx *Tx) error { return tx.ReplaceText(id, text) }) }
	}
	type edits = []func(*pair, ID)
	for _, tt := range []struct {
		name        string
		text        string
		first, last int
		edits       edits
		stale       bool
		now         string
		at          [2]int
	}{
		{"nothing", "a\nb\nc\n", 2, 2, nil, false, "b\n", [2]int{2, 2}},
		{"an edit elsewhere", "a\nb\nc\n", 2, 2, edits{swap("c", "cc")}, false, "b\n", [2]int{2, 2}},
		{"a line in front", "a\nb\nc\n", 2, 2, edits{swap("b", "x\nb")}, false, "b\n", [2]int{3, 3}},
		{"a line behind", "a\nb\nc\n", 2, 2, edits{swap("b\n", "b\nx\n")}, false, "b\n", [2]int{2, 2}},
		{"a line between", "a\nb\nc\n", 1, 2, edits{swap("b", "x\nb")}, true, "a\nx\nb\n", [2]int{1, 3}},
		{"another line moves", "a\nb\nc\n", 2, 2, edits{swap("a\n", ""), swap("c\n", "c\na\n")}, false, "b\n", [2]int{1, 1}},
		{"the line moves", "a\nb\nc\n", 2, 2, edits{swap("b\n", ""), swap("", "b\n")}, true, "", [2]int{3, 2}},
		{"a character", "a\nbbb\nc\n", 2, 2, edits{swap("bbb", "bxbb")}, true, "bxbb\n", [2]int{2, 2}},
		{"and back", "a\nbbb\nc\n", 2, 2, edits{swap("bbb", "bxbb"), swap("x", "")}, false, "bbb\n", [2]int{2, 2}},
		{"deleted and typed again", "a\nb\nc\n", 2, 2, edits{swap("b\n", ""), swap("c", "b\nc")}, false, "b\n", [2]int{2, 2}},
		{"all replaced by itself", "a\nb\nc\n", 2, 2, edits{swap("a\nb\nc\n", ""), replace("a\nb\nc\n")}, false, "b\n", [2]int{2, 2}},
		{"all replaced in another order", "a\nb\nc\n", 2, 2, edits{swap("a\nb\nc\n", ""), replace("c\nb\nd\n")}, false, "b\n", [2]int{2, 2}},
		{"replaced, back, and an edit elsewhere", "w01\nw02\nw03\n", 2, 2, edits{replace("w02\n"), replace("w01\nw02\nw03\n"), swap("w03", "w04")}, false, "w02\n", [2]int{2, 2}},
		{"joined", "a\nb\nc\n", 2, 2, edits{swap("a\nb", "ab")}, true, "ab\n", [2]int{1, 1}},
		{"split", "a\nbb\nc\n", 2, 2, edits{swap("bb", "b\nb")}, true, "b\nb\n", [2]int{2, 3}},
		{"another copy stays", "x\na\nx\nb\n", 3, 3, edits{swap("a\nx\n", "a\n")}, true, "", [2]int{3, 2}},
		{"the other copy goes", "x\na\nx\nb\n", 3, 3, edits{swap("x\na", "a")}, false, "x\n", [2]int{2, 2}},
		{"a copy is made and the line changed", "a\nb\nc\n", 2, 2, edits{func(p *pair, id ID) {
			p.must(func(tx *Tx) error { return tx.SpliceText(id, 6, 0, "b\n") })
		}, swap("b", "bb")}, true, "bb\n", [2]int{2, 2}},
		{"an empty line goes", "a\n\n\nb\n", 3, 3, edits{func(p *pair, id ID) {
			p.must(func(tx *Tx) error { return tx.SpliceText(id, 3, 1, "") })
		}}, true, "", [2]int{3, 2}},
		{"the empty line in front goes", "a\n\n\nb\n", 3, 3, edits{func(p *pair, id ID) {
			p.must(func(tx *Tx) error { return tx.SpliceText(id, 2, 1, "") })
		}}, false, "\n", [2]int{2, 2}},
		{"a line like it is typed in front in the midst of it", "ab\nc\n", 1, 1, edits{swap("ab\n", "ab\nab\n")}, false, "ab\n", [2]int{1, 1}},
		{"a line put in front by a diff of characters", "foo bar\n", 1, 1, edits{swap("foo bar", "foo baz\nfoo bar")}, false, "foo bar\n", [2]int{2, 2}},
		{"a line put in front between its characters", "foo bar\n", 1, 1, edits{swap("r\n", "z\nfoo bar\n")}, false, "foo bar\n", [2]int{2, 2}},
		{"the last line gets a line feed", "a\nb", 2, 2, edits{swap("b", "b\nc")}, false, "b\n", [2]int{2, 2}},
		{"the last line loses it", "a\nb\n", 2, 2, edits{swap("b\n", "b")}, false, "b", [2]int{2, 2}},
		{"the last line gets a carriage return", "a\r\nb", 2, 2, edits{swap("b", "b\r\nc")}, false, "b\r\n", [2]int{2, 2}},
		{"the line feed becomes another", "a\nb\nc\n", 1, 2, edits{swap("a\n", "a\r\n")}, true, "a\r\nb\n", [2]int{1, 2}},
		{"emoji", "a\n😀 é\nc\n", 2, 2, edits{swap("a", "😀😀")}, false, "😀 é\n", [2]int{2, 2}},
		{"emptied", "a\nb\n", 1, 2, edits{swap("a\nb\n", "")}, true, "", [2]int{1, 0}},
		{"the whole block", "a\nb\n", 0, 0, edits{swap("b\n", "b\nc\n")}, true, "a\nb\nc\n", [2]int{1, 3}},
		{"the whole block and back", "a\nb\n", 0, 0, edits{swap("b", "c"), swap("c", "b")}, false, "a\nb\n", [2]int{1, 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPair(t, "amy")
			id := p.insert(BlockSpec{Content: tt.text})
			heads := p.graph.Heads()
			for _, edit := range tt.edits {
				edit(p, id)
			}
			got, err := p.fate(id, heads, tt.first, tt.last)
			if err != nil || got.Stale != tt.stale || got.Now != tt.now || [2]int{got.NowFirst, got.NowLast} != tt.at || (got.Reason != "") != tt.stale {
				t.Errorf("Fate = %+v, %v\nwant stale %v, now %q at %v", got, err, tt.stale, tt.now, tt.at)
			}
		})
	}
}

func TestFateOfOtherForms(t *testing.T) {
	for _, role := range []Role{RoleModel, RoleUser} {
		p := newPair(t, "amy")
		id := p.insert(BlockSpec{Role: role, Content: "a\nb\nc\n"})
		heads := p.graph.Heads()
		steps := []struct {
			name  string
			edit  func(tx *Tx) error
			stale bool
		}{
			{"edited elsewhere", func(tx *Tx) error { return tx.SpliceText(id, 0, 0, "x\n") }, false},
			{"changed", func(tx *Tx) error { return tx.SpliceText(id, 4, 0, "x") }, true},
			{"back", func(tx *Tx) error { return tx.SpliceText(id, 4, 1, "") }, false},
			{"deleted", func(tx *Tx) error { return tx.Delete(id) }, true},
			{"restored", func(tx *Tx) error { return tx.Restore(id) }, false},
		}
		for _, s := range steps {
			p.must(s.edit)
			f, err := p.fate(id, heads, 2, 2)
			if err != nil || f.Stale != s.stale || f.Then != "b\n" {
				t.Errorf("%s, %s: Fate = %+v, %v, want stale %v", role, s.name, f, err, s.stale)
			}
			if gone := s.name == "deleted"; (f.Reason == FateDeleted) != gone {
				t.Errorf("%s, %s: the reason is %q", role, s.name, f.Reason)
			}
		}
		for _, lines := range [][2]int{{0, 1}, {1, 4}, {3, 2}, {-1, -1}, {1 << 40, 1 << 41}} {
			if _, err := p.fate(id, heads, lines[0], lines[1]); !errors.Is(err, kaijutsu.ErrInvalid) {
				t.Errorf("lines %v: %v, want %v", lines, err, kaijutsu.ErrInvalid)
			}
		}
		if _, err := p.fate(testID(77), heads, 1, 1); !errors.Is(err, kaijutsu.ErrNotFound) {
			t.Errorf("a block that is none: %v, want %v", err, kaijutsu.ErrNotFound)
		}
	}
}
