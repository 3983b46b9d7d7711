package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type driftShowIn struct{ oneItem }

func (o *operations) driftShow() *op.Op {
	return defineDrift(o, op.Spec{
		Name: "drift_show", Title: "Show a drift", Command: []string{"drift", "show"}, Args: []string{"item"},
		Summary: "Show a drift that waits or is a dead letter: all of its content, and what it cites",
		Description: "What was delivered is a block of its target and no item any more: block_read shows that.\n\n" +
			"It is there for who staged it, for who may edit its source and, when it is held for consent, for who may edit its target.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("drift_show"),
	}, o.showDrift)
}

func (o *operations) showDrift(ctx context.Context, c op.Call, in driftShowIn) (driftRow, error) {
	s, err := o.parts.Drift.Show(ctx, c, in.Item)
	if err != nil {
		return driftRow{}, o.withQueue(ctx, c, in.Item, err)
	}
	row := o.endpoints(c).shown(ctx, s)
	row.Content, row.Citations = s.Content, citationRows(s.Meta.Citations)
	return row, nil
}
