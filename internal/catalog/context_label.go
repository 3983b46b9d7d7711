package catalog

import (
	"context"

	"kaijutsu"
	"kaijutsu/internal/op"
)

type contextLabelIn struct {
	inContext
	Label string `json:"label" jsonschema:"The label: 1 to 63 of a to z, 0 to 9 and . _ + -, the first a letter or a digit, and nothing that looks like an id. Empty takes the label away." rule:"maxlen=63"`
}

func (o *operations) contextLabel() *op.Op {
	return define(o, op.Spec{
		Name: "context_label", Title: "Label a context", Command: []string{"ctx", "label"}, Args: []string{"context", "label"},
		Summary: "Give a context a short name that no other context has, or take it away",
		Description: "A context has one label at most: a new one takes the place of the old. Unlike a title it is unique on the kernel, and editors do not change it. " +
			"A label that another context has is refused; an archived context keeps its own, and that of a deleted one is free again.",
		Scope: op.OnContext, Right: kaijutsu.RightEdit, Effect: op.Writes, Repeatable: true,
		Examples: examplesOf("context_label"),
	}, o.labelContext)
}

func (o *operations) labelContext(ctx context.Context, c op.Call, in contextLabelIn) (contextRow, error) {
	doc, err := o.parts.Kernel.Resolve(ctx, c, in.Context, kaijutsu.RightEdit)
	if err != nil {
		return contextRow{}, err
	}
	info, err := o.parts.Kernel.SetLabel(ctx, c, doc, in.Label)
	if err != nil {
		return contextRow{}, err
	}
	return rowOf(info), nil
}
