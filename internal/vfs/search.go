package vfs

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"time"

	"kaijutsu"
)

const (
	// maxSearchPattern bounds an expression, in bytes.
	maxSearchPattern = 1000
	// maxSteps bounds what an expression does with one character.
	maxSteps = 1000
	// maxSearchFile is the most bytes a file may have to be searched.
	maxSearchFile = 2 << 20
	// maxMatches and defaultMatches bound what a search returns.
	maxMatches, defaultMatches = 10_000, 1000
	// maxMatchText is how many bytes of a line are returned.
	maxMatchText = 500
	// searchTime is how long a search goes on.
	searchTime = 10 * time.Second
)

// SearchSpec says what to search for, and where.
type SearchSpec struct {
	// Path is absolute: a directory, everything below it, or one file.
	Path string
	// Pattern is a regular expression in the syntax of RE2, compared with one
	// line at a time.
	Pattern    string
	IgnoreCase bool
	// Glob names the files to search: "*.go" by their names, "src/**/*.go" by
	// their paths below Path. "" is all of them.
	Glob string
	// MaxMatches is at most how many are returned; 1,000 where it is 0, and
	// 10,000 at most.
	MaxMatches int
	// Skip leaves out a file, or a directory with everything below it. nil
	// leaves out nothing.
	Skip func(m Mounted, rel string, dir bool) bool
}

// Match is one line that matches.
type Match struct {
	Path string // absolute
	Line int    // 1-based
	// Text is the line, or what is around the match where it is long; without
	// line feed and carriage return.
	Text string
}

// Found is what a search found.
type Found struct {
	Matches []Match // by path, component by component; then by line
	// Truncated says that there was no room or time for all.
	Truncated bool
	// Skipped counts the files and directories that were not searched: they
	// are binary, larger than 2 MiB, or could not be read.
	Skipped int
}

// Search finds the lines that match, through every mount at and below a path.
// Links are not followed, but for the path itself being one to a file. It ends
// after 10 s, and with ctx, whose error it then returns beside what was found.
func (t *Table) Search(ctx context.Context, s SearchSpec) (Found, error) {
	p, err := cleanPath(s.Path)
	if err != nil {
		return Found{}, err
	}
	re, err := compile(s)
	if err != nil {
		return Found{}, err
	}
	g, err := parseGlob(s.Glob)
	if err != nil {
		return Found{}, err
	}
	limit := s.MaxMatches
	if limit <= 0 {
		limit = defaultMatches
	}
	info, err := t.Stat(ctx, p)
	if err != nil {
		return Found{}, err
	}
	timed, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	w := &walk{mounts: t.all(), re: re, glob: g, limit: min(limit, maxMatches), skip: s.Skip, start: p}
	if info.Kind == KindDir {
		err = w.directory(timed, p)
	} else if err = w.file(timed, p); err == nil && w.failed != nil {
		err = w.failed // the one file that was asked for
	}
	switch {
	case errors.Is(err, errEnough):
		w.found.Truncated, err = true, nil
	case timed.Err() != nil && ctx.Err() == nil:
		w.found.Truncated, err = true, nil
	}
	return w.found, err
}

func compile(s SearchSpec) (*regexp.Regexp, error) {
	switch {
	case s.Pattern == "":
		return nil, fmt.Errorf("pattern is empty: %w", kaijutsu.ErrInvalid)
	case len(s.Pattern) > maxSearchPattern:
		return nil, fmt.Errorf("pattern of %d bytes: at most %d: %w", len(s.Pattern), maxSearchPattern, kaijutsu.ErrTooLarge)
	}
	text := s.Pattern
	if s.IgnoreCase {
		text = "(?i)" + text
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("pattern: %w; the syntax is RE2's, and \\ before a character takes it literally: %w", err, kaijutsu.ErrInvalid)
	}
	if parsed, err := syntax.Parse(text, syntax.Perl); err == nil {
		// Comparing takes up to as many steps for each character.
		if prog, err := syntax.Compile(parsed.Simplify()); err == nil && len(prog.Inst) > maxSteps {
			return nil, fmt.Errorf("pattern: its repetitions come to more than %d steps: repeat less: %w", maxSteps, kaijutsu.ErrTooLarge)
		}
	}
	return re, nil
}
