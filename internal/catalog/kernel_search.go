package catalog

import (
	"kaijutsu"
	"kaijutsu/internal/op"
)

type kernelSearchIn struct {
	Query        string   `json:"query" jsonschema:"A regular expression (RE2), matched line by line. One that is not valid is an error." rule:"minlen=1,maxlen=1000"`
	Contexts     []string `json:"contexts,omitempty" jsonschema:"Only in these contexts: ids, automerge: URLs or titles. Default: every context that the caller may read and that is not archived." rule:"minitems=1,maxitems=1000"`
	Kind         string   `json:"kind,omitempty" jsonschema:"Only in blocks of this kind." rule:"enum=text|thinking|tool_call|tool_result|shell_command|shell_output|drift|file|resource|query|run|checkpoint|task|comment|error"`
	Role         string   `json:"role,omitempty" jsonschema:"Only in blocks of this role." rule:"enum=user|model|system|tool"`
	ContextLines int      `json:"context_lines,omitempty" jsonschema:"How many lines to return on both sides." rule:"min=0,max=50,default=0"`
	MaxMatches   int      `json:"max_matches,omitempty" jsonschema:"How many matches to return at most." rule:"min=1,max=10000,default=100"`
}

type kernelMatch struct {
	Context string   `json:"context"`
	Block   string   `json:"block_id"`
	Line    int      `json:"line" jsonschema:"The line, from 0."`
	Content string   `json:"content" jsonschema:"The line that matches."`
	Before  []string `json:"before,omitempty" jsonschema:"The lines in front of it."`
	After   []string `json:"after,omitempty" jsonschema:"The lines behind it."`
}

type kernelSearchOut struct {
	Matches   []kernelMatch `json:"matches" jsonschema:"One for each line that matches."`
	Total     int           `json:"total" jsonschema:"How many were returned."`
	Truncated bool          `json:"truncated" jsonschema:"There are more than were returned."`
}

func (o *operations) kernelSearch() *op.Op {
	return op.Define(op.Spec{
		Name: "kernel_search", Title: "Search everything", Command: []string{"search"}, Args: []string{"query…"},
		Summary: "Find the lines, in every context that the caller may read, that match a regular expression",
		Description: "Deleted blocks are not searched. An expression with at least three letters in a row that must occur is fast; others read every block. " +
			"No match is no error: the list is empty.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("kernel_search"),
	}, o.searchKernel)
}
