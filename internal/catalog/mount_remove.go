package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
)

type mountRemoveIn struct {
	Mount    string `json:"mount" jsonschema:"The mount: its path." rule:"minlen=1,maxlen=1024,alias=path"`
	Worktree bool   `json:"worktree,omitempty" jsonschema:"Of a git mount: take its worktree off the disk too. It is refused while something in it is not committed."`
	Force    bool   `json:"force,omitempty" jsonschema:"With worktree: take it away all the same. What is not committed is lost on the disk; blocks stay."`
}

type mountRemoveOut struct {
	Path   string `json:"path"`
	Source string `json:"source"`
	Kind   string `json:"kind"`
	Dir    string `json:"dir,omitempty" jsonschema:"The worktree that stays on the disk. Owners of the kernel are told."`
	Notice string `json:"notice,omitempty"`
}

func (o *operations) mountRemove() *op.Op {
	return defineMounts(o, op.Spec{
		Name: "mount_remove", Title: "Unmount", Command: []string{"umount"}, Args: []string{"mount"},
		Summary: "Take a mount out of the file tree",
		Description: "What waits is written to the disk first. Folders and repositories stay as they are, and so do contexts with their blocks: the same mount again goes on with them. " +
			"A mount of memory is empty from then on.",
		Scope: op.OnKernel, Right: kaijutsu.RightOwn, Effect: op.Destroys, Repeatable: true,
		Examples: examplesOf("mount_remove"),
	}, o.removeMount)
}

func (o *operations) removeMount(ctx context.Context, c op.Call, in mountRemoveIn) (mountRemoveOut, error) {
	if in.Force && !in.Worktree {
		return mountRemoveOut{}, &op.FieldError{Field: "force", Reason: "it is for taking a worktree away", Hint: "add worktree, or leave it out"}
	}
	m, err := o.parts.Mounts.Remove(ctx, c, mounts.RemoveSpec{Mount: in.Mount, Worktree: in.Worktree, Force: in.Force})
	if err != nil {
		return mountRemoveOut{}, err
	}
	out := mountRemoveOut{Path: m.Path, Source: m.Source, Kind: m.Kind, Notice: m.Notice}
	if m.Kind == "git" && !in.Worktree {
		out.Dir = m.Dir
	}
	return out, nil
}
