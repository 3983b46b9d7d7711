package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type fsMkdirIn struct{ onPath }

func (o *operations) fsMkdir() *op.Op {
	return defineMounts(o, op.Spec{
		Name: "fs_mkdir", Title: "Make a directory", Command: []string{"fs", "mkdir"}, Args: []string{"path"},
		Summary:     "Make a directory, and those above it that are missing",
		Description: "One that is there already is a conflict. Git keeps no empty directories.",
		Scope:       op.OnContext, Right: kaijutsu.RightEdit, Effect: op.Writes,
		Examples: examplesOf("fs_mkdir"),
	}, func(ctx context.Context, c op.Call, in fsMkdirIn) (entryRow, error) {
		if err := o.parts.Mounts.Mkdir(ctx, c, in.Path); err != nil {
			return entryRow{}, err
		}
		return o.standing(ctx, c, in.Path)
	})
}
