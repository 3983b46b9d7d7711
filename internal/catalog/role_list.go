package catalog

import (
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
	return op.Define(op.Spec{
		Name: "role_list", Title: "List roles", Command: []string{"role", "ls"}, Args: []string{"context"},
		Summary:     "List who may do what, with the kernel or with one context",
		Description: "Of a context the roles that it grants itself; who is not listed has the role on the kernel.",
		Scope:       op.OnContext, Right: kaijutsu.RightOwn, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("role_list"),
	}, o.listRoles)
}
