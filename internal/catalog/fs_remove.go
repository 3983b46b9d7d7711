package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type fsRemoveIn struct {
	onPath
	Recursive bool `json:"recursive,omitempty" jsonschema:"A directory with everything in it. Default: only an empty one."`
}

type fsRemoveOut struct {
	Path string `json:"path"`
}

func (o *operations) fsRemove() *op.Op {
	return defineMounts(o, op.Spec{
		Name: "fs_remove", Title: "Remove a file", Command: []string{"fs", "rm"}, Args: []string{"path"},
		Summary:     "Remove a file, a link or a directory",
		Description: "A file that is a block is a deleted block from then on: block_restore brings both back, with their history.",
		Scope:       op.OnContext, Right: kaijutsu.RightEdit, Effect: op.Destroys,
		Examples: examplesOf("fs_remove"),
	}, func(ctx context.Context, c op.Call, in fsRemoveIn) (fsRemoveOut, error) {
		if err := o.parts.Mounts.RemoveFile(ctx, c, in.Path, in.Recursive); err != nil {
			return fsRemoveOut{}, err
		}
		return fsRemoveOut{in.Path}, nil
	})
}
