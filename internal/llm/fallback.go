package llm

import (
	"context"
	"strings"

	"kaijutsu/drift"
)

// Fallback returns a distiller that makes an extract where d fails, and says so
// and why in the first line of the briefing: it is for callers that would rather have that than an
// error. When the caller's context has ended there is no briefing.
func Fallback(d drift.Distiller) drift.Distiller { return fallback{d, drift.Extractive()} }

type fallback struct{ first, second drift.Distiller }

// Name is that of the first choice.
func (f fallback) Name() string { return f.first.Name() }

func (f fallback) Distil(ctx context.Context, req drift.Request) (drift.Briefing, error) {
	b, err := f.first.Distil(ctx, req)
	if err == nil || ctx.Err() != nil {
		return b, err
	}
	why := err
	if b, err = f.second.Distil(ctx, req); err != nil {
		return drift.Briefing{}, err
	}
	b.Text = "> An extract, because the model failed: " + strings.ReplaceAll(why.Error(), "\n", " ") + "\n\n" + b.Text
	return b, nil
}
