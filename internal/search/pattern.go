package search

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"kaijutsu"
)

// maxPattern bounds an expression, in bytes.
const maxPattern = 1000

// compile returns an expression and what a text needs to match it. The error is
// that of Compile.
func compile(pattern string) (*Matcher, *need, error) {
	switch {
	case pattern == "":
		return nil, nil, fmt.Errorf("pattern is empty: %w", kaijutsu.ErrInvalid)
	case len(pattern) > maxPattern:
		return nil, nil, fmt.Errorf("pattern of %d bytes: at most %d: %w", len(pattern), maxPattern, kaijutsu.ErrTooLarge)
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, nil, patternError(pattern, err)
	}
	weight := weigh(parsed, maxWeight)
	if weight > maxWeight {
		return nil, nil, fmt.Errorf("pattern: its repetitions come to more than %d characters: repeat less: %w", maxWeight, kaijutsu.ErrTooLarge)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, nil, patternError(pattern, err)
	}
	if _, whole := re.LiteralPrefix(); whole {
		weight = 1 // no states: it is searched for
	}
	return &Matcher{re, weight}, needOf(parsed), nil
}

func patternError(pattern string, err error) error {
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return fmt.Errorf("pattern: %w: %w", err, kaijutsu.ErrInvalid)
	}
	at := strings.LastIndex(pattern, bad.Expr)
	if at < 0 {
		at = 0
	}
	switch bad.Code {
	case syntax.ErrMissingParen, syntax.ErrTrailingBackslash:
		at = len(pattern) // where it is missed
	case syntax.ErrUnexpectedParen:
		at = unexpectedParen(pattern)
	}
	return fmt.Errorf("pattern: %s at character %d: %.80q; the syntax is RE2's, and \\ before a character takes it literally: %w",
		bad.Code, utf8.RuneCountInString(pattern[:at])+1, bad.Expr, kaijutsu.ErrInvalid)
}

// unexpectedParen returns where the ")" is that closes nothing: the first one
// up to which the pattern is wrong already.
func unexpectedParen(pattern string) int {
	for i := range len(pattern) {
		if pattern[i] != ')' {
			continue
		}
		_, err := syntax.Parse(pattern[:i+1], syntax.Perl)
		var bad *syntax.Error
		if errors.As(err, &bad) && bad.Code == syntax.ErrUnexpectedParen {
			return i
		}
	}
	return len(pattern)
}
