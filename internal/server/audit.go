package server

import (
	"context"
	"log/slog"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// audit writes down a call when it is over: refused ones, and those that cannot
// be taken back or say who may do what, where somebody reads it; the rest for
// debugging. Parameters and what errors quote of blocks stay out.
func (s *Server) audit(r op.Record) {
	level, message := slog.LevelDebug, "operation done"
	if r.Effect == op.Destroys || r.Effect == op.Writes && r.Right >= kaijutsu.RightOwn {
		level = slog.LevelInfo
	}
	attrs := []slog.Attr{
		slog.String("op", r.Op), slog.Any("principal", r.Call.By), slog.String("door", r.Call.Door), slog.Duration("dur", r.Took),
	}
	if r.Call.Session != "" {
		attrs = append(attrs, slog.String("session", r.Call.Session))
	}
	if r.Problem != nil {
		message = "operation failed"
		attrs = append(attrs, slog.String("kind", r.Problem.Kind))
		if r.Problem.Field != "" {
			attrs = append(attrs, slog.String("field", r.Problem.Field))
		}
		if r.Problem.Ref != "" {
			attrs = append(attrs, slog.String("ref", r.Problem.Ref))
		}
	}
	if r.Problem != nil && r.Problem.Kind == "denied" {
		level, message = slog.LevelInfo, "operation refused"
		attrs = append(attrs, slog.Any("err", r.Err)) // it says who lacks what
	}
	s.log.LogAttrs(context.Background(), level, message, attrs...)
}
