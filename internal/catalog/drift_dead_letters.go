package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type driftDeadLettersIn struct{}

func (o *operations) driftDeadLetters() *op.Op {
	return defineDrift(o, op.Spec{
		Name: "drift_dead_letters", Title: "List dead letters", Command: []string{"drift", "dead"},
		Summary: "List the drifts that could not be delivered, and why",
		Description: "A drift is dead when five deliveries have failed, or when another kernel has refused it. It is kept until drift_replay delivers it or drift_cancel takes it away. " +
			"The next flush puts a copy of it into the context lost+found, which the kernel's owners read.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("drift_dead_letters"),
	}, o.listDeadLetters)
}

func (o *operations) listDeadLetters(ctx context.Context, c op.Call, _ driftDeadLettersIn) (itemList, error) {
	all, err := o.parts.Drift.DeadLetters(ctx, c)
	if err != nil {
		return itemList{}, err
	}
	return o.endpoints(c).list(ctx, all), nil
}
