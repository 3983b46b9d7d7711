package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type fsResolveIn struct {
	onPath
	Take string `json:"take" jsonschema:"Which text counts. block: that of the block. disk: that of the file. merged: both, with git's conflict marks where they contradict each other." rule:"enum=block|disk|merged"`
}

type fsResolveOut struct {
	Path  string `json:"path"`
	Taken string `json:"taken"`
}

func (o *operations) fsResolve() *op.Op {
	return defineMounts(o, op.Spec{
		Name: "fs_resolve", Title: "Settle a conflict", Command: []string{"fs", "resolve"}, Args: []string{"path", "take"},
		Summary: "Say which text counts where a block and its file contradict each other",
		Description: "When a file changes on the disk while its block has edits that the disk has not, both are merged by lines. Lines that both changed in different ways are a conflict: " +
			"a block below the file's shows it, and the file is not written until it is settled. It is settled also when both become the same, when the disk goes back, and when the block that shows it is deleted: the file's block counts then.",
		Scope: op.OnContext, Right: kaijutsu.RightEdit, Effect: op.Writes,
		// what it takes is two who write at once: TestTheExampleOfAConflict runs it
		Examples: []op.Example{{Text: "Let what the block holds count", In: `{"path":"/mnt/app/README.md","take":"block"}`}},
	}, func(ctx context.Context, c op.Call, in fsResolveIn) (fsResolveOut, error) {
		if err := o.parts.Mounts.Resolve(ctx, c, in.Path, in.Take); err != nil {
			return fsResolveOut{}, err
		}
		return fsResolveOut{in.Path, in.Take}, nil
	})
}
