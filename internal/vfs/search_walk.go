package vfs

import (
	"bytes"
	"context"
	"errors"
	"path"
	"regexp"
	"unicode/utf8"

	"kaijutsu"
)

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
