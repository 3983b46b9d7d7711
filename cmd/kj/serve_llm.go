package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kaijutsu/internal/llm"
)

// The variables that a key may be in. Those of a provider are for its own
// address only: a key is not shown to other servers.
const keyVariable = "KJ_LLM_KEY"

var providerKeys = map[string]string{llm.Anthropic: "ANTHROPIC_API_KEY", llm.OpenAI: "OPENAI_API_KEY"}

// maxKeyFile is the most bytes that a file with a key may have.
const maxKeyFile = 8 << 10

// llmFlags are the flags of kj serve that say which model distils.
type llmFlags struct {
	provider, url, model, keyFile string
	timeout                       time.Duration
	maxTokens, budget             int
}

// add adds the flags to a command.
func (l *llmFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&l.provider, "llm", "", "distil with a language model: `anthropic`, or openai for any server that speaks as OpenAI does (default: without one, by extract)")
	f.StringVar(&l.url, "llm-url", "", "`URL` of its API, as http://localhost:11434/v1 (default: the provider's own)")
	f.StringVar(&l.model, "llm-model", "", "`name` of the model, as the provider has it")
	f.StringVar(&l.keyFile, "llm-key-file", "", "`file` with the API key (default: $KJ_LLM_KEY; for the provider's own address also $ANTHROPIC_API_KEY or $OPENAI_API_KEY)")
	f.DurationVar(&l.timeout, "llm-timeout", llm.DefaultTimeout, "how long one briefing may take, with all that is tried again")
	f.IntVar(&l.maxTokens, "llm-max-tokens", llm.DefaultMaxTokens, "the most tokens of an answer")
	f.IntVar(&l.budget, "llm-budget", 0, "the most `tokens` that are read and written in an hour (default: no bound)")
}

// config returns what the flags say. changed tells which were given. The error is
// for who wrote the command line.
func (l *llmFlags) config(changed func(flag string) bool, getenv func(string) string) (llm.Config, error) {
	if l.provider == "" {
		for _, flag := range []string{"llm-url", "llm-model", "llm-key-file", "llm-timeout", "llm-max-tokens", "llm-budget"} {
			if changed(flag) {
				return llm.Config{}, fmt.Errorf("--%s is for a language model, and none is asked for: add --llm anthropic or --llm openai", flag)
			}
		}
		if changed("llm") {
			return llm.Config{}, errors.New("--llm is empty: say anthropic or openai, or leave the flag out")
		}
		return llm.Config{}, nil
	}
	variable, known := providerKeys[l.provider]
	if !known {
		return llm.Config{}, fmt.Errorf("--llm %.64q: say anthropic, or openai for any server that speaks as OpenAI does", l.provider)
	}
	if l.model == "" {
		return llm.Config{}, errors.New("--llm needs the name of a model: add --llm-model, as the provider has it")
	}
	if l.timeout <= 0 || l.maxTokens <= 0 || l.budget < 0 || l.budget == 0 && changed("llm-budget") {
		return llm.Config{}, errors.New("--llm-timeout, --llm-max-tokens and --llm-budget: want more than 0; leave a flag out for its default")
	}
	cfg := llm.Config{
		Provider: l.provider, BaseURL: l.url, Model: l.model,
		Timeout: l.timeout, MaxTokens: l.maxTokens, BudgetTokens: l.budget,
	}
	var err error
	if l.keyFile != "" {
		cfg.Key, err = readKey("--llm-key-file", l.keyFile)
	} else {
		cfg.Key = getenv(keyVariable)
		if cfg.Key == "" && l.url == "" {
			cfg.Key = getenv(variable)
		}
	}
	if err == nil && cfg.Key == "" && l.url == "" {
		err = fmt.Errorf("--llm %s needs an API key: add --llm-key-file, or set %s or %s", l.provider, variable, keyVariable)
	}
	if err == nil {
		_, err = llm.Open(cfg) // asks nobody anything
	}
	return cfg, err
}

// readKey reads a key: the one line of a file.
func readKey(flag, name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxKeyFile))
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	lines := slices.DeleteFunc(strings.Split(string(b), "\n"), func(s string) bool { return strings.TrimSpace(s) == "" })
	if len(lines) != 1 || len(b) == maxKeyFile {
		return "", fmt.Errorf("%s %s: want one line with the key and nothing else", flag, name)
	}
	return strings.TrimSpace(lines[0]), nil
}
