package llm

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/drift"
)

// The providers: whose wire format is spoken.
const (
	Anthropic = "anthropic"
	OpenAI    = "openai"
)

// The addresses of the providers themselves.
const (
	anthropicURL = "https://api.anthropic.com"
	openAIURL    = "https://api.openai.com/v1"
)

// The defaults of a Config.
const (
	DefaultTimeout   = 3 * time.Minute
	DefaultIdle      = 30 * time.Second
	DefaultRetries   = 3
	DefaultMaxTokens = 4096
	DefaultWindow    = time.Hour
)

// The bounds of what a Config may say.
const (
	maxTokens  = 1 << 20
	maxModel   = 200
	maxKey     = 4 << 10
	maxTimeout = time.Hour
)

// Config says which model is asked, and how much of it.
type Config struct {
	// Provider is Anthropic or OpenAI; required.
	Provider string
	// BaseURL is where the API is, with its version where that is part of the
	// address: "http://localhost:11434/v1". Default: the provider's own, which
	// needs a Key.
	BaseURL string
	// Model is the model's name as the provider has it; required.
	Model string
	// Key is the API key; empty: none is sent. It is never shown.
	Key string

	// Timeout bounds a call, its retries included; 0 means DefaultTimeout. A
	// server that has said nothing at all for half of it is asked again.
	Timeout time.Duration
	// Idle is how long a stream that has begun may be silent; 0 means DefaultIdle.
	Idle time.Duration
	// Retries is how often a call is tried again; 0 means DefaultRetries, less
	// than 0 never.
	Retries int
	// MaxTokens bounds an answer; 0 means DefaultMaxTokens.
	MaxTokens int
	// BudgetTokens bounds what is read and written in BudgetWindow; 0 means no
	// bound. BudgetWindow 0 means DefaultWindow.
	BudgetTokens int
	BudgetWindow time.Duration

	// Log receives one line for each call; nil for no log.
	Log *slog.Logger
	// Now is the clock of the budget; default time.Now.
	Now func() time.Time
	// Transport carries requests; default: one of its own, with the proxy that
	// the environment names.
	Transport http.RoundTripper
}

// Open returns a distiller that asks a model. Nothing is sent before the first
// call. The error wraps kaijutsu.ErrInvalid and names what of cfg is wrong.
func Open(cfg Config) (drift.Distiller, error) {
	m, err := open(cfg)
	if err != nil {
		return nil, fmt.Errorf("language model: %w: %w", err, kaijutsu.ErrInvalid)
	}
	return m, nil
}

func open(cfg Config) (*model, error) {
	m := &model{cfg: cfg.withDefaults()}
	switch cfg.Provider {
	case Anthropic:
		m.wire, m.home = &messages{}, anthropicURL
	case OpenAI:
		m.wire, m.home = &completions{}, openAIURL
	default:
		return nil, fmt.Errorf("provider %.64q: want %s or %s", cfg.Provider, Anthropic, OpenAI)
	}
	if err := m.cfg.check(); err != nil {
		return nil, err
	}
	base, err := parseBase(cfg.BaseURL, m.home)
	if err != nil {
		return nil, err
	}
	if base.String() == m.home && cfg.Key == "" {
		return nil, fmt.Errorf("no key: %s wants an API key", m.home)
	}
	m.url = m.wire.endpoint(base)
	m.budget = newBudget(cfg.BudgetTokens, m.cfg.BudgetWindow, m.cfg.Now)
	transport := m.cfg.Transport
	if transport == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.MaxResponseHeaderBytes = 64 << 10
		transport = own
	}
	m.client = &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return m, nil
}

func (c Config) withDefaults() Config {
	def := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	def(&c.Timeout, DefaultTimeout)
	def(&c.Idle, DefaultIdle)
	def(&c.BudgetWindow, DefaultWindow)
	if c.Retries == 0 {
		c.Retries = DefaultRetries
	}
	if c.MaxTokens == 0 {
		c.MaxTokens = DefaultMaxTokens
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

func (c Config) check() error {
	printable := func(s string) bool {
		return !slices.ContainsFunc([]byte(s), func(b byte) bool { return b <= ' ' || b > '~' })
	}
	switch {
	case c.Model == "":
		return fmt.Errorf("no model: name one")
	case len(c.Model) > maxModel || !printable(c.Model):
		return fmt.Errorf("model %.64q: want at most %d printable characters, no spaces", c.Model, maxModel)
	case len(c.Key) > maxKey || !printable(c.Key):
		return fmt.Errorf("key: want at most %d printable characters, no spaces or line breaks", maxKey)
	case c.Timeout < 0 || c.Timeout > maxTimeout:
		return fmt.Errorf("timeout %v: want more than 0 and at most %v", c.Timeout, maxTimeout)
	case c.Idle < 0 || c.BudgetWindow < 0:
		return fmt.Errorf("idle %v, budget window %v: want more than 0", c.Idle, c.BudgetWindow)
	case c.MaxTokens < 0 || c.MaxTokens > maxTokens:
		return fmt.Errorf("max tokens %d: want 1 to %d", c.MaxTokens, maxTokens)
	case c.BudgetTokens < 0:
		return fmt.Errorf("budget %d: want a number of tokens, or 0 for no bound", c.BudgetTokens)
	case c.BudgetTokens > 0 && c.BudgetTokens < c.MaxTokens:
		return fmt.Errorf("budget %d: want at least the %d tokens that one answer may have", c.BudgetTokens, c.MaxTokens)
	}
	return nil
}

// parseBase reads the address of an API.
func parseBase(text, home string) (*url.URL, error) {
	if text == "" {
		text = home
	}
	u, err := url.Parse(text)
	switch {
	case err != nil: // which would repeat what may hold a password
		return nil, fmt.Errorf("address of the API: want a URL as %s", home)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("address of the API %.200q: want http:// or https:// and a host, as %s", u.Redacted(), home)
	case u.User != nil:
		return nil, fmt.Errorf("address of the API %.200q: want no user or password in it: the key is a setting of its own", u.Redacted())
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("address of the API %.200q: want no ? and no # in it", text)
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = ""
	return u, nil
}
