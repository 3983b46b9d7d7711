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

func TestLongerOf(t *testing.T) {
	tests := []struct {
		a, b, want string
		ok         bool
	}{
		{"one\n", "two\none\n", "two\none\n", true},
		{"27\n25\n24\n", "25\n24\n", "27\n25\n24\n", true},
		{"one\n", "two\n", "", false},
		{"", "two\n", "two\n", true},
		{"one\n1\n", "2\none\n", "", false},
	}
	for _, tt := range tests {
		if got, ok := longerOf(tt.a, tt.b); ok != tt.ok || ok && got != tt.want {
			t.Errorf("%q and %q: got %q, %v, want %q, %v", tt.a, tt.b, got, ok, tt.want, tt.ok)
		}
	}
}
