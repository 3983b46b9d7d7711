package catalog

import (
	"context"
	"encoding/json"

	"kaijutsu"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
)

type elicitAnswerIn struct {
	onBlock
	Action  string          `json:"action" jsonschema:"accept: yes, with the content that was asked for. decline: no. cancel: no answer is to come." rule:"enum=accept|decline|cancel"`
	Content json.RawMessage `json:"content,omitempty" jsonschema:"What is accepted: an object of the question's schema." rule:"object"`
}

func (o *operations) elicitAnswer() *op.Op {
	return define(o, op.Spec{
		Name: "elicit_answer", Title: "Answer a question", Command: []string{"elicit", "answer"}, Args: []string{"block_id", "action"},
		Summary: "Answer a question that was asked with elicit",
		Description: "The answer is written below the question, which is done then, and whoever waits for it gets it; the event elicitation.answered tells of it. " +
			"The first answer counts, on whichever server it is given: a second one is a conflict that names the first, and so is one to a question that has expired. " +
			"Content is held against the question's schema.",
		Scope: op.OnContext, Right: kaijutsu.RightEdit, Effect: op.Writes,
		Examples: examplesOf("elicit_answer"),
	}, o.answer)
}

func (o *operations) answer(ctx context.Context, c op.Call, in elicitAnswerIn) (elicitOut, error) {
	doc, id, err := o.parts.Kernel.ResolveBlock(ctx, c, in.Context, in.Block, kaijutsu.RightEdit)
	if err != nil {
		return elicitOut{}, err
	}
	out, err := o.parts.Kernel.AnswerElicit(ctx, c, doc, id, kernel.Reply{Action: in.Action, Content: in.Content})
	if err != nil {
		return elicitOut{}, err
	}
	return elicitOutOf(out), nil
}
