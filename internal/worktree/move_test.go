package worktree

import (
	"strings"
	"testing"

	"kaijutsu/internal/textdiff"
	"pgregory.net/rapid"
)

// apply carries splices out, one after the other.
func apply(text string, splices []textdiff.Splice) string {
	r := []rune(text)
	for _, s := range splices {
		r = append(append(append([]rune{}, r[:s.Pos]...), []rune(s.Ins)...), r[s.Pos+s.Del:]...)
	}
	return string(r)
}

func TestMoveOver(t *testing.T) {
	tests := []struct {
		name, base, theirs, ours, want string
		ok                             bool
	}{
		{"apart", "one two three", "one 2 three", "one two three four", "one 2 three four", true},
		{"in front", "one two", "one 2", "zero one two", "zero one 2", true},
		{"the same place", "ab", "aXb", "aYb", "aYXb", true},
		{"the same characters", "one two", "one 2", "one tw", "", false},
		{"insertion in what is deleted", "one two three", "one three", "one twIo three", "", false},
		{"at the border of what is deleted", "abc", "ac", "abXc", "aXc", true},
		{"nothing", "abc", "abc", "abXc", "abXc", true},
	}
	for _, tt := range tests {
		splices, ok := moveOver(tt.base, tt.theirs, tt.ours)
		if ok != tt.ok || ok && apply(tt.ours, splices) != tt.want {
			t.Errorf("%s: got %q, %v, want %q, %v", tt.name, apply(tt.ours, splices), ok, tt.want, tt.ok)
		}
	}
}

// What was typed stays: every character that ours added is there, in order, and
// so is every one that theirs added; what neither touched stays once.
func TestMoveOverLosesNothing(t *testing.T) {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("ab\n")), 0, 30, -1)
	rapid.Check(t, func(t *rapid.T) {
		base := text.Draw(t, "base")
		edit := func(name, mark string) string {
			r := []rune(base)
			at := rapid.IntRange(0, len(r)).Draw(t, name+" at")
			to := rapid.IntRange(at, len(r)).Draw(t, name+" to")
			return string(r[:at]) + mark + string(r[to:])
		}
		ours, theirs := edit("ours", "123"), edit("theirs", "XYZ")
		splices, ok := moveOver(base, theirs, ours)
		if !ok {
			return
		}
		got := apply(ours, splices)
		if !strings.Contains(got, "123") || !strings.Contains(got, "XYZ") {
			t.Fatalf("base %q, ours %q, theirs %q: got %q", base, ours, theirs, got)
		}
		if want := len(ours) + len(theirs) - len(base); len(got) != want {
			t.Fatalf("base %q, ours %q, theirs %q: got %q, of %d characters, want %d", base, ours, theirs, got, len(got), want)
		}
	})
}
