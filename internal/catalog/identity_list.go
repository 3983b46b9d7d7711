package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type identityListIn struct{}

type identityListOut struct {
	Identities []identityRow `json:"identities" jsonschema:"By kind and name: everybody of whom something is on record."`
}

func (o *operations) identityList() *op.Op {
	return define(o, op.Spec{
		Name: "identity_list", Title: "List identities", Command: []string{"identity", "ls"},
		Summary:     "List under which full names and addresses commits name people and agents",
		Description: "Who is not in the list is named by the name here. identity_set puts somebody on record.",
		Scope:       op.OnKernel, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("identity_list"),
	}, o.listIdentities)
}

func (o *operations) listIdentities(context.Context, op.Call, identityListIn) (identityListOut, error) {
	out := identityListOut{Identities: []identityRow{}}
	for _, i := range o.parts.Access.Identities() {
		out.Identities = append(out.Identities, identityRowOf(i))
	}
	return out, nil
}
