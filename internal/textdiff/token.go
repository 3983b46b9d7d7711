package textdiff

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// splitLines cuts after every "\n". The last line may lack it; an empty text
// has no line.
func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// splitWords cuts into runs of letters and digits, runs of blanks, and single
// other characters.
func splitWords(s string) []string {
	var words []string
	start, kind := 0, -1
	for i, r := range s {
		k := wordKind(r)
		if kind >= 0 && (k != kind || k == 2) {
			words = append(words, s[start:i])
			start = i
		}
		kind = k
	}
	if start < len(s) {
		words = append(words, s[start:])
	}
	return words
}

func wordKind(r rune) int {
	switch {
	case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		return 0
	case r == ' ' || r == '\t':
		return 1
	}
	return 2
}

// tokens are two cut texts whose parts are numbered: equal parts have equal
// numbers.
type tokens struct{ a, b []rune }

func number(a, b []string) tokens {
	numbers := make(map[string]rune, len(a))
	all := func(parts []string) []rune {
		out := make([]rune, len(parts))
		for i, p := range parts {
			n, ok := numbers[p]
			if !ok {
				n = rune(len(numbers))
				numbers[p] = n
			}
			out[i] = n
		}
		return out
	}
	return tokens{all(a), all(b)}
}

// offsets returns the byte offset of each part, and the length of all.
func offsets(parts []string) []int {
	out := make([]int, len(parts)+1)
	for i, p := range parts {
		out[i+1] = out[i] + len(p)
	}
	return out
}

// byBytes turns edits counted in parts into edits counted in bytes.
func byBytes(edits []edit, a, b []string) []edit {
	x, y := offsets(a), offsets(b)
	for i, e := range edits {
		edits[i] = edit{x[e.a0], x[e.a1], y[e.b0], y[e.b1]}
	}
	return edits
}

// trim shortens a byte edit by what both sides begin and end with, by whole
// characters of valid UTF-8.
func trim(a, b string, e edit) edit {
	for e.a0 < e.a1 && e.b0 < e.b1 {
		r, n := utf8.DecodeRuneInString(a[e.a0:e.a1])
		if q, _ := utf8.DecodeRuneInString(b[e.b0:e.b1]); q != r {
			break
		}
		e.a0, e.b0 = e.a0+n, e.b0+n
	}
	for e.a0 < e.a1 && e.b0 < e.b1 {
		r, n := utf8.DecodeLastRuneInString(a[e.a0:e.a1])
		if q, _ := utf8.DecodeLastRuneInString(b[e.b0:e.b1]); q != r {
			break
		}
		e.a1, e.b1 = e.a1-n, e.b1-n
	}
	return e
}
