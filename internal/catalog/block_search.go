package catalog

import (
	"context"
	"fmt"
	"regexp"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

type blockSearchIn struct {
	onBlock
	Query        string `json:"query" jsonschema:"A regular expression (RE2), matched line by line. One that is not valid is searched for as it stands." rule:"minlen=1,maxlen=1000"`
	ContextLines int    `json:"context_lines,omitempty" jsonschema:"How many lines to show on both sides." rule:"min=0,max=50,default=2"`
	MaxMatches   int    `json:"max_matches,omitempty" jsonschema:"How many matches to return at most." rule:"min=1,max=1000,default=20"`
}

type blockMatch struct {
	Line    int    `json:"line" jsonschema:"The line, from 0."`
	Content string `json:"content" jsonschema:"The line and those around it, numbered from 1."`
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

func (o *operations) searchBlock(ctx context.Context, c op.Call, in blockSearchIn) (out blockSearchOut, err error) {
	re, err := regexp.Compile(in.Query)
	if out.Literal = err != nil; out.Literal {
		re = regexp.MustCompile(regexp.QuoteMeta(in.Query))
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
	lines := linesOf(content)
	for i, line := range lines {
		left := in.MaxMatches - len(out.Matches)
		for n, at := range re.FindAllStringIndex(line, left+1) {
			if out.Truncated = n == left; out.Truncated {
				break
			}
			from, to := max(i-in.ContextLines, 0), min(i+in.ContextLines+1, len(lines))
			start := utf8.RuneCountInString(line[:at[0]])
			out.Matches = append(out.Matches, blockMatch{
				Line: i, Content: numbered(lines, from, to), Start: start, End: start + utf8.RuneCountInString(line[at[0]:at[1]]),
			})
		}
		if out.Truncated {
			break
		}
	}
	if len(out.Matches) == 0 {
		return out, fmt.Errorf("block %s: no matches found for pattern %q: %w", out.Block, in.Query, kaijutsu.ErrNotFound)
	}
	out.Total = len(out.Matches)
	return out, nil
}
