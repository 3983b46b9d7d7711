package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/op"
)

type driftPullIn struct {
	From    string `json:"from" jsonschema:"The context that is read." rule:"minlen=1,maxlen=1000"`
	Context string `json:"context,omitempty" jsonschema:"The context that gets the briefing: .parent in from is what that was forked from. Default: the context of the call." rule:"maxlen=1000,alias=into"`
	distilling
	retriable
}

func (o *operations) driftPull() *op.Op {
	return defineDrift(o, op.Spec{
		Name: "drift_pull", Title: "Pull a briefing", Command: []string{"drift", "pull"}, Args: []string{"from", "focus…"},
		Summary: "Have another context distilled, with a question perhaps, into the context that you work in",
		Description: "The briefing is a drift block of which you are the author; its claims cite blocks of the other context. " +
			"A context cannot be pulled from itself, nor one that says nothing. When the distiller fails, that is an error and nothing is written, unless `fallback` is true.\n\n" +
			"It takes the right to read the one and to edit the other.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Writes,
		Examples: examplesOf("drift_pull"),
	}, o.pullDrift)
}

func (o *operations) pullDrift(ctx context.Context, c op.Call, in driftPullIn) (driftRow, error) {
	c, into, err := o.within(ctx, c, in.Context)
	if err != nil {
		return driftRow{}, err
	}
	out, err := o.parts.Drift.Pull(ctx, c, courier.PullSpec{
		ID: in.ID, From: in.From, Into: into, Focus: in.Focus, Distiller: in.Distiller, Fallback: in.Fallback,
	})
	if err != nil {
		return driftRow{}, err
	}
	return o.endpoints(c).outcome(ctx, out), nil
}
