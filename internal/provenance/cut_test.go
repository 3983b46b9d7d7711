package provenance

import (
	"strings"
	"testing"
	"unicode/utf8"

	"kaijutsu/internal/textdiff"
)

func TestCutDiff(t *testing.T) {
	for _, tt := range []struct{ name, was, is string }{
		{"short", "a\n", "b\n"},
		{"many lines", strings.Repeat("äö\n", 900), strings.Repeat("ß\n", 900)},
		{"one long line", strings.Repeat("ä", 9000), strings.Repeat("ö", 9000)},
		{"an odd one", "x" + strings.Repeat("語", 9000), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			full := textdiff.Unified(tt.was, tt.is, "block")
			got := cutDiff(full, 4096)
			if len(got) > 4096 || !utf8.ValidString(got) || !strings.HasSuffix(got, "\n") {
				t.Fatalf("cutDiff has %d bytes, valid %v, and ends in %q", len(got), utf8.ValidString(got), got[len(got)-10:])
			}
			if len(full) <= 4096 {
				if got != full {
					t.Errorf("cutDiff = %q, want all of it", got)
				}
				return
			}
			rest, note := got, ""
			if i := strings.LastIndex(strings.TrimSuffix(got, "\n"), "\n"); i >= 0 {
				rest, note = got[:i], got[i+1:]
			}
			if !strings.HasPrefix(full, rest) || !strings.HasPrefix(note, `\ cut: `) || len(rest) < 3000 {
				t.Errorf("cutDiff = %q…, want the beginning of the diff and a note, not %q", rest[:100], note)
			}
		})
	}
}
