package kernel

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// Limits of what names a model, in bytes.
const (
	maxProviderBytes = 64
	maxModelBytes    = 200
)

// Model returns what the agent of a context runs on, as somebody has said;
// empty: nobody has.
func (k *Kernel) Model(doc kaijutsu.DocumentID) (provider, model string) {
	m := k.records.get(doc).model
	return m.Provider, m.Name
}

// SetModel says what the agent of a context runs on; the zero value: nobody
// knows any more.
func (k *Kernel) SetModel(ctx context.Context, c op.Call, doc kaijutsu.DocumentID, m Model) (ContextInfo, error) {
	if err := k.need(c, doc, kaijutsu.RightEdit); err != nil {
		return ContextInfo{}, err
	}
	if err := m.check(); err != nil {
		return ContextInfo{}, err
	}
	info, err := k.Context(ctx, c, doc)
	if err != nil || info.Model == m {
		return info, err
	}
	if err := k.records.update(ctx, c.By, doc, func(r *record) { r.model = m }); err != nil {
		return ContextInfo{}, err
	}
	info.Model = m
	return info, nil
}

// check refuses what names no model.
func (m Model) check() error {
	if m.Name == "" && m.Provider != "" {
		return &op.FieldError{Field: "model", Reason: "it is empty, and a provider is named", Hint: "name the model too, or neither"}
	}
	if err := checkWord("provider", m.Provider, maxProviderBytes); err != nil {
		return err
	}
	return checkWord("model", m.Name, maxModelBytes)
}

// checkWord accepts text that prints and has no space at its ends.
func checkWord(field, text string, most int) error {
	odd := func(r rune) bool { return !unicode.IsPrint(r) }
	if len(text) > most || !utf8.ValidString(text) || strings.TrimSpace(text) != text || strings.ContainsFunc(text, odd) {
		return &op.FieldError{Field: field, Reason: fmt.Sprintf("want at most %d bytes that print, without a space at the ends", most)}
	}
	return nil
}
