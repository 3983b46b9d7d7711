package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/op"
	"kaijutsu/internal/search"
)

type kernelSearchIn struct {
	Query        string   `json:"query" jsonschema:"A regular expression (RE2), matched line by line. One that is not valid is an error." rule:"minlen=1,maxlen=1000"`
	Contexts     []string `json:"contexts,omitempty" jsonschema:"Only in these contexts: ids, automerge: URLs or titles. Default: every context that the caller may read and that is not archived." rule:"minitems=1,maxitems=1000"`
	Kind         string   `json:"kind,omitempty" jsonschema:"Only in blocks of this kind." rule:"enum=text|thinking|tool_call|tool_result|shell_command|shell_output|drift|file|resource|query|run|checkpoint|task|comment|error"`
	Role         string   `json:"role,omitempty" jsonschema:"Only in blocks of this role." rule:"enum=user|model|system|tool"`
	ContextLines int      `json:"context_lines,omitempty" jsonschema:"How many lines to return on both sides." rule:"min=0,max=20,default=0"`
	MaxMatches   int      `json:"max_matches,omitempty" jsonschema:"How many matches to return at most." rule:"min=1,max=1000,default=100"`
}

type kernelMatch struct {
	Context string   `json:"context"`
	Block   string   `json:"block_id"`
	Line    int      `json:"line" jsonschema:"The line, from 0."`
	Content string   `json:"content" jsonschema:"The line that matches; of a very long one what is around the match."`
	Before  []string `json:"before,omitempty" jsonschema:"The lines in front of it."`
	After   []string `json:"after,omitempty" jsonschema:"The lines behind it."`
}

type kernelSearchOut struct {
	Matches   []kernelMatch `json:"matches" jsonschema:"One for each line that matches."`
	Total     int           `json:"total" jsonschema:"How many were returned."`
	Truncated bool          `json:"truncated" jsonschema:"There are more than were returned."`
	Unread    []string      `json:"unread,omitempty" jsonschema:"Contexts that could not be read, and were not searched."`
}

func (o *operations) kernelSearch() *op.Op {
	return define(o, op.Spec{
		Name: "kernel_search", Title: "Search everything", Command: []string{"search"}, Args: []string{"query…"},
		Summary: "Find the lines, in every context that the caller may read, that match a regular expression",
		Description: "Deleted blocks are not searched. An expression with at least three letters in a row that must occur is fast; others read every block. " +
			"No match is no error: the list is empty.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("kernel_search"),
	}, o.searchKernel)
}

func (o *operations) searchKernel(ctx context.Context, c op.Call, in kernelSearchIn) (kernelSearchOut, error) {
	if o.parts.Search == nil {
		return kernelSearchOut{}, fmt.Errorf("there is no index: %w", kaijutsu.ErrUnavailable)
	}
	q := search.Query{
		Pattern: in.Query, Kind: blocks.Kind(in.Kind), Role: blocks.Role(in.Role), ContextLines: in.ContextLines, MaxMatches: in.MaxMatches,
		May: func(doc kaijutsu.DocumentID) bool {
			return o.parts.Kernel.MayRead(c, doc) && (len(in.Contexts) > 0 || !o.parts.Kernel.Archived(doc))
		},
	}
	for i, name := range in.Contexts {
		doc, err := o.parts.Kernel.Resolve(ctx, c, name, kaijutsu.RightRead)
		if err != nil {
			return kernelSearchOut{}, fmt.Errorf("contexts[%d]: %w", i, err)
		}
		q.Docs = append(q.Docs, doc)
	}
	if err := o.parts.Kernel.Flush(ctx); err != nil {
		return kernelSearchOut{}, err
	}
	found, err := o.parts.Search.Search(ctx, q)
	if errors.Is(err, kaijutsu.ErrInvalid) {
		reason := strings.TrimSuffix(strings.TrimPrefix(err.Error(), "pattern: "), ": "+kaijutsu.ErrInvalid.Error())
		return kernelSearchOut{}, &op.FieldError{Field: "query", Reason: reason}
	}
	if err != nil {
		return kernelSearchOut{}, err
	}
	out := kernelSearchOut{Matches: make([]kernelMatch, len(found.Matches)), Total: found.Total, Truncated: found.Truncated}
	for i, m := range found.Matches {
		out.Matches[i] = kernelMatch{m.Doc.Name(), string(m.Block), m.Line, m.Content, m.Before, m.After}
	}
	for _, doc := range found.Unread {
		out.Unread = append(out.Unread, doc.Name())
	}
	return out, nil
}
