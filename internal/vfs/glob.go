package vfs

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"kaijutsu"
)

// maxGlob bounds a glob, in bytes.
const maxGlob = 500

// glob compares paths below where a search begins.
type glob struct {
	re   *regexp.Regexp // nil: everything
	base bool           // compares the last component only
}

// parseGlob reads a glob: * is any run within a component, ** any run of
// components, ? one character, [a-z] one of a class ([!a-z] none of it),
// {go,mod} one of several, \ takes a character literally. One without a slash
// is about the last component. It becomes a regular expression, so that
// comparing takes linear time.
func parseGlob(s string) (glob, error) {
	switch {
	case s == "":
		return glob{}, nil
	case len(s) > maxGlob || !utf8.ValidString(s):
		return glob{}, fmt.Errorf("glob: at most %d bytes of UTF-8: %w", maxGlob, kaijutsu.ErrInvalid)
	}
	text, err := globExpression(strings.TrimPrefix(s, "/"))
	if err != nil {
		return glob{}, err
	}
	re, err := regexp.Compile(`\A(?s:` + text + `)\z`)
	if err != nil {
		return glob{}, fmt.Errorf("glob: %q: write it like *.go, src/**/*.go or *.{go,mod}: %w", s, kaijutsu.ErrInvalid)
	}
	return glob{re, !strings.Contains(s, "/")}, nil
}

func globExpression(s string) (string, error) {
	var out strings.Builder
	braces := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case strings.HasPrefix(s[i:], "**/"):
			out.WriteString(`(?:[^/]+/)*`)
			i += 2
		case strings.HasPrefix(s[i:], "**"):
			out.WriteString(`.*`)
			i++
		case c == '*':
			out.WriteString(`[^/]*`)
		case c == '?':
			out.WriteString(`[^/]`)
		case c == '{':
			braces++
			out.WriteString(`(?:`)
		case c == '}' && braces > 0:
			braces--
			out.WriteString(`)`)
		case c == ',' && braces > 0:
			out.WriteString(`|`)
		case c == '[':
			end := strings.IndexByte(s[i+1:], ']')
			if end < 1 {
				return "", fmt.Errorf("glob: %q: [ without its ]: %w", s, kaijutsu.ErrInvalid)
			}
			out.WriteString(globClass(s[i+1 : i+1+end]))
			i += end + 1
		case c == '\\' && i+1 < len(s):
			i++
			out.WriteString(regexp.QuoteMeta(s[i : i+1]))
		default:
			out.WriteString(regexp.QuoteMeta(s[i : i+1]))
		}
	}
	if braces > 0 {
		return "", fmt.Errorf("glob: %q: { without its }: %w", s, kaijutsu.ErrInvalid)
	}
	return out.String(), nil
}

// globClass returns the class of a regular expression that means the same.
func globClass(s string) string {
	rest, not := strings.CutPrefix(s, "!")
	if !not {
		rest, not = strings.CutPrefix(s, "^")
	}
	rest = strings.NewReplacer(`\`, `\\`, `[`, `\[`, `^`, `\^`, `&`, `\&`).Replace(rest)
	if not {
		return `[^/` + rest + `]`
	}
	return `[` + rest + `]`
}

// matches reports whether the path of a file is meant.
func (g glob) matches(rel string) bool {
	if g.re == nil {
		return true
	}
	if g.base {
		rel = rel[strings.LastIndexByte(rel, '/')+1:]
	}
	return g.re.MatchString(rel)
}
