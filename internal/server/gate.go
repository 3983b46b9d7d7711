package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/access"
	"kaijutsu/internal/audit"
	"kaijutsu/internal/op"
)

const tokenCookie = "kj_token"

// gate says who a request acts as.
type gate struct {
	mode  string
	owner *ownerKey // the owner's token
	table *access.Table
	oidc  *signIn // nil: nobody else vouches for anybody
	log   *audit.Log

	proxies []netip.Prefix // whose word counts on where a request came from
	logins  tries          // of tokens at POST /login
	guesses tries          // of tokens anywhere
	places  places         // where tokens were good
}

// caller is who a request acts as.
type caller struct {
	op.Call
	// watch calls a function when the token of the request ends; nil: nothing
	// ends it.
	watch func(f func()) (stop func())
	takes func(door string) bool // nil: all
}

// login is an error that a valid token mends.
type login struct{ err error }

func (e login) Error() string { return e.err.Error() }
func (e login) Unwrap() error { return e.err }

// Challenge is the WWW-Authenticate that goes with the answer.
func (e login) Challenge() string { return "Bearer" }

// What a refused request is told.
var (
	errNoToken = login{fmt.Errorf("this server wants a token: %w: pass it as ?token=…, as cookie %s or as bearer header; the owner's is in owner.token in the data directory", kaijutsu.ErrDenied, tokenCookie)}
	errToken   = login{fmt.Errorf("this token is not valid: %w: the owner's is in owner.token in the data directory, others are made with kj token create", kaijutsu.ErrDenied)}
	errOrigin  = fmt.Errorf("this page is not the server's own: %w: open the server's own address", kaijutsu.ErrDenied)
	errGuesses = fmt.Errorf("too many wrong tokens came from this address: %w: wait a minute and try again", kaijutsu.ErrUnavailable)
)

// doorOf returns the door of access.Doors that a request comes to.
func doorOf(r *http.Request) string {
	switch r.URL.Path {
	case "/sync":
		return access.DoorSync
	case "/mcp":
		return access.DoorMCP
	}
	return access.DoorHTTP
}

// identify returns who a request acts as. A browser
// names its page in the Origin header: what rides on a cookie or on being local
// must come from our own page, under a name that no DNS trick can point here.
func (g *gate) identify(r *http.Request) (caller, error) {
	if known, ok := r.Context().Value(identifiedKey{}).(identified); ok {
		return known.caller, known.err
	}
	return g.identifyFrom(r, sameOrigin(r))
}

// identifyFrom is identify for a request of which the caller has found out
// whether it comes from our own page.
func (g *gate) identifyFrom(r *http.Request, ours bool) (caller, error) {
	from, door := g.addressOf(r), doorOf(r)
	token, cookie := presentedToken(r)
	if token != "" {
		if cookie && !ours {
			return caller{}, errOrigin
		}
		c, err := g.byToken(r.Context(), token, from, door)
		if err == nil && c.takes != nil && !c.takes(door) {
			err = fmt.Errorf("this token of %s is not for this door (%s): %w: use another token", c.By.Name, door, kaijutsu.ErrDenied)
			g.log.Add(audit.Entry{Action: "connect", Outcome: audit.Refused, Principal: c.By.Name, Kind: string(c.By.Kind), Token: c.Token, Door: door, From: from, Reason: "the token is not for this door"})
		}
		return c, err
	}
	if g.mode != authLocal {
		return caller{}, errNoToken
	}
	if !localHost(r) || !ours {
		return caller{}, errOrigin
	}
	return caller{Call: op.Call{By: localPrincipal, Right: kaijutsu.RightOwn, From: from}}, nil
}

// byToken returns whom a token belongs to. From an address of which too many
// wrong ones came, only those are taken that were good there before.
func (g *gate) byToken(ctx context.Context, token, from, door string) (caller, error) {
	held := !g.guesses.allow(from, time.Now())
	c, err := g.lookUp(ctx, token, from, held)
	switch {
	case err == nil && held && !g.places.known(c.Token, from):
		return caller{}, errGuesses
	case err == nil:
		g.arrived(c, from, door)
		return c, nil
	case !errors.Is(err, kaijutsu.ErrDenied):
		return caller{}, err
	}
	g.guesses.failed(from, time.Now())
	g.log.Add(audit.Entry{Action: "connect", Outcome: audit.Refused, Door: door, From: from, Reason: "the token is not valid"})
	if held {
		return caller{}, errGuesses
	}
	return caller{}, err
}

// lookUp finds a token: the owner's, one of the table, or one of another
// authority, which is not asked for while the address is held.
func (g *gate) lookUp(ctx context.Context, token, from string, held bool) (caller, error) {
	if hash, ok := g.owner.is(token); ok {
		return caller{
			Call:  op.Call{By: ownerPrincipal, Right: kaijutsu.RightOwn, Token: ownerTokenID, From: from},
			watch: func(f func()) func() { return g.owner.watch(hash, f) },
		}, nil
	}
	who, err := g.table.Identify(token)
	if err != nil && g.oidc != nil && !held && looksLikeJWT(token) {
		who, err = g.oidc.admit(ctx, token)
		switch {
		case errors.Is(err, kaijutsu.ErrDenied):
			return caller{}, login{err}
		case err != nil:
			return caller{}, err
		}
	}
	if err != nil {
		return caller{}, errToken
	}
	return caller{
		Call:  op.Call{By: who.Principal, Right: who.Right, Deny: who.Deny, Bounds: who.Bounds, Token: who.TokenID, From: from},
		watch: func(f func()) func() { return g.table.Watch(who, f) },
		takes: who.Takes,
	}, nil
}

// arrived notes where a token is used; a new address is written down.
func (g *gate) arrived(c caller, from, door string) {
	if g.places.note(c.Token, from) {
		g.log.Add(audit.Entry{Action: "address", Outcome: audit.Done, Principal: c.By.Name, Kind: string(c.By.Kind), Token: c.Token, Door: door, From: from, Reason: "first use of the token from this address since the start"})
	}
}

// call is identify for doors.
func (g *gate) call(r *http.Request) (op.Call, error) {
	c, err := g.identify(r)
	return c.Call, err
}

// presentedToken returns the token of a request and whether it came in a
// cookie, which browsers send by themselves.
func presentedToken(r *http.Request) (token string, cookie bool) {
	if scheme, bearer, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(bearer), false
	}
	if q := r.URL.Query().Get("token"); q != "" {
		return q, false
	}
	if c, err := r.Cookie(tokenCookie); err == nil && c.Value != "" {
		return c.Value, true
	}
	return "", false
}

// localHost reports whether a request names the server by a loopback name or
// address. A page of somebody else may have its own name point here; that name
// stands in Host.
func localHost(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	return isLoopback(host)
}

// newGate returns the gate of the server, when its parts are there.
func (s *Server) newGate(mode string, owner *ownerKey) *gate {
	return &gate{
		mode: mode, owner: owner, table: s.access, oidc: s.signIn, log: s.audits, proxies: s.cfg.Proxies,
		guesses: tries{most: maxGuesses},
	}
}
