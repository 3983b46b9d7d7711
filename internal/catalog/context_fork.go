package catalog

import (
	"context"
	"strings"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/op"
	"kaijutsu/internal/repo"
)

type contextForkIn struct {
	inContext
	atMoment
	Title string `json:"title,omitempty" jsonschema:"The title of the fork. Default: that of its parent with (fork) behind it." rule:"maxlen=1000"`
	Label string `json:"label,omitempty" jsonschema:"A short name that no other context has, such as try-2: see context_label. Default: none; that of the parent stays the parent's." rule:"maxlen=63"`
}

func (o *operations) contextFork() *op.Op {
	return define(o, op.Spec{
		Name: "context_fork", Title: "Fork a context", Command: []string{"ctx", "fork"}, Args: []string{"context"},
		Summary: "Make a new context that begins with the history of another, as it is now or was at some moment",
		Description: "Blocks keep their ids, parents and authors. It costs the same few bytes however large the parent is. " +
			"From then on they go their own ways: an edit to one never shows in the other, and an editor cannot merge them by mistake. " +
			"Whoever has a role of their own in the parent has it in the fork too; you own the fork.",
		Scope: op.OnContext, Right: kaijutsu.RightRead, Effect: op.Writes,
		Examples: examplesOf("context_fork"),
	}, o.forkContext)
}

func (o *operations) forkContext(ctx context.Context, c op.Call, in contextForkIn) (contextRow, error) {
	doc, err := o.parts.Kernel.Resolve(ctx, c, in.Context, kaijutsu.RightRead)
	if err != nil {
		return contextRow{}, err
	}
	var heads kaijutsu.Heads
	if in.At != "" {
		err := o.parts.Kernel.View(ctx, c, doc, func(v repo.View) error {
			s, err := stateAt(v, "at", in.At)
			heads = s.heads
			return err
		})
		if err != nil {
			return contextRow{}, err
		}
	}
	title := in.Title
	if title == "" {
		parent, err := o.parts.Kernel.Context(ctx, c, doc)
		if err != nil {
			return contextRow{}, err
		}
		title = forkTitle(parent.Title)
	}
	info, err := o.parts.Kernel.ForkAs(ctx, c, doc, heads, kernel.NewContext{Title: title, Label: in.Label})
	if err != nil {
		return contextRow{}, err
	}
	return rowOf(info), nil
}

// forkTitle is the title of a fork that is given none: another than its
// parent's, so that both can be named.
func forkTitle(parent string) string {
	const behind, most = " (fork)", 1000 // code points, as the rules of titles say
	head, _ := cutRunes(parent, min(utf8.RuneCountInString(parent), most-len(behind)))
	return strings.TrimSpace(head + behind)
}
