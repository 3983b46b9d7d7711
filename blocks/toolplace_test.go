package blocks

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"kaijutsu"
)

// try makes one change.
func try(p *pair, f func(*Tx) error) error {
	_, err := p.commit(f)
	return err
}

// TestNothingStandsBetweenACallAndItsResults puts blocks below a tool_call
// that has two results, r and s, and a comment c behind them.
func TestNothingStandsBetweenACallAndItsResults(t *testing.T) {
	for _, tt := range []struct {
		name string
		kind Kind
		at   func(r, s, c ID) Position
		want string // the contents below the call; empty: refused
	}{
		{"a comment", KindComment, func(_, _, _ ID) Position { return Position{} }, "r s c new"},
		{"a comment first", KindComment, func(_, _, _ ID) Position { return First() }, "r s new c"},
		{"a comment behind a result", KindComment, func(r, _, _ ID) Position { return After(r) }, "r s new c"},
		{"a comment in front of a result", KindComment, func(_, s, _ ID) Position { return Before(s) }, ""},
		{"a comment behind the comment", KindComment, func(_, _, c ID) Position { return After(c) }, "r s c new"},
		{"a result", KindToolResult, func(_, _, _ ID) Position { return Position{} }, "r s new c"},
		{"a result last", KindToolResult, func(_, _, _ ID) Position { return Last() }, "r s new c"},
		{"a result first", KindToolResult, func(_, _, _ ID) Position { return First() }, "new r s c"},
		{"a result behind a result", KindToolResult, func(r, _, _ ID) Position { return After(r) }, "r new s c"},
		{"a result behind the comment", KindToolResult, func(_, _, c ID) Position { return After(c) }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPair(t, "one")
			call := p.insert(BlockSpec{Kind: KindToolCall, Content: "{}"})
			c := p.insert(BlockSpec{Kind: KindComment, Content: "c", Parent: call})
			r := p.insert(BlockSpec{Kind: KindToolResult, Content: "r", Parent: call})
			s := p.insert(BlockSpec{Kind: KindToolResult, Content: "s", Parent: call})
			other := p.insert(BlockSpec{Kind: KindComment, Content: "new"})
			spec := BlockSpec{ID: NewID(p.now), Kind: tt.kind, Content: "new", Parent: call, Position: tt.at(r, s, c)}
			check := func(doing string, err error) {
				t.Helper()
				if tt.want == "" {
					if !errors.Is(err, kaijutsu.ErrInvalid) {
						t.Errorf("%s: %v, want it refused", doing, err)
					}
					return
				}
				var below []string
				for _, b := range p.model.Blocks() {
					if b.Parent == call {
						below = append(below, b.Content)
					}
				}
				if got := strings.Join(below, " "); err != nil || got != tt.want {
					t.Errorf("%s: below the call stand %q, %v, want %q", doing, got, err, tt.want)
				}
			}
			if tt.kind == KindComment {
				check("move", try(p, func(tx *Tx) error { return tx.Move(other, call, spec.Position) }))
				return
			}
			check("insert", try(p, func(tx *Tx) error { return tx.InsertBlock(spec) }))
			if tt.want != "" {
				if err := try(p, func(tx *Tx) error { return tx.Move(spec.ID, "", Last()) }); !errors.Is(err, kaijutsu.ErrInvalid) {
					t.Errorf("a result was moved away from its call: %v", err)
				}
				if !slices.ContainsFunc(p.model.Blocks(), func(b Block) bool { return b.ID == spec.ID && b.Parent == call }) {
					t.Error("the result is gone")
				}
			}
		})
	}
}
