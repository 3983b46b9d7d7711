package catalog

import (
	"context"
	"errors"

	"kaijutsu"
	"kaijutsu/internal/op"
	"kaijutsu/internal/vfs"
)

type fsSearchIn struct {
	Query      string `json:"query" jsonschema:"A regular expression in the syntax of RE2, compared with a line at a time." rule:"minlen=1,maxlen=1000,alias=pattern"`
	Path       string `json:"path,omitempty" jsonschema:"Where: a directory, with everything below it, or a file." rule:"maxlen=4096,default=/"`
	Glob       string `json:"glob,omitempty" jsonschema:"Which files: *.go by their names, src/**/*.go by their paths below path. Default: all." rule:"maxlen=1000"`
	IgnoreCase bool   `json:"ignore_case,omitempty"`
	MaxMatches int    `json:"max_matches,omitempty" jsonschema:"How many lines to return at most." rule:"min=1,max=10000,default=1000"`
}

type fsMatch struct {
	Path string `json:"path"`
	Line int    `json:"line" jsonschema:"Which line it is, from 1."`
	Text string `json:"text" jsonschema:"The line, or what is around the match where it is long."`
}

type fsSearchOut struct {
	Matches   []fsMatch `json:"matches" jsonschema:"By path and line."`
	Truncated bool      `json:"truncated,omitempty" jsonschema:"There is more."`
	Skipped   int       `json:"skipped,omitempty" jsonschema:"How many files were not searched, because they are no text or too large."`
}

func (o *operations) fsSearch() *op.Op {
	return defineMounts(o, op.Spec{
		Name: "fs_search", Title: "Search files", Command: []string{"fs", "search"}, Args: []string{"query", "path"},
		Summary:     "Find lines in files by a regular expression",
		Description: "What a block holds is searched, also where the disk does not have it yet. Files that git ignores are left out, and none becomes a block by being searched. kernel_search searches contexts.",
		Scope:       op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("fs_search"),
	}, o.searchFiles)
}

func (o *operations) searchFiles(ctx context.Context, c op.Call, in fsSearchIn) (fsSearchOut, error) {
	out := fsSearchOut{Matches: []fsMatch{}}
	found, err := o.parts.Mounts.Search(ctx, c, vfs.SearchSpec{
		Path: in.Path, Pattern: in.Query, Glob: in.Glob, IgnoreCase: in.IgnoreCase, MaxMatches: in.MaxMatches,
	})
	if errors.Is(err, kaijutsu.ErrNotFound) {
		err = kaijutsu.About("path", err)
	}
	if err != nil {
		return out, err
	}
	for _, m := range found.Matches {
		out.Matches = append(out.Matches, fsMatch{m.Path, m.Line, m.Text})
	}
	out.Truncated, out.Skipped = found.Truncated, found.Skipped
	return out, nil
}
