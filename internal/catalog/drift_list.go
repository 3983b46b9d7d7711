package catalog

import (
	"context"
	"fmt"
	"slices"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
)

type driftListIn struct {
	inContext
	Archived bool   `json:"archived,omitempty" jsonschema:"List the archived contexts too. Default: leave them out."`
	Limit    int    `json:"limit,omitempty" jsonschema:"How many to return at most." rule:"min=1,max=100000,default=10000"`
	Cursor   string `json:"cursor,omitempty" jsonschema:"The next of the call before: go on behind it." rule:"maxlen=64"`
}

// driftPlace is a context as the list of where drifts may go shows it.
type driftPlace struct {
	endpoint
	Current  bool `json:"current,omitempty" jsonschema:"It is the context of the call."`
	Blocks   int  `json:"blocks" jsonschema:"How many blocks show."`
	Unread   int  `json:"unread" jsonschema:"How many drift blocks of it the caller has not read: drift_inbox shows them."`
	Staged   int  `json:"staged" jsonschema:"How many drifts wait for a flush of it."`
	Archived bool `json:"archived,omitempty"`
}

type driftListOut struct {
	Contexts []driftPlace `json:"contexts"`
	Kernels  []string     `json:"kernels,omitempty" jsonschema:"Other kernels that drifts may go to, as kernel:context."`
	Next     string       `json:"next,omitempty" jsonschema:"There are more: pass it as cursor. Absent: that was all."`
}

func (o *operations) driftList() *op.Op {
	return defineDrift(o, op.Spec{
		Name: "drift_list", Title: "List where drifts go", Command: []string{"drift", "ls"},
		Summary: "List the contexts that drifts may come from and go to, oldest first",
		Description: "Each row has the address that other drift operations take: `short`, the end of the id, and the label if there is one. " +
			"`current` is true of the context of the call. Contexts that the caller may not read are not there.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("drift_list"),
	}, o.listDrifts)
}

func (o *operations) listDrifts(ctx context.Context, c op.Call, in driftListIn) (out driftListOut, err error) {
	var current kaijutsu.DocumentID
	if in.Context != "" || c.Context != "" {
		if current, err = o.parts.Kernel.Resolve(ctx, c, in.Context, kaijutsu.RightRead); err != nil {
			return out, err
		}
	}
	all, err := o.parts.Kernel.Contexts(ctx, c, in.Archived)
	if err != nil {
		return out, err
	}
	if in.Cursor != "" {
		at := slices.IndexFunc(all, func(i kernel.ContextInfo) bool { return i.ID == in.Cursor })
		if at < 0 {
			return out, fmt.Errorf("cursor: context %q is not there any more: %w: begin again", in.Cursor, kaijutsu.ErrConflict)
		}
		all = all[at+1:]
	}
	if len(all) > in.Limit {
		all = all[:in.Limit]
		out.Next = all[in.Limit-1].ID
	}
	staged, err := o.stagedBySource(ctx, c)
	if err != nil {
		return out, err
	}
	out.Contexts = make([]driftPlace, 0, len(all))
	for _, i := range all {
		out.Contexts = append(out.Contexts, driftPlace{
			endpoint: endpoint{ID: i.ID, Short: i.Short, Label: i.Label, Title: i.Title},
			Current:  i.Doc == current, Blocks: i.Blocks, Unread: o.unread(c.By, i.Doc), Staged: staged[i.Doc], Archived: !i.Archived.IsZero(),
		})
	}
	if o.parts.Links != nil {
		for _, l := range o.parts.Links.List(c) {
			out.Kernels = append(out.Kernels, l.Kernel)
		}
	}
	return out, nil
}

// stagedBySource counts the staged drifts that the caller may see, by the
// context that they come from.
func (o *operations) stagedBySource(ctx context.Context, c op.Call) (map[kaijutsu.DocumentID]int, error) {
	items, err := o.parts.Drift.Queue(ctx, c, courier.Filter{State: drift.StateStaged})
	if err != nil {
		return nil, err
	}
	staged := make(map[kaijutsu.DocumentID]int)
	for _, it := range items {
		staged[it.From]++
	}
	return staged, nil
}

// unread counts the drift blocks of a context that somebody has not read.
func (o *operations) unread(by kaijutsu.Principal, doc kaijutsu.DocumentID) int {
	if o.parts.Letters == nil {
		return 0
	}
	return o.parts.Letters.Unread(by, doc)
}
