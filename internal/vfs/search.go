package vfs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"regexp/syntax"
	"time"
	"unicode/utf8"

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

// errEnough ends a walk that has as many matches as it may.
var errEnough = errors.New("enough")

// walk is one search under way.
type walk struct {
	mounts []Mounted
	re     *regexp.Regexp
	glob   glob
	limit  int
	skip   func(Mounted, string, bool) bool
	start  string
	found  Found
	failed error // why the last file could not be read
}

func (w *walk) directory(ctx context.Context, p string) error {
	infos, err := list(ctx, w.mounts, p)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		w.found.Skipped++
		return nil
	}
	for _, info := range infos {
		if err := ctx.Err(); err != nil {
			return err
		}
		dir := info.Kind == KindDir
		if !dir && info.Kind != KindFile || w.leftOut(info.Path, dir) {
			continue
		}
		visit := w.file
		if dir {
			visit = w.directory
		}
		if err := visit(ctx, info.Path); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) leftOut(p string, dir bool) bool {
	if !dir && !w.glob.matches(below(w.start, p)) {
		return true
	}
	m, rel, ok := find(w.mounts, p)
	return ok && w.skip != nil && w.skip(m, rel, dir)
}

func (w *walk) file(ctx context.Context, p string) error {
	m, rel, ok := find(w.mounts, p)
	if !ok {
		return nil
	}
	data, err := peek(ctx, m.FS, rel)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if w.failed = err; err != nil || IsBinary(data) {
		w.found.Skipped++
		return nil
	}
	return w.lines(ctx, p, data)
}

func peek(ctx context.Context, fsys FS, rel string) (data []byte, err error) {
	if p, ok := fsys.(Peeker); ok {
		data, _, err = p.Peek(ctx, rel, maxSearchFile)
		return data, err
	}
	data, _, err = fsys.Read(ctx, kaijutsu.Principal{}, rel, maxSearchFile)
	return data, err
}

func (w *walk) lines(ctx context.Context, p string, data []byte) error {
	if prefix, _ := w.re.LiteralPrefix(); !bytes.Contains(data, []byte(prefix)) {
		return nil
	}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if number%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		at := w.re.FindIndex(line)
		if at == nil {
			continue
		}
		if len(w.found.Matches) == w.limit {
			return errEnough
		}
		w.found.Matches = append(w.found.Matches, Match{path.Clean(p), number, excerpt(line, at[0], at[1])})
	}
	return nil
}

// excerpt returns a line, or when it is long what is around line[from:to].
func excerpt(line []byte, from, to int) string {
	if len(line) <= maxMatchText {
		return string(line)
	}
	start := max(0, min(from-(maxMatchText-min(to-from, maxMatchText))/2, len(line)-maxMatchText))
	end := start + maxMatchText
	for start < end && !utf8.RuneStart(line[start]) {
		start++
	}
	for end > start && end < len(line) && !utf8.RuneStart(line[end]) {
		end--
	}
	out := string(line[start:end])
	if start > 0 {
		out = "…" + out
	}
	if end < len(line) {
		out += "…"
	}
	return out
}
