package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/op"
)

// distilling is the parameters of an operation that makes a briefing.
type distilling struct {
	Focus     string `json:"focus,omitempty" jsonschema:"What the briefing is to answer above all. Default: nothing in particular." rule:"maxlen=1000"`
	Distiller string `json:"distiller,omitempty" jsonschema:"Who makes the briefing: extractive, which picks sentences and needs no model, or one that the server was given, as server_status lists. Default: the server's." rule:"maxlen=200"`
	Fallback  bool   `json:"fallback,omitempty" jsonschema:"Where the distiller fails, the extractive one does it. Default: it is an error, and nothing is written."`
}

// retriable is the parameter that makes a retry harmless.
type retriable struct {
	ID string `json:"id,omitempty" jsonschema:"An id for the drift, a UUID of yours: doing it again with the same one does no more than doing it once. Default: a fresh one." rule:"minlen=36,maxlen=36"`
}

type driftPushIn struct {
	To        string   `json:"to" jsonschema:"Where it goes: a context by its label, short id, id, title, or .parent; kernel:context for one of another kernel that there is a link to." rule:"minlen=1,maxlen=1100"`
	Context   string   `json:"context,omitempty" jsonschema:"The context that it comes from: .parent in the other parameters is what that was forked from. Default: the context of the call." rule:"maxlen=1000,alias=from"`
	Content   string   `json:"content,omitempty" jsonschema:"What it says, at most 256 KiB of UTF-8. With blocks it stands before them. Not with summarize."`
	Blocks    []string `json:"blocks,omitempty" jsonschema:"Blocks of the source context whose text is pushed; each cites itself. With summarize, only these are distilled." rule:"minitems=1,maxitems=64,alias=block"`
	Cite      []string `json:"cite,omitempty" jsonschema:"Handles of what the content rests on, as citation_create makes them: the text refers to them as [1], [2], in this order." rule:"minitems=1,maxitems=64"`
	Summarize bool     `json:"summarize,omitempty" jsonschema:"Push a briefing of the source context instead of a content."`
	distilling
	Stage bool   `json:"stage,omitempty" jsonschema:"Leave it in the queue until somebody flushes the source context. Default: deliver it now."`
	Act   bool   `json:"act,omitempty" jsonschema:"Ask the receiver to act on it. Its own policy decides."`
	Model string `json:"model,omitempty" jsonschema:"Which model says so. Default: that of the source context." rule:"maxlen=200"`
	Again bool   `json:"again,omitempty" jsonschema:"Push it also where this finding has been on its way. Default: that is a conflict."`
	retriable
}

func (o *operations) driftPush() *op.Op {
	return defineDrift(o, op.Spec{
		Name: "drift_push", Title: "Push a finding", Command: []string{"drift", "push"}, Args: []string{"to", "content…"},
		Summary: "Hand a finding on to another context: it is a block there, once, that says where it comes from",
		Description: "It is delivered before this returns, unless `stage` is true. The block is of kind drift and role system, is the last one of the target, and you are its author. " +
			"Its meta names the source context and its heads, the model, and what it cites; when cited lines change later, the block is marked stale.\n\n" +
			"It takes the right to read the source and to edit the target. A target that is unknown, ambiguous or not for you is an error, and nothing is staged. " +
			"When everything was in order and the delivery fails all the same, the drift is staged and the error says so.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Writes,
		Examples: examplesOf("drift_push"),
	}, o.pushDrift)
}

func (o *operations) pushDrift(ctx context.Context, c op.Call, in driftPushIn) (driftRow, error) {
	if err := in.check(); err != nil {
		return driftRow{}, err
	}
	c, from, err := o.within(ctx, c, in.Context)
	if err != nil {
		return driftRow{}, err
	}
	out, err := o.parts.Drift.Push(ctx, c, courier.Push{
		ID: in.ID, From: from, To: in.To, Content: in.Content, Blocks: in.Blocks, Cite: in.Cite,
		Stage: in.Stage, Summarize: in.Summarize, Focus: in.Focus, Distiller: in.Distiller, Fallback: in.Fallback,
		Act: in.Act, Model: in.Model, Again: in.Again,
	})
	if err != nil {
		return driftRow{}, err
	}
	return o.endpoints(c).outcome(ctx, out), nil
}

// check refuses parameters that do not go together.
func (in driftPushIn) check() error {
	switch {
	case in.Summarize && in.Content != "":
		return &op.FieldError{Field: "content", Reason: "a briefing is the content", Hint: "leave content out, or summarize"}
	case !in.Summarize && in.Content == "" && len(in.Blocks) == 0:
		return &op.FieldError{Field: "content", Reason: "Content required for direct push. Use --summarize for auto-summary"}
	case !in.Summarize && in.Focus != "":
		return &op.FieldError{Field: "focus", Reason: "it is for a briefing", Hint: "set summarize, or leave it out"}
	case !in.Summarize && in.Distiller != "":
		return &op.FieldError{Field: "distiller", Reason: "it is for a briefing", Hint: "set summarize, or leave it out"}
	case !in.Summarize && in.Fallback:
		return &op.FieldError{Field: "fallback", Reason: "it is for a briefing", Hint: "set summarize, or leave it out"}
	}
	return nil
}
