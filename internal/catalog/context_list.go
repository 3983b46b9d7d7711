package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
)

type contextListIn struct {
	Title    string `json:"title,omitempty" jsonschema:"Only contexts whose title contains this; case does not count." rule:"maxlen=1000"`
	Archived bool   `json:"archived,omitempty" jsonschema:"List the archived contexts too. Default: leave them out."`
	Limit    int    `json:"limit,omitempty" jsonschema:"How many to return at most." rule:"min=1,max=100000,default=10000"`
	Cursor   string `json:"cursor,omitempty" jsonschema:"The next of the call before: go on behind it." rule:"maxlen=64"`
}

type contextListOut struct {
	Contexts []contextRow `json:"contexts"`
	Next     string       `json:"next,omitempty" jsonschema:"There are more: pass it as cursor. Absent: that was all."`
}

func (o *operations) contextList() *op.Op {
	return define(o, op.Spec{
		Name: "context_list", Title: "List contexts", Command: []string{"ctx", "ls"}, Args: []string{"title…"},
		Summary:     "List the contexts that the caller may read, oldest first",
		Description: "Each row has the id, its `short` form, the label if there is one, the URL, the title and the number of blocks that show: any of these but the last names the context in other operations. Contexts that the caller may not read are not there.",
		Scope:       op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("context_list"),
	}, o.listContexts)
}

func (o *operations) listContexts(ctx context.Context, c op.Call, in contextListIn) (contextListOut, error) {
	all, err := o.parts.Kernel.Contexts(ctx, c, in.Archived)
	if err != nil {
		return contextListOut{}, err
	}
	if in.Cursor != "" {
		at := slices.IndexFunc(all, func(i kernel.ContextInfo) bool { return i.ID == in.Cursor })
		if at < 0 {
			return contextListOut{}, fmt.Errorf("cursor: context %q is not there any more: %w: begin again", in.Cursor, kaijutsu.ErrConflict)
		}
		all = all[at+1:]
	}
	out := contextListOut{Contexts: []contextRow{}}
	for _, info := range all {
		if !containsFold(info.Title, in.Title) {
			continue
		}
		if len(out.Contexts) == in.Limit {
			out.Next = out.Contexts[in.Limit-1].ID
			break
		}
		out.Contexts = append(out.Contexts, rowOf(info))
	}
	return out, nil
}

func containsFold(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}
