package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/link"
	"kaijutsu/internal/op"
)

type driftLinkSetIn struct {
	Name  string `json:"name" jsonschema:"The other kernel's name, as its server_status tells it: 1 to 32 of a to z, 0 to 9 and -." rule:"minlen=1,maxlen=32"`
	URL   string `json:"url" jsonschema:"The address of its server: https://host or https://host:port." rule:"minlen=1,maxlen=2048"`
	Token string `json:"token" jsonschema:"A token that the owner of the other kernel made for this one. It is never shown again." rule:"minlen=1,maxlen=4096"`
	Plain bool   `json:"plain,omitempty" jsonschema:"Allow plain http beyond this machine: whoever stands between can read the token and the drifts."`
}

func (o *operations) driftLinkSet() *op.Op {
	return define(o, op.Spec{
		Name: "drift_link_set", Title: "Link another kernel", Command: []string{"drift", "link-set"}, Args: []string{"name", "url", "token"},
		Summary: "Say where another kernel is, so that drifts can go there as kernel:context",
		Description: "It replaces the link of that name. The other kernel's owner makes the token with token_create; what a drift may do there is what that token may, and the policy of that kernel says the rest. " +
			"A server that answers and is another kernel is refused; one that does not answer now may do so later.",
		Scope: op.OnKernel, Right: kaijutsu.RightOwn, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("drift_link_set"),
	}, o.setLink)
}

func (o *operations) setLink(ctx context.Context, c op.Call, in driftLinkSetIn) (linkRow, error) {
	if o.parts.Links == nil {
		return linkRow{}, errNoLinks
	}
	s, err := o.parts.Links.Set(ctx, c, link.Link{Kernel: in.Name, URL: in.URL, Token: in.Token, Plain: in.Plain})
	return linkRowOf(s), err
}
