package drift

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// CutDiff returns a unified diff of at most MaxDiff bytes: whole lines, and a
// comment where it was cut.
func CutDiff(diff string) string { return cutDiff(diff, MaxDiff) }

func cutDiff(diff string, max int) string {
	if len(diff) <= max {
		return diff
	}
	note := fmt.Sprintf("\\ cut, %d bytes in all\n", len(diff))
	if max < len(note) {
		return ""
	}
	kept := diff[:max-len(note)]
	return kept[:strings.LastIndexByte(kept, '\n')+1] + note
}

// Quote returns the beginning of a text for a citation: at most MaxQuote
// characters, the last one an ellipsis where it was cut.
func Quote(text string) string { return shorten(text, MaxQuote) }

// shorten cuts a text to at most max characters, the last one an ellipsis.
func shorten(text string, max int) string {
	if len(text) <= max || utf8.RuneCountInString(text) <= max {
		return text
	}
	if max == 0 {
		return ""
	}
	n := 0
	for i := range text {
		if n++; n == max {
			return text[:i] + "…"
		}
	}
	return text
}

// cutBytes returns the beginning of a text, at most max bytes, cut between
// characters.
func cutBytes(text string, max int) string {
	if len(text) <= max {
		return text
	}
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	return text[:max]
}
