package llm

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"kaijutsu"
	"kaijutsu/drift"
)

func TestOpen(t *testing.T) {
	tests := []struct {
		name string
		cfg  Config
		want string // an address, or what the error says
	}{
		{"Anthropic", Config{Provider: Anthropic, Model: "m", Key: "k"}, "https://api.anthropic.com/v1/messages"},
		{"OpenAI", Config{Provider: OpenAI, Model: "m", Key: "k"}, "https://api.openai.com/v1/chat/completions"},
		{"Ollama", Config{Provider: OpenAI, Model: "m", BaseURL: "http://localhost:11434/v1"}, "http://localhost:11434/v1/chat/completions"},
		{"a slash at the end", Config{Provider: OpenAI, Model: "m", BaseURL: "http://h/v1//"}, "http://h/v1/chat/completions"},
		{"a gateway", Config{Provider: Anthropic, Model: "m", BaseURL: "https://gate.example/anthropic/"}, "https://gate.example/anthropic/v1/messages"},
		{"a gateway with a version", Config{Provider: Anthropic, Model: "m", BaseURL: "https://gate.example/v1"}, "https://gate.example/v1/messages"},
		{"no provider", Config{Model: "m"}, "want anthropic or openai"},
		{"no model", Config{Provider: OpenAI, Key: "k"}, "no model"},
		{"a model of two words", Config{Provider: OpenAI, Model: "a b", Key: "k"}, "model"},
		{"no key", Config{Provider: Anthropic, Model: "m"}, "no key"},
		{"a key of two lines", Config{Provider: Anthropic, Model: "m", Key: testKey + "\nX: y"}, "key: want"},
		{"another scheme", Config{Provider: OpenAI, Model: "m", BaseURL: "ftp://h"}, "http:// or https://"},
		{"no URL", Config{Provider: OpenAI, Model: "m", BaseURL: "localhost:11434"}, "http:// or https://"},
		{"a password in the URL", Config{Provider: OpenAI, Model: "m", BaseURL: "http://u:" + testKey + "@h/v1"}, "no user or password"},
		{"a query", Config{Provider: OpenAI, Model: "m", BaseURL: "http://h/v1?a=b"}, "no ?"},
		{"control characters", Config{Provider: OpenAI, Model: "m", BaseURL: "http://u:" + testKey + "@h\x7f"}, "want a URL"},
		{"too long a time", Config{Provider: OpenAI, Model: "m", BaseURL: "http://h", Timeout: 2 * time.Hour}, "timeout"},
		{"less than no time", Config{Provider: OpenAI, Model: "m", BaseURL: "http://h", Timeout: -1}, "timeout"},
		{"too many tokens", Config{Provider: OpenAI, Model: "m", BaseURL: "http://h", MaxTokens: 1 << 30}, "max tokens"},
		{"a budget below one answer", Config{Provider: OpenAI, Model: "m", BaseURL: "http://h", BudgetTokens: 100}, "budget"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := Open(tt.cfg)
			if err != nil {
				has(t, err.Error(), tt.want)
				if !errors.Is(err, kaijutsu.ErrInvalid) {
					t.Errorf("error = %v, want invalid", err)
				}
			} else if got := d.(*model).url; got != tt.want {
				t.Errorf("address = %s, want %s", got, tt.want)
			}
		})
	}
}

// TestLog: the log counts, and has neither the key nor a text.
func TestLog(t *testing.T) {
	for _, s := range speeches {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			f := &fake{answers: []http.HandlerFunc{s.fails(500, "api_error", "", testWords), s.says(testWords + ": so it is")}}
			m := f.start(t, Config{Provider: s.provider, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
			if _, err := m.Distil(t.Context(), drift.Request{Source: source()}); err != nil {
				t.Fatal(err)
			}
			has(t, log.String(), "level=INFO", "provider="+s.provider, "model=tester-1", "attempts=2", "tokens=150", "dur=")
		})
	}
}

// TestCitations: the numbers by which a model cites are citations.
func TestCitations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{answers: []http.HandlerFunc{anthropicSpeech.says("- It is an LRU [2", "].\n- It is fast [99].")}}
		got, err := f.start(t, Config{Provider: Anthropic}).Distil(t.Context(), drift.Request{Source: source()})
		if err != nil || len(got.Citations) != 1 || got.Citations[0].Ref != 2 || got.Citations[0].Handle.Block != string(source().Blocks[1].ID) {
			t.Errorf("citations = %+v, %v, want one of the second block", got.Citations, err)
		}
		if got.Text != "- It is an LRU [2].\n- It is fast." {
			t.Errorf("text = %q", got.Text)
		}
	})
}
