package courier

import (
	"strings"
	"unicode/utf8"
)

// preview returns how a text begins, in one line.
func preview(s string) string {
	if len(s) > 8*maxPreview {
		s = cut(s, 8*maxPreview)
	}
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= maxPreview {
		return s
	}
	return string([]rune(s)[:maxPreview-1]) + "…"
}

// cut returns the beginning of a text: at most so many bytes, whole characters.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// clip makes a reason of what an error, or another kernel, says.
func clip(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= maxReasonBytes {
		return s
	}
	return cut(s, maxReasonBytes-len("…")) + "…"
}
