package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
)

type contextModelIn struct {
	inContext
	Model    string `json:"model" jsonschema:"What the provider calls the model. Empty: it is not known any more." rule:"maxlen=200"`
	Provider string `json:"provider,omitempty" jsonschema:"Who serves the model, such as anthropic. Default: not said." rule:"maxlen=64"`
}

type contextModelOut struct {
	contextRow
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
}

func (o *operations) contextModel() *op.Op {
	return define(o, op.Spec{
		Name: "context_model", Title: "Say what a context's agent runs on", Command: []string{"ctx", "model"}, Args: []string{"context", "model"},
		Summary: "Note which language model the agent of a context runs on",
		Description: "It is a note, which context_get shows and what drifts from the context says; nothing is switched by it. " +
			"A fork begins without one.",
		Scope: op.OnContext, Right: kaijutsu.RightEdit, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("context_model"),
	}, o.modelOfContext)
}

func (o *operations) modelOfContext(ctx context.Context, c op.Call, in contextModelIn) (contextModelOut, error) {
	doc, err := o.parts.Kernel.Resolve(ctx, c, in.Context, kaijutsu.RightEdit)
	if err != nil {
		return contextModelOut{}, err
	}
	info, err := o.parts.Kernel.SetModel(ctx, c, doc, kernel.Model{Provider: in.Provider, Name: in.Model})
	if err != nil {
		return contextModelOut{}, err
	}
	return contextModelOut{rowOf(info), info.Model.Provider, info.Model.Name}, nil
}
