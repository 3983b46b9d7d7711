package server

import (
	"log/slog"
	"time"

	"kaijutsu/drift"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/llm"
)

// openDistillers returns those that briefings may be asked of: the extractive
// one, which is the default as long as no model is configured, and the model,
// which goes by "llm" and by the name of its provider. The error wraps
// kaijutsu.ErrInvalid.
func openDistillers(cfg llm.Config, log *slog.Logger, now func() time.Time) (courier.Distillers, error) {
	extract := drift.Extractive()
	out := courier.Distillers{Default: extract, ByName: map[string]drift.Distiller{"extractive": extract}}
	if cfg.Provider == "" {
		return out, nil
	}
	cfg.Log, cfg.Now = log, now
	model, err := llm.Open(cfg)
	if err != nil {
		return out, err
	}
	out.Default = model
	out.ByName["llm"], out.ByName[cfg.Provider] = model, model
	return out, nil
}

// Distiller names who makes briefings where nobody is named: "extractive", or
// provider and model. Never a key.
func (s *Server) Distiller() string {
	if s.cfg.LLM.Provider == "" {
		return "extractive"
	}
	return s.cfg.LLM.Provider + " " + s.cfg.LLM.Model
}
