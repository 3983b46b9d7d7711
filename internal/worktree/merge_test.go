package worktree

import "testing"

func TestLacks(t *testing.T) {
	tests := []struct {
		name, before, now, text string
		want                    bool
	}{
		{"made of before", "a\nb\nc\n", "a\nb\nx\nc\n", "A\nb\nc\n", true},
		{"made of what was flushed", "a\nb\nc\n", "a\nb\nx\nc\n", "A\nb\nx\nc\n", false},
		{"a neighbour that is the same", "alpha\nbeta\n}\ngamma\n}\ndelta\n", "alpha\nbeta\n}\n}\ngamma\n}\ndelta\n", "alpha\nX\n}\n}\ngamma\n}\ndelta\n", false},
		{"the same as before", "a\nb\n", "a\nb\nx\n", "a\nb\n", true},
		{"at the same place", "a\nb\n", "a\nx\n", "a\ny\n", false},
	}
	for _, tt := range tests {
		if got := lacks(tt.before, tt.now, tt.text); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
