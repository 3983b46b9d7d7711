package catalog

import (
	"context"
	"slices"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type fsListIn struct {
	Path   string `json:"path,omitempty" jsonschema:"The directory, by its path in the file tree." rule:"maxlen=4096,default=/"`
	Limit  int    `json:"limit,omitempty" jsonschema:"How many to return at most." rule:"min=1,max=10000,default=1000"`
	Cursor string `json:"cursor,omitempty" jsonschema:"The next of the call before: go on behind it." rule:"maxlen=1024"`
}

type fsListOut struct {
	Path    string     `json:"path"`
	Entries []entryRow `json:"entries" jsonschema:"By name."`
	Next    string     `json:"next,omitempty" jsonschema:"There are more: pass it as cursor. Absent: that was all."`
}

func (o *operations) fsList() *op.Op {
	return defineMounts(o, op.Spec{
		Name: "fs_list", Title: "List a directory", Command: []string{"ls"}, Args: []string{"path"},
		Summary:     "List what a directory of the file tree holds",
		Description: "The root holds what is mounted. Links are not followed, and no file is opened.",
		Scope:       op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("fs_list"),
	}, o.listFiles)
}

func (o *operations) listFiles(ctx context.Context, c op.Call, in fsListIn) (fsListOut, error) {
	all, err := o.parts.Mounts.ListDir(ctx, c, in.Path)
	if err != nil {
		return fsListOut{}, err
	}
	rows := make([]entryRow, 0, len(all))
	for _, i := range all {
		rows = append(rows, entryRowOf(i))
	}
	slices.SortFunc(rows, func(a, b entryRow) int { return strings.Compare(a.Name, b.Name) })
	at, there := slices.BinarySearchFunc(rows, in.Cursor, func(r entryRow, name string) int { return strings.Compare(r.Name, name) })
	if there {
		at++
	}
	out := fsListOut{Path: in.Path, Entries: rows[at:]}
	if len(out.Entries) > in.Limit {
		out.Entries = out.Entries[:in.Limit]
		out.Next = out.Entries[in.Limit-1].Name
	}
	return out, nil
}
