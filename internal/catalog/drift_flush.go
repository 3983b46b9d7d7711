package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type driftFlushIn struct {
	Context string `json:"context,omitempty" jsonschema:"The context whose staged drifts are delivered. Default: the context of the call." rule:"maxlen=1000,alias=from"`
}

type flushedRow struct {
	Drift     string   `json:"drift"`
	Number    uint64   `json:"number,omitempty"`
	State     string   `json:"state" jsonschema:"delivered; staged: it failed and stays; dead: it failed for the last time; offered: another kernel holds it."`
	To        endpoint `json:"to"`
	Block     string   `json:"block_id,omitempty"`
	LastError string   `json:"last_error,omitempty"`
}

type driftFlushOut struct {
	From       endpoint     `json:"from"`
	Delivered  int          `json:"delivered" jsonschema:"How many are blocks now."`
	Failed     int          `json:"failed" jsonschema:"How many could not be delivered, and stay staged."`
	Dead       int          `json:"dead" jsonschema:"How many failed for the fifth time, or were refused: drift_dead_letters lists them."`
	Held       int          `json:"held" jsonschema:"How many wait for consent in another kernel."`
	Left       int          `json:"left,omitempty" jsonschema:"How many are not done yet."`
	Background bool         `json:"background,omitempty" jsonschema:"The rest is being delivered; drift_queue shows what is left."`
	LostFound  int          `json:"lost_found,omitempty" jsonschema:"How many dead letters were copied to the context lost+found."`
	Items      []flushedRow `json:"items" jsonschema:"The first hundred, by number."`
}

func (o *operations) driftFlush() *op.Op {
	return defineDrift(o, op.Spec{
		Name: "drift_flush", Title: "Flush staged drifts", Command: []string{"drift", "flush"},
		Summary: "Deliver all staged drifts that come from a context, in the order of their numbers",
		Description: "What merely goes to the context is left to its own source. Each is delivered by the rights that its stager has now, who is the author of the block, whoever flushes. " +
			"What cannot be delivered stays staged; the fifth failure makes it a dead letter. With nothing staged it succeeds and does nothing. A server that is killed meanwhile goes on with it when it is back: each becomes one block.\n\n" +
			"It takes the right to edit the context.",
		Scope: op.OnContext, Right: kaijutsu.RightEdit, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("drift_flush"),
	}, o.flushDrifts)
}

func (o *operations) flushDrifts(ctx context.Context, c op.Call, in driftFlushIn) (driftFlushOut, error) {
	if err := sourced(c, in.Context); err != nil {
		return driftFlushOut{}, err
	}
	f, err := o.parts.Drift.Flush(ctx, c, in.Context)
	if err != nil {
		return driftFlushOut{}, err
	}
	p := o.endpoints(c)
	out := driftFlushOut{
		From: p.of(ctx, f.Source), Delivered: f.Delivered, Failed: f.Failed, Dead: f.Dead, Held: f.Held,
		Left: f.Left, Background: f.Background, LostFound: f.LostFound, Items: make([]flushedRow, 0, len(f.Items)),
	}
	for _, d := range f.Items {
		out.Items = append(out.Items, flushedRow{d.ID, d.Number, string(d.State), p.of(ctx, d.Target), string(d.Block), d.Reason})
	}
	return out, nil
}
