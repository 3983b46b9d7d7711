package search

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"kaijutsu"
)

// maxLine is how many characters of a line are returned.
const maxLine = 500

// excerpt returns a line, or when it is long what is around text[from:to] and
// notes of how many characters were left out.
func excerpt(line []byte, from, to int) string {
	if len(line) <= maxLine || utf8.RuneCount(line) <= maxLine {
		return string(line)
	}
	before := []rune(string(line[:from]))
	rest := []rune(string(line[from:]))
	room := max(0, maxLine-utf8.RuneCount(line[from:to]))
	lead := min(len(before), room/2)
	tail := min(len(rest), maxLine-lead)
	lead = min(len(before), maxLine-tail)
	out := string(before[len(before)-lead:]) + string(rest[:tail])
	if n := len(before) - lead; n > 0 {
		out = fmt.Sprintf("[%d characters] … ", n) + out
	}
	if n := len(rest) - tail; n > 0 {
		out += fmt.Sprintf(" … [%d characters]", n)
	}
	return out
}

func trimReturn(line []byte) []byte { return bytes.TrimSuffix(line, []byte("\r")) }

// linesBefore returns the last n lines of a text that ends with a line feed.
func linesBefore(text []byte, n int) []string {
	var out []string
	for len(text) > 0 && len(out) < n {
		text = text[:len(text)-1]
		start := bytes.LastIndexByte(text, '\n') + 1
		out = append([]string{excerpt(trimReturn(text[start:]), 0, 0)}, out...)
		text = text[:start]
	}
	return out
}

// linesAfter returns the first n lines of a text.
func linesAfter(text []byte, n int) []string {
	var out []string
	for len(text) > 0 && len(out) < n {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		out = append(out, excerpt(trimReturn(line), 0, 0))
		text = rest
	}
	return out
}

// compareDocs orders documents by the bytes of their ids, those of contexts by
// the time they were made.
func compareDocs(a, b kaijutsu.DocumentID) int {
	return bytes.Compare(a.Bytes(), b.Bytes())
}
