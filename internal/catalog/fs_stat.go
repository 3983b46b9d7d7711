package catalog

import (
	"context"
	"fmt"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type fsStatIn struct{ onPath }

func (o *operations) fsStat() *op.Op {
	return defineMounts(o, op.Spec{
		Name: "fs_stat", Title: "Describe a file", Command: []string{"fs", "stat"}, Args: []string{"path"},
		Summary:     "Say what stands at a path, without reading it",
		Description: "Of a link, the link is described.",
		Scope:       op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("fs_stat"),
	}, func(ctx context.Context, c op.Call, in fsStatIn) (entryRow, error) {
		i, err := o.parts.Mounts.Stat(ctx, c, in.Path)
		if err != nil {
			return entryRow{}, err
		}
		return entryRowOf(i), nil
	})
}

// standing returns what stands at a path, for the result of an operation that
// put it there.
func (o *operations) standing(ctx context.Context, c op.Call, path string) (entryRow, error) {
	i, err := o.parts.Mounts.Stat(ctx, c, path)
	if err != nil {
		return entryRow{}, fmt.Errorf("path %.200q was written, and then: %w", path, err)
	}
	return entryRowOf(i), nil
}
