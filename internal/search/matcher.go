package search

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"

	"kaijutsu"
)

const (
	// maxWeight bounds what an expression comes to when its repetitions are
	// written out: the time of a match grows with it, and so does memory.
	maxWeight = 2000
	// plainSteps is up to which weight times bytes a line is compared in one
	// go, in less than a tenth of a second.
	plainSteps = 1 << 24
	// maxSteps bounds what Occurrences does with a line: one or two seconds at worst.
	maxSteps = 1 << 26
)

// Matcher is an expression that is compared with lines.
type Matcher struct {
	re     *regexp.Regexp
	weight int
}

// Compile returns the matcher of an RE2 expression, as regexp takes it. The
// error wraps kaijutsu.ErrInvalid and says where the expression is wrong, or
// kaijutsu.ErrTooLarge when it is too long or comes to too much.
func Compile(pattern string) (*Matcher, error) {
	m, _, err := compile(pattern)
	return m, err
}

// Literal returns the matcher of a text as it stands.
func Literal(text string) *Matcher {
	return &Matcher{regexp.MustCompile(regexp.QuoteMeta(text)), 1}
}

// first returns where an expression first matches in a line, nil where it does
// not. The error is that of ctx, which may end in the midst of a long line. The
// caller has the turn.
func (m *Matcher) first(ctx context.Context, t *turn, line []byte) ([]int, error) {
	if len(line)*m.weight <= plainSteps {
		return m.re.FindIndex(line), nil
	}
	w := &watchful{ctx: ctx, turn: t, rest: line}
	at := m.re.FindReaderIndex(w)
	return at, w.err
}

// Occurrences returns where an expression matches in a line, up to so many
// times, and whether there may be more: to find very many in a very long line
// takes too long. The error wraps kaijutsu.ErrTooLarge when already one does,
// or is that of ctx.
func (m *Matcher) Occurrences(ctx context.Context, line string, most int) (found [][]int, more bool, err error) {
	steps := (len(line) + 1) * m.weight
	if steps > maxSteps {
		return nil, false, fmt.Errorf("pattern: it takes too long in a line of %d bytes: use a simpler one: %w", len(line), kaijutsu.ErrTooLarge)
	}
	if steps > plainSteps {
		var t turn
		if err := t.take(ctx); err != nil {
			return nil, false, err
		}
		defer t.give()
	}
	most = min(most, 1+4*maxSteps/steps)
	found = m.re.FindAllStringIndex(line, most+1)
	if len(found) > most {
		return found[:most], true, nil
	}
	return found, false, nil
}

// watchful reads a line until a context ends.
type watchful struct {
	ctx  context.Context
	turn *turn
	rest []byte
	n    int
	err  error // why it ended before the line did
}

// ReadRune returns the next character.
func (w *watchful) ReadRune() (rune, int, error) {
	if w.n++; w.n%1024 == 0 && w.err == nil {
		if w.err = w.turn.pass(w.ctx); w.err == nil {
			w.err = w.ctx.Err()
		}
	}
	if len(w.rest) == 0 || w.err != nil {
		return 0, 0, io.EOF
	}
	r, size := utf8.DecodeRune(w.rest)
	w.rest = w.rest[size:]
	return r, size, nil
}

// weigh returns how many steps an expression comes to for each character, with
// its repetitions written out; beyond limit it counts no further.
func weigh(re *syntax.Regexp, limit int) int {
	n := 1
	switch re.Op {
	case syntax.OpLiteral:
		n = len(re.Rune)
	case syntax.OpCharClass:
		n = 1 + len(re.Rune)/32
	}
	for _, sub := range re.Sub {
		if n += weigh(sub, limit); n > limit {
			return n
		}
	}
	switch re.Op {
	case syntax.OpRepeat:
		n *= max(re.Min, re.Max, 1) // both are at most 1000
	case syntax.OpPlus:
		n++
	}
	return n
}
