package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/op"
)

type driftQueueIn struct {
	From  string `json:"from,omitempty" jsonschema:"Only what comes from this context. Default: from any." rule:"maxlen=1000"`
	State string `json:"state,omitempty" jsonschema:"Only what is in this state. Default: what is staged, held or offered; for dead letters there is drift_dead_letters." rule:"enum=staged|held|offered|dead"`
}

func (o *operations) driftQueue() *op.Op {
	return defineDrift(o, op.Spec{
		Name: "drift_queue", Title: "List staged drifts", Command: []string{"drift", "queue"},
		Summary: "List the drifts that wait, by number",
		Description: "An item is there for who staged it, for who may edit its source and, when it is held for consent, for who may edit its target; owners of the kernel see all. " +
			"`content` is how it begins, in one line; drift_show has all of it.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("drift_queue"),
	}, o.queueDrifts)
}

func (o *operations) queueDrifts(ctx context.Context, c op.Call, in driftQueueIn) (itemList, error) {
	all, err := o.parts.Drift.Queue(ctx, c, courier.Filter{From: in.From, State: drift.State(in.State)})
	if err != nil {
		return itemList{}, err
	}
	return o.endpoints(c).list(ctx, all), nil
}
