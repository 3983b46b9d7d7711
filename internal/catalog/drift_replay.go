package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type driftReplayIn struct {
	Item string `json:"item" jsonschema:"The dead letter: its number, such as 3, its id, or the beginning of that from 6 characters on; all for every one that you may cancel." rule:"numeric,minlen=1,maxlen=36,alias=drift"`
	To   string `json:"to,omitempty" jsonschema:"Send it there instead. Default: where it was to go." rule:"maxlen=1100"`
}

func (o *operations) driftReplay() *op.Op {
	return defineDrift(o, op.Spec{
		Name: "drift_replay", Title: "Replay a dead letter", Command: []string{"drift", "replay"}, Args: []string{"item"},
		Summary: "Try to deliver a dead letter again, to where it was to go or elsewhere",
		Description: "Its failures count from 0 again. It is delivered by the rights that its stager has now. What fails stays a dead letter or staged, as its state says; of all, each with its last error.\n\n" +
			"It takes having staged it, or the right to edit its source.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Writes,
		Examples: examplesOf("drift_replay"),
	}, o.replayDrift)
}

func (o *operations) replayDrift(ctx context.Context, c op.Call, in driftReplayIn) (itemList, error) {
	all, err := o.parts.Drift.Replay(ctx, c, in.Item, in.To)
	if err != nil && (in.Item != "all" || len(all) == 0) {
		return itemList{}, o.withDead(ctx, c, in.Item, err)
	}
	p, out := o.endpoints(c), itemList{Items: make([]driftRow, 0, len(all))}
	for _, one := range all {
		out.Items = append(out.Items, p.outcome(ctx, one))
	}
	return out, nil
}

// withDead adds the dead letters to the error that one is not there.
func (o *operations) withDead(ctx context.Context, c op.Call, item string, err error) error {
	_, missing := o.parts.Drift.Show(ctx, c, item)
	if !errors.Is(err, kaijutsu.ErrNotFound) || !errors.Is(missing, kaijutsu.ErrNotFound) {
		return err
	}
	all, listErr := o.parts.Drift.DeadLetters(ctx, c)
	if listErr != nil {
		return err
	}
	lines := o.itemLines(ctx, c, all)
	if len(lines) == 0 {
		lines = []string{"No dead letters."}
	}
	return &unstaged{fmt.Sprintf("Dead letter %s not found; there are:\n%s", called(item), strings.Join(lines, "\n"))}
}
