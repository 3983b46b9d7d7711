package authorship

import (
	"strings"
	"unicode/utf8"

	"kaijutsu/internal/textdiff"
)

// plain returns a text with what a block does not hold of it taken away: the
// byte order mark, and the "\r" of line ends. Two texts of which only these
// differ have the same lines.
func plain(text string) string {
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.Contains(text, "\r\n") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return text
}

// splitLines returns the lines of a text without their ends. What is behind the
// last line feed is a line if it is not empty.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// countLines is len(splitLines).
func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// lineMap returns for each line of b which line of a it is, from 0, or -1.
// Whether the last line has an end makes no difference.
func lineMap(a, b string) []int {
	a, b = ended(plain(a)), ended(plain(b))
	if a == b {
		same := make([]int, countLines(b))
		for i := range same {
			same[i] = i
		}
		return same
	}
	return textdiff.LineMap(a, b)
}

// ended returns a text whose last line ends.
func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// valid returns foreign text that can be shown.
func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return strings.ToValidUTF8(text, "\ufffd")
}
