package llm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"kaijutsu"
	"kaijutsu/drift"
)

// model is a language model somewhere. It is safe for concurrent use.
type model struct {
	cfg    Config
	wire   wire
	home   string // the provider's own address
	url    string // what is posted to
	client *http.Client
	budget *budget

	// other says that the server wants the limit of tokens under its other name.
	other atomic.Bool
}

// Name returns provider and model.
func (m *model) Name() string { return m.cfg.Provider + " " + m.cfg.Model }

// Distil asks the model for a briefing. It calls req.Progress with the text so
// far as it comes; when an attempt breaks and is made again, that begins anew.
// The error is one of the root's kinds, or the context's own.
func (m *model) Distil(ctx context.Context, req drift.Request) (drift.Briefing, error) {
	if !slices.ContainsFunc(req.Source.Blocks, func(b drift.Passage) bool { return strings.TrimSpace(b.Content) != "" }) {
		return drift.Briefing{}, fmt.Errorf("the context has nothing to distil: %w", kaijutsu.ErrInvalid)
	}
	system, user := drift.Transcript(req.Source, req.Focus)
	out, err := m.answerTo(ctx, lengthen(system, req.MaxWords), user, req.Progress)
	if err == nil {
		out.Text, out.Citations = drift.Cite(req.Source, out.Text)
	}
	return out, err
}

// Ask has the model answer a prompt. The error is as that of Distil.
func (m *model) Ask(ctx context.Context, system, user string) (drift.Briefing, error) {
	if strings.TrimSpace(user) == "" {
		return drift.Briefing{}, fmt.Errorf("there is nothing to ask: %w", kaijutsu.ErrInvalid)
	}
	out, err := m.answerTo(ctx, system, user, nil)
	out.Text = strings.TrimSpace(out.Text)
	return out, err
}

// answerTo returns what the model says to a prompt, and what that took.
func (m *model) answerTo(ctx context.Context, system, user string, progress func(string)) (drift.Briefing, error) {
	p := prompt{model: m.cfg.Model, maxTokens: m.cfg.MaxTokens, system: system, user: user}
	began, attempts := time.Now(), 0
	a, answered, err := m.ask(ctx, p, progress, &attempts)
	m.note(ctx, a, err, attempts, time.Since(began))
	if err != nil {
		return drift.Briefing{}, m.wrap(ctx, err)
	}
	out := drift.Briefing{Text: answered, Model: m.cfg.Model, Distiller: m.Name()}
	if a.model != "" && len(a.model) <= maxModel && strings.IndexFunc(a.model, unprintable) < 0 {
		out.Model = a.model
	}
	if a.counted {
		out.InputTokens, out.OutputTokens = a.in, a.out
	}
	return out, nil
}

// lengthen puts another length into the prompt of the system.
func lengthen(system string, words int) string {
	if words <= 0 {
		return system
	}
	return strings.Replace(system, fmt.Sprintf("under %d words", drift.DefaultWords), fmt.Sprintf("under %d words", words), 1)
}

// ask makes attempts until one succeeds, or none would. The answer is that of
// the last attempt, as far as it came; never nil.
func (m *model) ask(ctx context.Context, p prompt, progress func(string), attempts *int) (*answer, string, error) {
	whole, cancel := context.WithTimeoutCause(ctx, m.cfg.Timeout, errTimeout)
	defer cancel()
	for failed := 0; ; {
		spending, err := m.budget.reserve(estimate(len(p.system)+len(p.user)) + p.maxTokens)
		if err != nil {
			return &answer{}, "", err
		}
		*attempts++
		a := &answer{told: progress, in: estimate(len(p.system) + len(p.user))}
		answered, err := m.attempt(whole, p, a)
		m.budget.settle(spending, a.spent())
		if err == nil {
			return a, answered, nil
		}
		var f *failure
		if !errors.As(err, &f) || whole.Err() != nil {
			return a, "", err
		}
		if f.swap && !m.other.Swap(true) {
			continue // not the server's fault, and not a retry
		}
		if !f.retry || failed >= m.cfg.Retries {
			return a, "", err
		}
		if err := wait(whole, delay(failed, f.after), f); err != nil {
			return a, "", err
		}
		failed++
	}
}

// wrap says who failed. When ctx has ended, its error is the one.
func (m *model) wrap(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("ask %s: %w", m.Name(), ctx.Err())
	}
	return fmt.Errorf("ask %s: %w", m.Name(), err)
}

// note logs a call.
func (m *model) note(ctx context.Context, a *answer, err error, attempts int, took time.Duration) {
	attrs := []slog.Attr{
		slog.String("provider", m.cfg.Provider), slog.String("model", m.cfg.Model),
		slog.Int("attempts", attempts), slog.Int("tokens", a.spent()), slog.Duration("dur", took),
	}
	level, message := slog.LevelInfo, "a model was asked"
	if err != nil {
		level, message = slog.LevelWarn, "a model was asked in vain"
		attrs = append(attrs, slog.String("kind", kindOf(err)))
	}
	var f *failure
	if errors.As(err, &f) && f.code != 0 {
		attrs = append(attrs, slog.Int("status", f.code))
	}
	m.cfg.Log.LogAttrs(ctx, level, message, attrs...)
}

func kindOf(err error) string {
	for _, kind := range []error{kaijutsu.ErrDenied, kaijutsu.ErrNotFound, kaijutsu.ErrTooLarge, kaijutsu.ErrInvalid, kaijutsu.ErrUnavailable} {
		if errors.Is(err, kind) {
			return kind.Error()
		}
	}
	return "cancelled"
}
