package mounts

import (
	"context"
	"strings"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/internal/authorship"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/textdiff"
)

// shares says who wrote how much of what a commit adds to a file that is a
// block.
//
// Where heads are known at which the block held what the last commit has, all
// counts that was written since, stands there still, and is in a line that the
// commit adds: text that went and came back is not new. Without such heads -
// somebody else committed, amended or went back - what counts is what the last
// commit has to be changed by to become the file, character by character.
func (m *Mounts) shares(ctx context.Context, doc kaijutsu.DocumentID, f changed) ([]authorship.Share, error) {
	if f.old.Hash == "" && f.from == "" {
		return m.book.Shares(ctx, doc, []authorship.Changed{{Block: f.block}})
	}
	type run struct {
		start, n int
		by       kaijutsu.Principal
		since    bool
	}
	var runs []run
	var text, was string
	var based bool
	err := m.cfg.Repo.View(ctx, doc, func(v repo.View) error {
		b, _ := v.Block(f.block)
		text, was, runs = b.Content, inForm(f.was, b.Content), nil
		var past repo.Past
		past, based = m.pastOf(v, doc, f, was)
		all, err := v.Model().Blame(f.block, v.Log())
		for _, r := range all {
			by, _ := v.Principal(r.Actor)
			runs = append(runs, run{r.Start, r.Len, by, !based || !past.Has(r.Change)})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	added := addedCharacters(was, text)
	if based {
		added = addedLines(was, text)
	}
	var out []authorship.Share
	for _, r := range runs {
		n := 0
		for i := r.start; r.since && i < min(r.start+r.n, len(added)); i++ {
			if added[i] {
				n++
			}
		}
		if n > 0 {
			out = addShares(out, []authorship.Share{{By: r.by, Chars: n}})
		}
	}
	return out, nil
}

// inForm returns what git keeps of a file as a block would hold it that holds
// this text: without a byte order mark, and without carriage returns at the ends
// of lines unless the block has some.
func inForm(data []byte, text string) string {
	s := strings.TrimPrefix(string(data), "\ufeff")
	if !strings.Contains(text, "\r\n") {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	return s
}

// pastOf returns what was written when a block held what the last commit has of
// its file: when that was committed, or else when it was opened. False: it is
// not known.
func (m *Mounts) pastOf(v repo.View, doc kaijutsu.DocumentID, f changed, was string) (repo.Past, bool) {
	row, sum := m.bases(baseName(doc, f.block)), sumOf(f.was)
	for i := len(row.Bases) - 1; i >= 0; i-- {
		if row.Bases[i].Sum != sum {
			continue
		}
		if heads, err := kaijutsu.ParseHeads(row.Bases[i].Heads); err == nil {
			if past, err := v.Past(heads); err == nil {
				return past, true
			}
		}
	}
	opened, ok := v.Inserted(f.block)
	if !ok {
		return repo.Past{}, false
	}
	heads := kaijutsu.NewHeads(opened)
	then, err := v.ContentAt(f.block, heads)
	if err != nil || inForm([]byte(then.Content), was) != was {
		return repo.Past{}, false
	}
	past, err := v.Past(heads)
	return past, err == nil
}

// addedLines marks the characters of a text that are in lines of which another
// text has none, or fewer.
func addedLines(was, text string) []bool {
	added := make(map[string]bool)
	for _, h := range textdiff.Hunks(was, text) {
		for _, line := range h.New {
			added[line] = true
		}
	}
	out := make([]bool, 0, len(text))
	for line := range strings.Lines(text) {
		for range utf8.RuneCountInString(line) {
			out = append(out, added[line])
		}
	}
	return out
}

// addedCharacters marks the characters of a text that another text has to be
// given to become it.
func addedCharacters(was, text string) []bool {
	out := make([]bool, utf8.RuneCountInString(text))
	for _, s := range textdiff.Splices(was, text) {
		for i := range utf8.RuneCountInString(s.Ins) {
			out[s.Pos+i] = true
		}
	}
	return out
}
