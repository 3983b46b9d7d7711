package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/op"
)

type driftCancelIn struct{ oneItem }

func (o *operations) driftCancel() *op.Op {
	return defineDrift(o, op.Spec{
		Name: "drift_cancel", Title: "Cancel a drift", Command: []string{"drift", "cancel"}, Args: []string{"item"},
		Summary: "Take a drift out of the queue, for good",
		Description: "While a flush is under way the drift is either delivered, and the result says so and names the block, or it is gone; it never comes back. " +
			"It takes having staged it, or the right to edit its source. One that is not there is an error that lists the queue.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Destroys,
		Examples: examplesOf("drift_cancel"),
	}, o.cancelDrift)
}

func (o *operations) cancelDrift(ctx context.Context, c op.Call, in driftCancelIn) (driftRow, error) {
	s, err := o.parts.Drift.Cancel(ctx, c, in.Item)
	if err != nil {
		return driftRow{}, o.withQueue(ctx, c, in.Item, err)
	}
	return o.endpoints(c).shown(ctx, s), nil
}

// withQueue adds what waits to the error that an item is not there.
func (o *operations) withQueue(ctx context.Context, c op.Call, item string, err error) error {
	if !errors.Is(err, kaijutsu.ErrNotFound) {
		return err
	}
	all, listErr := o.parts.Drift.Queue(ctx, c, courier.Filter{})
	if listErr != nil {
		return err
	}
	lines := o.itemLines(ctx, c, all)
	if len(lines) == 0 {
		lines = []string{"No staged drifts."}
	}
	return &unstaged{fmt.Sprintf("Staged drift %s not found; the queue:\n%s", called(item), strings.Join(lines, "\n"))}
}

// itemLines lists the first of some items, a line each.
func (o *operations) itemLines(ctx context.Context, c op.Call, all []courier.Shown) (lines []string) {
	const most = 10
	p := o.endpoints(c)
	for i, s := range all {
		if i == most {
			lines = append(lines, fmt.Sprintf("… (%d in all)", len(all)))
			break
		}
		to := p.to(ctx, s.Item)
		name := to.Title
		if name == "" {
			name = to.ID
		}
		lines = append(lines, fmt.Sprintf("#%d → %s: %s", s.Number, beginning(name, 40), beginning(s.Preview, 60)))
	}
	return lines
}

// called puts a # before a number.
func called(item string) string {
	if strings.Trim(item, "0123456789") == "" {
		return "#" + item
	}
	return item
}

// unstaged says that an item is not there.
type unstaged struct{ text string }

func (e *unstaged) Error() string { return e.text }

// Unwrap returns kaijutsu.ErrNotFound.
func (e *unstaged) Unwrap() error { return kaijutsu.ErrNotFound }

// Field returns the parameter that it is about.
func (e *unstaged) Field() string { return "item" }
