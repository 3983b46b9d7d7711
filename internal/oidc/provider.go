package oidc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"kaijutsu"
)

// Config says who the provider is and who we are to it.
type Config struct {
	// Issuer is the provider's address, as its tokens name it; required.
	Issuer string
	// ClientID and ClientSecret are what the provider knows this server by. A
	// public client has no secret.
	ClientID, ClientSecret string
	// Audiences are further names that tokens which programs show may be for.
	Audiences []string
	// Scopes are asked for besides openid; default profile and email.
	Scopes []string
	// Rules turn claims into roles.
	Rules Rules
	// Client reaches the provider; default one with a time limit.
	Client *http.Client
	// Now is the clock that tokens expire by; default time.Now.
	Now func() time.Time
}

// patience is how long the provider may take for one answer.
const patience = 10 * time.Second

// Provider is an OpenID Connect provider. It is safe for concurrent use.
type Provider struct {
	cfg Config

	mu    sync.Mutex
	found *oidc.Provider // guarded by mu; nil until it was reached
	tried time.Time      // guarded by mu
	err   error          // guarded by mu; of the last try
}

// New returns a provider, which is not asked anything yet. The error wraps
// kaijutsu.ErrInvalid.
func New(cfg Config) (*Provider, error) {
	u, err := url.Parse(cfg.Issuer)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())):
		return nil, fmt.Errorf("oidc: issuer %.200q: %w: want the https:// address that the provider's tokens name", cfg.Issuer, kaijutsu.ErrInvalid)
	case cfg.ClientID == "":
		return nil, fmt.Errorf("oidc: %w: want the client id under which the provider knows this server", kaijutsu.ErrInvalid)
	case cfg.Rules.Default == kaijutsu.RightNone && len(cfg.Rules.Roles) == 0:
		return nil, fmt.Errorf("oidc: %w: nobody would get in: want rules that give roles, or a role for everybody", kaijutsu.ErrInvalid)
	}
	if len(cfg.Scopes) == 0 {
		cfg.Scopes = []string{"profile", "email"}
	}
	if cfg.Client == nil {
		cfg.Client = &http.Client{Timeout: patience}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Provider{cfg: cfg}, nil
}

func loopback(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

// retryAfter is how long a provider that could not be reached is left alone.
const retryAfter = 5 * time.Second

// errAway is what is said while the provider cannot be reached.
func errAway(err error) error {
	return fmt.Errorf("the provider of logins cannot be reached: %w: %w: try again, or use a token of this server", err, kaijutsu.ErrUnavailable)
}

// discover returns what the provider publishes, once it could be reached.
func (p *Provider) discover() (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock() // others wait for the one who asks
	if p.found != nil {
		return p.found, nil
	}
	if p.err != nil && time.Since(p.tried) < retryAfter {
		return nil, p.err
	}
	// The context stays with the provider's keys: it has the client and no end.
	ctx := oidc.ClientContext(context.Background(), p.cfg.Client)
	found, err := oidc.NewProvider(ctx, p.cfg.Issuer)
	p.tried = time.Now()
	if err != nil {
		p.err = errAway(err)
		return nil, p.err
	}
	p.found, p.err = found, nil
	return found, nil
}

// Attempt is a login under way. Only the browser that began it may have it.
type Attempt struct {
	State, Nonce, Verifier string
	Redirect               string // where the provider sends the browser to
}

// Begin returns where a browser has to go to log in, and the attempt to keep
// until it comes back to redirect.
func (p *Provider) Begin(redirect string) (to string, a Attempt, err error) {
	found, err := p.discover()
	if err != nil {
		return "", Attempt{}, err
	}
	a = Attempt{State: oauth2.GenerateVerifier(), Nonce: oauth2.GenerateVerifier(), Verifier: oauth2.GenerateVerifier(), Redirect: redirect}
	return p.flow(found, redirect).AuthCodeURL(a.State, oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)), a, nil
}

func (p *Provider) flow(found *oidc.Provider, redirect string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.cfg.ClientID, ClientSecret: p.cfg.ClientSecret, Endpoint: found.Endpoint(), RedirectURL: redirect,
		Scopes: append([]string{oidc.ScopeOpenID}, p.cfg.Scopes...),
	}
}

