package drift

import (
	"cmp"
	"slices"
	"strings"
)

// span is a part of a text, in bytes; to is past its end.
type span struct{ from, to int }

// within reports whether one of the spans, which ascend, holds the byte at.
func within(spans []span, at int) bool {
	i, _ := slices.BinarySearchFunc(spans, at, func(s span, at int) int { return cmp.Compare(s.to, at+1) })
	return i < len(spans) && spans[i].from <= at
}

// codeSpans returns the parts of a Markdown text that are code: fenced blocks,
// and what stands between backticks in one paragraph (CommonMark §4.5, §6.1).
func codeSpans(text string) []span {
	var spans []span
	prose := 0 // where the prose that was not looked at begins
	fence, fenced := "", 0
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		switch mark := fenceOf(text[at:end]); {
		case fence == "" && mark != "":
			spans = inlineCode(spans, text, prose, at)
			fence, fenced = mark, at
		case fence != "" && closes(text[at:end], fence):
			spans = append(spans, span{fenced, end})
			fence, prose = "", end
		case fence == "" && strings.TrimSpace(text[at:end]) == "":
			spans = inlineCode(spans, text, prose, at)
			prose = end
		}
		at = end
	}
	if fence != "" {
		return append(spans, span{fenced, len(text)})
	}
	return inlineCode(spans, text, prose, len(text))
}

// lineEnd returns where the line that begins at ends, its line break included.
func lineEnd(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(text)
}

// fenceOf returns the fence that a line opens a code block with; "" if none.
func fenceOf(line string) string {
	rest := strings.TrimLeft(line, " \t>")
	for _, mark := range []string{"`", "~"} {
		n := len(rest) - len(strings.TrimLeft(rest, mark))
		if n >= 3 && !(mark == "`" && strings.Contains(rest[n:], "`")) {
			return rest[:n]
		}
	}
	return ""
}

// closes reports whether a line ends a code block that fence opened.
func closes(line, fence string) bool {
	rest := strings.TrimSpace(strings.TrimLeft(line, " \t>"))
	return len(rest) >= len(fence) && strings.Trim(rest, fence[:1]) == ""
}

// inlineCode adds what stands between equal runs of backticks in text[from:to].
func inlineCode(spans []span, text string, from, to int) []span {
	open := -1 // where the code begins
	length := 0
	for at := from; at < to; {
		if text[at] != '`' {
			at++
			continue
		}
		end := at
		for end < to && text[end] == '`' {
			end++
		}
		switch {
		case open < 0 && hasRun(text[end:to], end-at):
			open, length = at, end-at
		case open >= 0 && end-at == length:
			spans = append(spans, span{open, end})
			open = -1
		}
		at = end
	}
	return spans
}

// hasRun reports whether a text has a run of exactly n backticks.
func hasRun(text string, n int) bool {
	for at := strings.IndexByte(text, '`'); at >= 0; {
		end := at
		for end < len(text) && text[end] == '`' {
			end++
		}
		if end-at == n {
			return true
		}
		next := strings.IndexByte(text[end:], '`')
		if next < 0 {
			return false
		}
		at = end + next
	}
	return false
}
