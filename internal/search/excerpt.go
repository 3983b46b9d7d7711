package search

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// maxLine is how many characters of a line are returned.
const maxLine = 500

// excerpt returns a line, or when it is long what is around text[from:to] and
// notes of how many characters were left out.
func excerpt(line []byte, from, to int) string {
	if len(line) <= maxLine {
		return string(line)
	}
	return Excerpt(string(line), from, to, utf8.RuneCount(line[:from]), utf8.RuneCount(line))
}

// Excerpt returns a line of so many characters, or when it is long what is
// around line[from:to], which so many characters are in front of, and notes of
// how many were left out on either side. It takes no longer for a longer line.
func Excerpt(line string, from, to, before, runes int) string {
	if runes <= maxLine {
		return line
	}
	behind := runes - before
	match := 0
	for at := from; at < to && match < maxLine; match++ {
		_, n := utf8.DecodeRuneInString(line[at:])
		at += n
	}
	lead := min(before, (maxLine-match)/2)
	tail := min(behind, maxLine-lead)
	lead = min(before, maxLine-tail)
	start, end := from, from
	for range lead {
		_, n := utf8.DecodeLastRuneInString(line[:start])
		start -= n
	}
	for range tail {
		_, n := utf8.DecodeRuneInString(line[end:])
		end += n
	}
	out := line[start:end]
	if n := before - lead; n > 0 {
		out = fmt.Sprintf("[%d characters] … ", n) + out
	}
	if n := behind - tail; n > 0 {
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
