package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"kaijutsu/internal/llm"
)

// TestModelFlags: what the flags say of a model, and what they say when that
// cannot be.
func TestModelFlags(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key, empty, two := file("key", "sk-file\n"), file("empty", "\n"), file("two", "a\nb\n")
	huge := file("huge", strings.Repeat("k", maxKeyFile))
	tests := []struct {
		name string
		args string
		env  string // NAME=value, with spaces between
		want llm.Config
		err  string
	}{
		{"nothing", "", "OPENAI_API_KEY=sk-env KJ_LLM_KEY=sk-kj", llm.Config{}, ""},
		{"Anthropic, key in the variable", "--llm anthropic --llm-model m", "ANTHROPIC_API_KEY=sk-env OPENAI_API_KEY=wrong", llm.Config{Provider: "anthropic", Model: "m", Key: "sk-env"}, ""},
		{"OpenAI, key in the variable", "--llm openai --llm-model m", "OPENAI_API_KEY=sk-env ANTHROPIC_API_KEY=wrong", llm.Config{Provider: "openai", Model: "m", Key: "sk-env"}, ""},
		{"ours goes before theirs", "--llm openai --llm-model m", "OPENAI_API_KEY=sk-env KJ_LLM_KEY=sk-kj", llm.Config{Provider: "openai", Model: "m", Key: "sk-kj"}, ""},
		{"a file goes before both", "--llm openai --llm-model m --llm-key-file " + key, "OPENAI_API_KEY=sk-env KJ_LLM_KEY=sk-kj", llm.Config{Provider: "openai", Model: "m", Key: "sk-file"}, ""},
		{"a server of one's own needs no key", "--llm openai --llm-model m --llm-url http://localhost:11434/v1", "", llm.Config{Provider: "openai", Model: "m", BaseURL: "http://localhost:11434/v1"}, ""},
		{"and is not shown the provider's", "--llm openai --llm-model m --llm-url http://localhost:11434/v1", "OPENAI_API_KEY=sk-env", llm.Config{Provider: "openai", Model: "m", BaseURL: "http://localhost:11434/v1"}, ""},
		{"but ours", "--llm openai --llm-model m --llm-url http://localhost:8000/v1", "KJ_LLM_KEY=sk-kj", llm.Config{Provider: "openai", Model: "m", BaseURL: "http://localhost:8000/v1", Key: "sk-kj"}, ""},
		{"limits", "--llm anthropic --llm-model m --llm-timeout 30s --llm-max-tokens 1000 --llm-budget 90000", "KJ_LLM_KEY=k", llm.Config{Provider: "anthropic", Model: "m", Key: "k", Timeout: 30e9, MaxTokens: 1000, BudgetTokens: 90000}, ""},

		{"a model and no provider", "--llm-model m", "", llm.Config{}, "--llm-model is for a language model, and none is asked for: add --llm anthropic or --llm openai"},
		{"a budget and no provider", "--llm-budget 5", "", llm.Config{}, "--llm-budget is for a language model"},
		{"an empty provider", "--llm=", "", llm.Config{}, "--llm is empty"},
		{"another provider", "--llm mistral --llm-model m", "", llm.Config{}, `--llm "mistral": say anthropic, or openai for any server`},
		{"no model", "--llm anthropic", "KJ_LLM_KEY=k", llm.Config{}, "add --llm-model"},
		{"no key", "--llm anthropic --llm-model m", "OPENAI_API_KEY=wrong", llm.Config{}, "add --llm-key-file, or set ANTHROPIC_API_KEY or KJ_LLM_KEY"},
		{"no such file", "--llm openai --llm-model m --llm-key-file " + filepath.Join(dir, "none"), "", llm.Config{}, "--llm-key-file: open "},
		{"an empty file", "--llm openai --llm-model m --llm-key-file " + empty, "", llm.Config{}, "want one line with the key"},
		{"a file of two lines", "--llm openai --llm-model m --llm-key-file " + two, "", llm.Config{}, "want one line with the key"},
		{"a file that is none of keys", "--llm openai --llm-model m --llm-key-file " + huge, "", llm.Config{}, "want one line with the key"},
		{"a key with a space", "--llm openai --llm-model m", "KJ_LLM_KEY=\x00", llm.Config{}, "key: want at most"},
		{"no URL", "--llm openai --llm-model m --llm-url localhost:11434", "", llm.Config{}, "want http:// or https://"},
		{"no time", "--llm openai --llm-model m --llm-timeout 0s", "KJ_LLM_KEY=k", llm.Config{}, "want more than 0"},
		{"no tokens", "--llm openai --llm-model m --llm-max-tokens 0", "KJ_LLM_KEY=k", llm.Config{}, "want more than 0"},
		{"a budget of nothing", "--llm openai --llm-model m --llm-budget 0", "KJ_LLM_KEY=k", llm.Config{}, "want more than 0"},
		{"a budget below one answer", "--llm openai --llm-model m --llm-budget 5", "KJ_LLM_KEY=k", llm.Config{}, "budget 5: want at least the 4096 tokens"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var flags llmFlags
			cmd := &cobra.Command{Use: "serve"}
			flags.add(cmd)
			if err := cmd.ParseFlags(strings.Fields(tt.args)); err != nil {
				t.Fatal(err)
			}
			env := make(map[string]string)
			for _, one := range strings.Split(tt.env, " ") {
				name, value, _ := strings.Cut(one, "=")
				env[name] = value
			}
			got, err := flags.config(cmd.Flags().Changed, func(name string) string { return env[name] })
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "sk-") {
					t.Errorf("error = %v, want %q", err, tt.err)
				}
				return
			}
			want := tt.want
			if want.Provider != "" && want.Timeout == 0 {
				want.Timeout, want.MaxTokens = llm.DefaultTimeout, llm.DefaultMaxTokens
			}
			if err != nil || got.Provider != want.Provider || got.BaseURL != want.BaseURL || got.Model != want.Model || got.Key != want.Key ||
				got.Timeout != want.Timeout || got.MaxTokens != want.MaxTokens || got.BudgetTokens != want.BudgetTokens {
				t.Errorf("model = %+v, %v, want %+v", got, err, want)
			}
		})
	}
}
