package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type fsRenameIn struct {
	From string `json:"from" jsonschema:"The file or directory, by its path in the file tree." rule:"minlen=1,maxlen=4096"`
	To   string `json:"to" jsonschema:"The path that it is to have, in the same mount. A file that is there is replaced." rule:"minlen=1,maxlen=4096"`
}

func (o *operations) fsRename() *op.Op {
	return defineMounts(o, op.Spec{
		Name: "fs_rename", Title: "Rename a file", Command: []string{"fs", "mv"}, Args: []string{"from", "to"},
		Summary:     "Give a file or a directory another path",
		Description: "A block stays the same block, so that its lines keep their authors. It is refused from one mount into another: write a copy there and remove the original.",
		Scope:       op.OnContext, Right: kaijutsu.RightEdit, Effect: op.Writes,
		Examples: examplesOf("fs_rename"),
	}, func(ctx context.Context, c op.Call, in fsRenameIn) (entryRow, error) {
		if err := o.parts.Mounts.Rename(ctx, c, in.From, in.To); err != nil {
			return entryRow{}, err
		}
		return o.standing(ctx, c, in.To)
	})
}