// Finish returns who logged in, by the code that the browser brought back. The
// error wraps kaijutsu.ErrDenied when it does not hold, and
// kaijutsu.ErrUnavailable when the provider does not answer.
func (p *Provider) Finish(ctx context.Context, a Attempt, state, code string) (Person, error) {
	if a.State == "" || state != a.State {
		return Person{}, fmt.Errorf("this login was begun elsewhere or too long ago: %w: begin anew", kaijutsu.ErrDenied)
	}
	found, err := p.discover()
	if err != nil {
		return Person{}, err
	}
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, p.cfg.Client), patience)
	defer cancel()
	got, err := p.flow(found, a.Redirect).Exchange(ctx, code, oauth2.VerifierOption(a.Verifier))
	var refused *oauth2.RetrieveError
	switch {
	case errors.As(err, &refused):
		return Person{}, fmt.Errorf("the provider took the code back for %.100q: %w: begin anew", refused.ErrorCode, kaijutsu.ErrDenied)
	case err != nil:
		return Person{}, errAway(err)
	}
	raw, _ := got.Extra("id_token").(string)
	token, err := found.VerifierContext(ctx, p.rule(false)).Verify(ctx, raw)
	if err != nil {
		return Person{}, fmt.Errorf("the provider's token does not hold: %w: %w", err, kaijutsu.ErrDenied)
	}
	if token.Nonce != a.Nonce {
		return Person{}, fmt.Errorf("the provider's token is of another login: %w: begin anew", kaijutsu.ErrDenied)
	}
	return p.personOf(token)
}

// rule is how tokens are checked: those that programs show may be for several
// audiences, of which the caller sees to one being ours.
func (p *Provider) rule(shown bool) *oidc.Config {
	return &oidc.Config{ClientID: p.cfg.ClientID, SkipClientIDCheck: shown, Now: p.cfg.Now}
}

// maxSkew is how far the provider's clock may go before ours.
const maxSkew = 5 * time.Minute

// Token is a token that a program showed.
type Token struct {
	Person
	Issued, Expires time.Time
}

// Verify checks a token that a program shows: its signature, issuer, audience
// and times. The error wraps kaijutsu.ErrDenied when it does not hold.
func (p *Provider) Verify(ctx context.Context, raw string) (Token, error) {
	found, err := p.discover()
	if err != nil {
		return Token{}, err
	}
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, p.cfg.Client), patience)
	defer cancel()
	token, err := found.VerifierContext(ctx, p.rule(true)).Verify(ctx, raw)
	var expired *oidc.TokenExpiredError
	switch {
	case errors.As(err, &expired):
		return Token{}, fmt.Errorf("the token ended at %s: %w: get another", expired.Expiry.UTC().Format(time.RFC3339), kaijutsu.ErrDenied)
	case err != nil && strings.Contains(err.Error(), "fetching keys"):
		return Token{}, errAway(err)
	case err != nil:
		return Token{}, fmt.Errorf("the token does not hold: %w: %w", err, kaijutsu.ErrDenied)
	}
	ours := append([]string{p.cfg.ClientID}, p.cfg.Audiences...)
	if !slices.ContainsFunc(token.Audience, func(a string) bool { return slices.Contains(ours, a) }) {
		return Token{}, fmt.Errorf("the token is for %.200q, not for this server: %w", strings.Join(token.Audience, ", "), kaijutsu.ErrDenied)
	}
	if token.IssuedAt.Unix() <= 0 || token.IssuedAt.After(p.cfg.Now().Add(maxSkew)) {
		return Token{}, fmt.Errorf("the token does not say when it was given out, or that it will be: %w", kaijutsu.ErrDenied)
	}
	who, err := p.personOf(token)
	return Token{who, token.IssuedAt, token.Expiry}, err
}

func (p *Provider) personOf(token *oidc.IDToken) (Person, error) {
	var claims map[string]any
	if err := token.Claims(&claims); err != nil {
		return Person{}, fmt.Errorf("claims: %w: %w", err, kaijutsu.ErrInvalid)
	}
	if token.Subject == "" {
		return Person{}, fmt.Errorf("the token names nobody: %w", kaijutsu.ErrDenied)
	}
	return p.cfg.Rules.person(token.Issuer, token.Subject, claims)
}
