package mcpdoor

import (
	"context"
	"log/slog"
)

// demoted returns a log for the library: what it calls errors are faults of
// clients, and what it calls information is every step of every session.
func demoted(log *slog.Logger) *slog.Logger { return slog.New(debugHandler{log.Handler()}) }

// debugHandler logs everything at the level of debugging.
type debugHandler struct{ slog.Handler }

func (h debugHandler) Enabled(ctx context.Context, _ slog.Level) bool {
	return h.Handler.Enabled(ctx, slog.LevelDebug)
}

func (h debugHandler) Handle(ctx context.Context, r slog.Record) error {
	r.Level = slog.LevelDebug
	return h.Handler.Handle(ctx, r)
}

func (h debugHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return debugHandler{h.Handler.WithAttrs(attrs)}
}

func (h debugHandler) WithGroup(name string) slog.Handler {
	return debugHandler{h.Handler.WithGroup(name)}
}
