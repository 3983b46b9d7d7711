package shelldoor

import (
	"bytes"
	"testing"
)

func TestColours(t *testing.T) {
	var out bytes.Buffer
	s := &screen{w: &out, color: true, tty: true}
	s.patch("--- a\n+++ b\n@@ -1 +1 @@\n-old\x1b[2J\n+new\n same\n")
	want := "\x1b[1m--- a\x1b[0m\n\x1b[1m+++ b\x1b[0m\n\x1b[36m@@ -1 +1 @@\x1b[0m\n\x1b[31m-old␛[2J\x1b[0m\n\x1b[32m+new\x1b[0m\n same\n"
	if got := out.String(); got != want {
		t.Errorf("patch prints %q, want %q", got, want)
	}
}

// TestCleanText keeps content from steering a terminal, and leaves it alone
// elsewhere.
func TestCleanText(t *testing.T) {
	const text = "a\tb\n\x1b]0;title\x07\u009b31m\x7f"
	if got, want := (&screen{tty: true}).clean(text), "a\tb\n␛]0;title␇␡31m␡"; got != want {
		t.Errorf("on a terminal %q, want %q", got, want)
	}
	if got := (&screen{}).clean(text); got != text {
		t.Errorf("elsewhere %q, want %q", got, text)
	}
}

func TestQuote(t *testing.T) {
	tests := []struct{ word, want string }{
		{"plain", "plain"},
		{"two words", "'two words'"},
		{"it's", `'it'\''s'`},
		{"a\nb'\\", `$'a\nb\'\\'`},
		{"--text=two words", "--text='two words'"},
		{"", "''"},
	}
	for _, tt := range tests {
		if got := Quote(tt.word); got != tt.want {
			t.Errorf("Quote(%q) = %s, want %s", tt.word, got, tt.want)
		}
	}
}

func TestNoColourElsewhere(t *testing.T) {
	if IsTerminal(&bytes.Buffer{}) {
		t.Error("a buffer is a terminal")
	}
}
