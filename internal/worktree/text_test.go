package worktree

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestFromDisk(t *testing.T) {
	tests := []struct {
		name, disk, text string
		shape            shape
		ok               bool
	}{
		{"plain", "a\nb\n", "a\nb\n", shape{eolLF, false}, true},
		{"empty", "", "", shape{eolLF, false}, true},
		{"crlf", "a\r\nb\r\n", "a\nb\n", shape{eolCRLF, false}, true},
		{"crlf without the last", "a\r\nb", "a\nb", shape{eolCRLF, false}, true},
		{"mixed", "a\r\nb\n", "a\r\nb\n", shape{eolLF, false}, true},
		{"a lone carriage return", "a\rb\r\n", "a\rb\r\n", shape{eolLF, false}, true},
		{"bom", "\ufeffa\r\n", "a\n", shape{eolCRLF, true}, true},
		{"two boms", "\ufeff\ufeffa", "\ufeffa", shape{eolLF, true}, true},
		{"NUL", "a\x00b", "", shape{eolLF, false}, false},
		{"late NUL", strings.Repeat("a", 8<<10) + "\x00", strings.Repeat("a", 8<<10) + "\x00", shape{eolLF, false}, true},
		{"not UTF-8", "a\xffb", "", shape{eolLF, false}, false},
	}
	for _, tt := range tests {
		text, s, ok := fromDisk([]byte(tt.disk))
		if text != tt.text || s != tt.shape || ok != tt.ok {
			t.Errorf("%s: got %q, %v, %v, want %q, %v, %v", tt.name, text, s, ok, tt.text, tt.shape, tt.ok)
		}
	}
}

// A file that was not edited is written as it was, byte for byte.
func TestTextRoundTrip(t *testing.T) {
	pieces := rapid.SliceOf(rapid.SampledFrom([]string{"a", "é", "\n", "\r\n", "\r", "\ufeff", " ", "漢"}))
	rapid.Check(t, func(t *rapid.T) {
		data := []byte(strings.Join(pieces.Draw(t, "pieces"), ""))
		text, s, ok := fromDisk(data)
		if !ok {
			t.Fatalf("%q is no text", data)
		}
		if got := toDisk(text, s); !bytes.Equal(got, data) {
			t.Fatalf("wrote %q, want %q (text %q, shape %v)", got, data, text, s)
		}
	})
}

// Whatever is typed into a file with "\r\n", no line ends with "\r\r\n".
func TestTypedIntoCRLF(t *testing.T) {
	if got, want := string(toDisk("a\r\nb\n\nc", shape{EOL: eolCRLF})), "a\r\nb\r\n\r\nc"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCut(t *testing.T) {
	s := strings.Repeat("漢", 10)
	for n := range 31 {
		if got := cut(s, n); !utf8.ValidString(got) || len(got) > n+len("…") {
			t.Errorf("cut at %d: %q", n, got)
		}
	}
}
