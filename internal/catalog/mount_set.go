package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
)

type mountSetIn struct {
	Mount  string  `json:"mount" jsonschema:"The mount: its path." rule:"minlen=1,maxlen=1024,alias=path"`
	RW     *bool   `json:"rw,omitempty" jsonschema:"Whether it may be written to. Default: as it is."`
	DiskAs *string `json:"disk_as,omitempty" jsonschema:"The name of whose edits those are that programs make on the disk; empty: of the service disk. Default: as it is." rule:"maxlen=64"`
	commitPolicy
}

func (o *operations) mountSet() *op.Op {
	return defineMounts(o, op.Spec{
		Name: "mount_set", Title: "Change a mount", Command: []string{"mount", "set"}, Args: []string{"mount"},
		Summary:     "Say whether a mount may be written to, and what its commits tell",
		Description: "What is left out stays as it is. It counts from now on, also for edits that wait to be written to the disk.",
		Scope:       op.OnKernel, Right: kaijutsu.RightOwn, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("mount_set"),
	}, o.setMount)
}

func (o *operations) setMount(ctx context.Context, c op.Call, in mountSetIn) (mountRow, error) {
	spec := mounts.SetSpec{
		Mount: in.Mount, ReadWrite: in.RW, Trailers: given(in.Trailers), Notes: given(in.Notes), Author: given(in.commitPolicy.Author),
	}
	if in.DiskAs != nil {
		as, err := o.principal("disk_as", *in.DiskAs, kaijutsu.Principal{})
		if err != nil {
			return mountRow{}, err
		}
		spec.DiskAs = &as
	}
	m, err := o.parts.Mounts.Set(ctx, c, spec)
	if err != nil {
		return mountRow{}, err
	}
	return mountRowOf(m), nil
}

// given returns a word that was said, nil for none.
func given(word string) *string {
	if word == "" {
		return nil
	}
	return &word
}
