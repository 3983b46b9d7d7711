package catalog

import (
	"context"
	"encoding/json"
	"time"

	"kaijutsu"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
)

// How long one call of elicit waits, and what it leaves of the time that a
// call may take for saying what came of it.
const (
	elicitWait  = 50 * time.Second
	elicitSpare = 2 * time.Second
)

type elicitIn struct {
	inContext
	Message string          `json:"message,omitempty" jsonschema:"What you want to know, for people to read." rule:"minlen=1,maxlen=8000"`
	Schema  json.RawMessage `json:"schema,omitempty" jsonschema:"The JSON schema of the answer's content: that of an object, without references. Default: any object, or none." rule:"object"`
	Timeout int             `json:"timeout_s,omitempty" jsonschema:"How many seconds the question waits for its answer." rule:"min=1,max=86400,default=300"`
	Wait    bool            `json:"wait,omitempty" jsonschema:"Wait for the answer, up to 50 seconds in one call; if there is none yet, ask again by block_id." rule:"default=true"`
	Present bool            `json:"if_present,omitempty" jsonschema:"Ask only while somebody who could answer has a seat at the context. Else it is a decline at once, unavailable, and nothing is asked."`
	Block   string          `json:"block_id,omitempty" jsonschema:"Instead of a message: a question that was asked, to hear what came of it." rule:"minlen=6,maxlen=36"`
}

// elicitOut is what came of a question.
type elicitOut struct {
	Context string          `json:"context"`
	Block   string          `json:"block_id,omitempty" jsonschema:"The block of the question. Absent: nothing was asked."`
	Pending bool            `json:"pending" jsonschema:"Nobody has answered yet."`
	Action  string          `json:"action,omitempty" jsonschema:"accept, decline or cancel. Absent while it is pending."`
	Reason  string          `json:"reason,omitempty" jsonschema:"Why: answered, denied, cancelled, expired (nobody answered in time) or unavailable (nobody was there who could answer, and nothing was asked)."`
	Content json.RawMessage `json:"content,omitempty" jsonschema:"What was accepted."`
	By      string          `json:"by,omitempty" jsonschema:"Who answered."`
	Answer  string          `json:"answer_id,omitempty" jsonschema:"The block of the answer, below the question."`
	Expires string          `json:"expires,omitempty" jsonschema:"When its time is over, to the millisecond."`
}

func (o *operations) elicit() *op.Op {
	return define(o, op.Spec{
		Name: "elicit", Title: "Ask and wait for an answer", Command: []string{"elicit", "ask"}, Args: []string{"message…"},
		Summary: "Ask whoever is at a context, and wait for the answer",
		Description: "The question is a block of kind query that is pending until somebody answers with elicit_answer; the event elicitation.request tells of it. The first answer counts. " +
			"The action is accept, decline or cancel, and the reason says why: " +
			"answered, denied or cancelled by somebody; expired when nobody answered within timeout_s, which is a decline; " +
			"unavailable with if_present when nobody has a seat at the context who could answer, which is a decline at once and asks nothing. " +
			"Whoever may edit the context may answer.\n\n" +
			"A question does not depend on who asked it: call again with its block_id to hear what came of it.",
		Scope: op.OnContext, Right: kaijutsu.RightEdit, Effect: op.Writes,
		Examples: examplesOf("elicit"),
	}, o.ask)
}

func (o *operations) ask(ctx context.Context, c op.Call, in elicitIn) (elicitOut, error) {
	var out kernel.Outcome
	switch {
	case in.Block != "" && (in.Message != "" || in.Schema != nil || in.Present):
		return elicitOut{}, &op.FieldError{Field: "block_id", Reason: "a question that was asked already has its message, schema and condition", Hint: "give block_id alone, or message"}
	case in.Block != "":
		doc, id, err := o.parts.Kernel.ResolveBlock(ctx, c, in.Context, in.Block, kaijutsu.RightRead)
		if err != nil {
			return elicitOut{}, err
		}
		if out, err = o.parts.Kernel.Outcome(ctx, c, doc, id); err != nil {
			return elicitOut{}, err
		}
	case in.Message == "":
		return elicitOut{}, &op.FieldError{Field: "message", Reason: "is required", Hint: "say what you want to know, or name the block_id of a question"}
	default:
		doc, err := o.parts.Kernel.Resolve(ctx, c, in.Context, kaijutsu.RightEdit)
		if err != nil {
			return elicitOut{}, err
		}
		q := kernel.Question{Message: in.Message, Schema: in.Schema, For: time.Duration(in.Timeout) * time.Second, IfPresent: in.Present}
		if out, err = o.parts.Kernel.Ask(ctx, c, doc, q); err != nil {
			return elicitOut{}, err
		}
	}
	if !in.Wait || !out.Pending {
		return elicitOutOf(out), nil
	}
	wait, cancel := context.WithTimeout(ctx, elicitWait)
	defer cancel()
	if until, ok := ctx.Deadline(); ok {
		wait, cancel = context.WithDeadline(wait, until.Add(-elicitSpare))
		defer cancel()
	}
	out, err := o.parts.Kernel.AwaitAnswer(wait, c, out.Context, out.Block)
	if err == nil {
		err = ctx.Err()
	}
	return elicitOutOf(out), err
}

func elicitOutOf(out kernel.Outcome) elicitOut {
	o := elicitOut{
		Context: out.Context.Name(), Block: string(out.Block), Pending: out.Pending, Action: out.Action, Reason: out.Reason,
		Content: out.Content, By: out.By, Answer: string(out.Answer),
	}
	if !out.Expires.IsZero() {
		o.Expires = out.Expires.UTC().Format(kernel.ExpiresLayout)
	}
	return o
}
