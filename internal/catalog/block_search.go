package catalog

import (
	"kaijutsu"
	"kaijutsu/internal/op"
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
	Total     int          `json:"total_matches" jsonschema:"How many occurrences there are, returned or not."`
	Truncated bool         `json:"truncated" jsonschema:"There are more than were returned."`
	Literal   bool         `json:"literal" jsonschema:"The query is no regular expression and was searched for as it stands."`
}

func (o *operations) blockSearch() *op.Op {
	return op.Define(op.Spec{
		Name: "block_search", Title: "Search a block", Args: []string{"block_id", "query…"},
		Summary:     "Find the places in a block that match a regular expression",
		Description: "`line` counts from 0, as block_edit does. No match at all is an error of kind not_found. To search many blocks use kernel_search.",
		Scope:       op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("block_search"),
	}, o.searchBlock)
}
