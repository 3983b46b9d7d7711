package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type driftLinkRemoveIn struct {
	Name string `json:"name" jsonschema:"The other kernel's name." rule:"minlen=1,maxlen=32"`
}

func (o *operations) driftLinkRemove() *op.Op {
	return define(o, op.Spec{
		Name: "drift_link_remove", Title: "Remove a link", Command: []string{"drift", "link-rm"}, Args: []string{"name"},
		Summary:     "Forget where another kernel is: no drift goes there any more",
		Description: "Drifts that are on their way there stay staged, and fail until there is a link again.",
		Scope:       op.OnKernel, Right: kaijutsu.RightOwn, Effect: op.Destroys,
		Examples: examplesOf("drift_link_remove"),
	}, o.removeLink)
}

func (o *operations) removeLink(ctx context.Context, c op.Call, in driftLinkRemoveIn) (linkRow, error) {
	if o.parts.Links == nil {
		return linkRow{}, errNoLinks
	}
	s, err := o.parts.Links.Remove(ctx, c, in.Name)
	return linkRowOf(s), err
}
