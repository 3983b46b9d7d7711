package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type mountListIn struct{}

type mountListOut struct {
	Mounts []mountRow `json:"mounts" jsonschema:"By path."`
}

func (o *operations) mountList() *op.Op {
	return defineMounts(o, op.Spec{
		Name: "mount_list", Title: "List mounts", Command: []string{"mount", "ls"},
		Summary:     "List what is mounted, and how it fares",
		Description: "Mounts of other nodes are in the list too. A git mount whose context the caller may not read is not.",
		Scope:       op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("mount_list"),
	}, o.listMounts)
}

func (o *operations) listMounts(ctx context.Context, c op.Call, _ mountListIn) (mountListOut, error) {
	out := mountListOut{Mounts: []mountRow{}}
	for _, m := range o.parts.Mounts.List(ctx, c) {
		out.Mounts = append(out.Mounts, mountRowOf(m))
	}
	return out, nil
}
