package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type nodeListIn struct{}

type nodeListOut struct {
	Nodes []NodeRow `json:"nodes" jsonschema:"The one that answers first."`
}

func (o *operations) nodeList() *op.Op {
	return define(o, op.Spec{
		Name: "node_list", Title: "List nodes", Command: []string{"node", "ls"},
		Summary:     "List the servers that hold this kernel together",
		Description: "Any of them opens any context. One that went away is listed for 20 seconds more.",
		Scope:       op.OnKernel, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("node_list"),
	}, func(ctx context.Context, _ op.Call, _ nodeListIn) (nodeListOut, error) {
		s, err := o.node(ctx)
		return nodeListOut{s.Nodes}, err
	})
}
