package catalog

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/search"
)

type blockSearchIn struct {
	onBlock
	Query        string `json:"query" jsonschema:"A regular expression (RE2), matched line by line. One that is not valid is searched for as it stands." rule:"minlen=1,maxlen=1000"`
	ContextLines int    `json:"context_lines,omitempty" jsonschema:"How many lines to show on both sides." rule:"min=0,max=50,default=2"`
	MaxMatches   int    `json:"max_matches,omitempty" jsonschema:"How many matches to return at most." rule:"min=1,max=1000,default=20"`
}

type blockMatch struct {
	Line    int    `json:"line" jsonschema:"The line, from 0."`
	Content string `json:"content" jsonschema:"The line and those around it, numbered from 1; of very long ones what is around the match."`
	Start   int    `json:"match_start" jsonschema:"Where in the line the match begins, in code points."`
	End     int    `json:"match_end" jsonschema:"Where it ends."`
}

type blockSearchOut struct {
	Block     string       `json:"block_id"`
	Matches   []blockMatch `json:"matches" jsonschema:"One for each occurrence, also of several in a line."`
	Total     int          `json:"total_matches" jsonschema:"How many were returned."`
	Truncated bool         `json:"truncated" jsonschema:"There are more than were returned."`
	Literal   bool         `json:"literal" jsonschema:"The query is no regular expression and was searched for as it stands."`
}

func (o *operations) blockSearch() *op.Op {
	return define(o, op.Spec{
		Name: "block_search", Title: "Search a block", Args: []string{"block_id", "query…"},
		Summary:     "Find the places in a block that match a regular expression",
		Description: "`line` counts from 0, as block_edit does. No match at all is an error of kind not_found. To search many blocks use kernel_search.",
		Scope:       op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("block_search"),
	}, o.searchBlock)
}

// maxSearchBytes bounds the lines of a result, those around matches included.
const maxSearchBytes = 4 << 20

func (o *operations) searchBlock(ctx context.Context, c op.Call, in blockSearchIn) (out blockSearchOut, err error) {
	re, err := search.Compile(in.Query)
	switch {
	case errors.Is(err, kaijutsu.ErrInvalid):
		re, out.Literal = search.Literal(in.Query), true
	case err != nil:
		return out, queryError(err)
	}
	var content string
	err = o.read(ctx, c, in.onBlock, func(v repo.View, doc kaijutsu.DocumentID, id blocks.ID) error {
		b, ok := v.Block(id)
		if !ok {
			return noBlock(id, doc)
		}
		content, out.Block = b.Content, string(id)
		return nil
	})
	if err != nil {
		return out, err
	}
	s := blockSearch{in: in, lines: linesOf(content), short: make(map[int]string), out: &out}
	for i := range s.lines {
		if more, err := s.line(ctx, i, re); err != nil {
			return out, queryError(err)
		} else if !more {
			break
		}
		if err := ctx.Err(); err != nil {
			return out, err
		}
	}
	if len(out.Matches) == 0 {
		return out, fmt.Errorf("block %s: no matches found for pattern %q: %w", out.Block, in.Query, kaijutsu.ErrNotFound)
	}
	out.Total = len(out.Matches)
	return out, nil
}

// queryError names the parameter in an error about an expression.
func queryError(err error) error {
	return fmt.Errorf("query: %w", err)
}

// blockSearch gathers the matches in a block.
type blockSearch struct {
	in    blockSearchIn
	lines []string
	short map[int]string // the beginnings of those that were shown around others
	out   *blockSearchOut
	bytes int
}

// line adds the matches in a line; false when there are more than may be
// returned.
func (s *blockSearch) line(ctx context.Context, i int, re *search.Matcher) (more bool, err error) {
	line := s.lines[i]
	found, cut, err := re.Occurrences(ctx, line, s.in.MaxMatches-len(s.out.Matches))
	if err != nil {
		return false, err
	}
	s.out.Truncated = cut
	if len(found) == 0 {
		return !cut, nil
	}
	runes, start, last := utf8.RuneCountInString(line), 0, 0
	for _, at := range found {
		start += utf8.RuneCountInString(line[last:at[0]])
		last = at[0]
		m := blockMatch{
			Line: i, Content: s.around(i, at, start, runes),
			Start: start, End: start + utf8.RuneCountInString(line[at[0]:at[1]]),
		}
		if s.bytes += len(m.Content); s.bytes > maxSearchBytes && len(s.out.Matches) > 0 {
			s.out.Truncated = true
			return false, nil
		}
		s.out.Matches = append(s.out.Matches, m)
	}
	return !cut, nil
}

// around returns a line that matches and those around it, numbered; of long
// ones what is around the match, or their beginning.
func (s *blockSearch) around(i int, at []int, start, runes int) string {
	from, to := max(i-s.in.ContextLines, 0), min(i+s.in.ContextLines+1, len(s.lines))
	lines := make([]string, to-from)
	for k := range lines {
		if from+k == i {
			lines[k] = search.Excerpt(s.lines[i], at[0], at[1], start, runes)
			continue
		}
		short, ok := s.short[from+k]
		if !ok {
			l := s.lines[from+k]
			short = search.Excerpt(l, 0, 0, 0, utf8.RuneCountInString(l))
			s.short[from+k] = short
		}
		lines[k] = short
	}
	return numbered(lines, from)
}
