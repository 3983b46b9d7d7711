package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type driftLinkListIn struct{}

type driftLinkListOut struct {
	Links []linkRow `json:"links" jsonschema:"By name."`
}

func (o *operations) driftLinkList() *op.Op {
	return define(o, op.Spec{
		Name: "drift_link_list", Title: "List linked kernels", Command: []string{"drift", "link-list"},
		Summary:     "List the other kernels that drifts may go to",
		Description: "Tokens are never shown, and addresses only to who owns this kernel.",
		Scope:       op.OnKernel, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("drift_link_list"),
	}, o.listLinks)
}

func (o *operations) listLinks(_ context.Context, c op.Call, _ driftLinkListIn) (driftLinkListOut, error) {
	out := driftLinkListOut{Links: []linkRow{}}
	if o.parts.Links == nil {
		return out, errNoLinks
	}
	for _, s := range o.parts.Links.List(c) {
		out.Links = append(out.Links, linkRowOf(s))
	}
	return out, nil
}
