package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type roleListIn struct {
	Context string `json:"context,omitempty" jsonschema:"The context: its id, its automerge: URL or its title. Default: the kernel." rule:"maxlen=1000"`
}

type roleListOut struct {
	Roles []roleRow `json:"roles"`
}

func (o *operations) roleList() *op.Op {
	return define(o, op.Spec{
		Name: "role_list", Title: "List roles", Command: []string{"role", "ls"}, Args: []string{"context"},
		Summary:     "List who may do what, with the kernel or with one context",
		Description: "Of a context the roles that it grants itself; who is not listed has the role on the kernel.",
		Scope:       op.OnContext, Right: kaijutsu.RightOwn, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("role_list"),
	}, o.listRoles)
}

func (o *operations) listRoles(ctx context.Context, c op.Call, in roleListIn) (roleListOut, error) {
	out := roleListOut{Roles: []roleRow{}}
	if in.Context == "" {
		if err := needKernel(c); err != nil {
			return out, err
		}
		for _, m := range o.parts.Access.Members() {
			out.Roles = append(out.Roles, kernelRole(m))
		}
		return out, nil
	}
	doc, err := o.parts.Kernel.Resolve(ctx, c, in.Context, kaijutsu.RightOwn)
	if err != nil {
		return out, err
	}
	for _, g := range o.parts.Access.Grants(doc) {
		out.Roles = append(out.Roles, roleRow{g.Principal.Name, string(g.Principal.Kind), g.Right.String(), doc.Name()})
	}
	return out, nil
}
