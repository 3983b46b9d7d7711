package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/op"
)

type driftMergeIn struct {
	Context string `json:"context,omitempty" jsonschema:"The fork. Default: the context of the call." rule:"maxlen=1000,alias=fork"`
	distilling
	retriable
}

func (o *operations) driftMerge() *op.Op {
	return defineDrift(o, op.Spec{
		Name: "drift_merge", Title: "Merge a fork", Command: []string{"drift", "merge"}, Args: []string{"context"},
		Summary: "Tell a fork's parent what came of it: a briefing of the fork, as a block of the parent",
		Description: "Only the briefing travels: the blocks of the fork stay where they are, and the claims cite them. A context that was not forked from another has no parent, and cannot be merged.\n\n" +
			"It takes the right to read the fork and to edit its parent.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Writes,
		Examples: examplesOf("drift_merge"),
	}, o.mergeDrift)
}

func (o *operations) mergeDrift(ctx context.Context, c op.Call, in driftMergeIn) (driftRow, error) {
	if err := sourced(c, in.Context); err != nil {
		return driftRow{}, err
	}
	out, err := o.parts.Drift.Merge(ctx, c, courier.MergeSpec{ID: in.ID, Fork: in.Context, Focus: in.Focus, Distiller: in.Distiller, Fallback: in.Fallback})
	if err != nil {
		return driftRow{}, err
	}
	return o.endpoints(c).outcome(ctx, out), nil
}
