package catalog

import (
	"bytes"
	"context"
	"encoding/json"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type elicitListIn struct {
	Limit int `json:"limit,omitempty" jsonschema:"How many to return at most." rule:"min=1,max=1000,default=100"`
}

type questionRow struct {
	Context    string          `json:"context"`
	Title      string          `json:"title,omitempty" jsonschema:"Of the context."`
	Block      string          `json:"block_id" jsonschema:"The block of the question: elicit_answer takes it."`
	By         string          `json:"by,omitempty" jsonschema:"Who asks, as the question says."`
	Message    string          `json:"message"`
	Schema     json.RawMessage `json:"schema,omitempty" jsonschema:"The JSON schema of the answer's content. Absent: any object, or none." rule:"object"`
	Asked      string          `json:"asked,omitempty"`
	Expires    string          `json:"expires" jsonschema:"When its time is over."`
	Answerable bool            `json:"answerable" jsonschema:"The caller may answer it."`
}

type elicitListOut struct {
	Questions []questionRow `json:"questions" jsonschema:"The one whose time is over first comes first."`
}

func (o *operations) elicitList() *op.Op {
	return define(o, op.Spec{
		Name: "elicit_list", Title: "List questions", Command: []string{"elicit", "ls"},
		Summary:     "List the questions that wait for an answer, in all contexts that the caller may read",
		Description: "The events elicitation.request and elicitation.answered tell when the list is another.",
		Scope:       op.OnContext, Right: kaijutsu.RightRead, Effect: op.Reads, Repeatable: true,
		Examples: examplesOf("elicit_list"),
	}, o.listQuestions)
}

func (o *operations) listQuestions(ctx context.Context, c op.Call, in elicitListIn) (elicitListOut, error) {
	out := elicitListOut{Questions: []questionRow{}}
	all, err := o.parts.Kernel.Questions(ctx, c, in.Limit)
	if err != nil {
		return out, err
	}
	for _, q := range all {
		row := questionRow{
			Context: q.Context.Name(), Block: string(q.Block), By: q.By, Message: q.Message,
			Asked: timeText(q.Asked), Expires: timeText(q.Expires), Answerable: q.Answerable,
		}
		if bytes.HasPrefix(bytes.TrimSpace(q.Schema), []byte("{")) {
			row.Schema = q.Schema
		}
		if info, err := o.parts.Kernel.Context(ctx, c, q.Context); err == nil {
			row.Title = info.Title
		}
		out.Questions = append(out.Questions, row)
	}
	return out, nil
}
