package server

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/access"
	"kaijutsu/internal/audit"
	"kaijutsu/internal/oidc"
)

// OIDC says who else vouches for people. The zero value: nobody does.
type OIDC struct {
	oidc.Config
	// Name is what people call the provider; default: its host.
	Name string
	// Session is how long a login by browser lasts; 0 means DefaultSession.
	Session time.Duration
	// PublicURL is the address under which browsers reach this server, without a
	// path; empty: what they name in their requests.
	PublicURL string
}

// DefaultSession is how long a login by browser lasts.
const DefaultSession = 12 * time.Hour

func (o OIDC) on() bool { return o.Issuer != "" }

const (
	// viaOIDC is how tokens say that a provider vouched for who has them.
	viaOIDC = "oidc"
	// oidcPath is where a login by the provider begins; its callback is below.
	oidcPath = "/login/oidc"
	// attemptCookie keeps a login that is under way, where only the browser has
	// it.
	attemptCookie  = "kj_login"
	attemptSeconds = 10 * 60
)

// signIn lets a provider vouch for people.
type signIn struct {
	provider *oidc.Provider
	name     string
	session  time.Duration
	public   string
	table    *access.Table
}

// openSignIn makes ready what asks the provider; nil when there is none.
func (s *Server) openSignIn() (err error) {
	cfg := s.cfg.OIDC
	if !cfg.on() {
		return nil
	}
	if cfg.Now == nil {
		cfg.Now = s.cfg.Now
	}
	in := &signIn{name: cfg.Name, session: cfg.Session, public: strings.TrimRight(cfg.PublicURL, "/"), table: s.access}
	if in.session == 0 {
		in.session = DefaultSession
	}
	if in.provider, err = oidc.New(cfg.Config); err != nil {
		return err
	}
	if in.name == "" {
		if u, err := url.Parse(cfg.Issuer); err == nil {
			in.name = u.Hostname()
		}
	}
	s.signIn = in
	return nil
}

// looksLikeJWT reports whether a token may be one of a provider.
func looksLikeJWT(token string) bool {
	return strings.HasPrefix(token, "eyJ") && strings.Count(token, ".") == 2
}

// visitor is somebody whom the provider vouches for, as the table takes them.
func visitor(p oidc.Person, issued time.Time) access.Visitor {
	v := access.Visitor{
		Subject: access.Subject{Issuer: p.Issuer, ID: p.Subject}, Name: p.Name, Kind: kaijutsu.Person, Right: p.Right,
		Email: p.Email, Issued: issued, Via: viaOIDC,
	}
	if p.Service {
		v.Kind = kaijutsu.Agent // it acts for itself
	}
	return v
}

// admit takes a token of the provider that a program shows. The error wraps
// kaijutsu.ErrDenied when it does not hold or its owner is not let in.
func (o *signIn) admit(ctx context.Context, raw string) (access.Identity, error) {
	t, err := o.provider.Verify(ctx, raw)
	if err != nil {
		return access.Identity{}, err
	}
	return o.table.Admit(ctx, visitor(t.Person, t.Issued), raw, t.Expires)
}

// serveSignIn sends a browser to the provider.
func (g *gate) serveSignIn(w http.ResponseWriter, r *http.Request) {
	private(w)
	if g.mode == authLocal && !localHost(r) || !sameOrigin(r) && !followedLink(r) {
		http.Error(w, errOrigin.Error(), http.StatusForbidden)
		return
	}
	to, attempt, err := g.oidc.provider.Begin(g.oidc.publicURL(r) + oidcPath + "/callback")
	if err != nil {
		g.failSignIn(w, r, err)
		return
	}
	b, err := json.Marshal(attempt)
	if err != nil { // strings always encode
		g.failSignIn(w, r, err)
		return
	}
	http.SetCookie(w, attemptCookieOf(r, base64.RawURLEncoding.EncodeToString(b), attemptSeconds))
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// attemptCookieOf is a cookie that comes back with the provider's redirect,
// which is another site's link.
func attemptCookieOf(r *http.Request, value string, maxAge int) *http.Cookie {
	return &http.Cookie{Name: attemptCookie, Value: value, Path: oidcPath, HttpOnly: true, Secure: encrypted(r), SameSite: http.SameSiteLaxMode, MaxAge: maxAge}
}

// publicURL is the address under which a browser reaches us.
func (o *signIn) publicURL(r *http.Request) string {
	if o.public != "" {
		return o.public
	}
	if encrypted(r) {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// serveSignedIn takes somebody in whom the provider sent back, and gives a
// cookie with a token of our own. The page after it is fetched by a page of
// ours: a redirect would still count as the provider's, and browsers would not
// send the cookie.
func (g *gate) serveSignedIn(w http.ResponseWriter, r *http.Request) {
	private(w)
	var attempt oidc.Attempt
	if c, err := r.Cookie(attemptCookie); err == nil {
		if b, err := base64.RawURLEncoding.DecodeString(c.Value); err != nil || json.Unmarshal(b, &attempt) != nil {
			attempt = oidc.Attempt{} // it is refused for its state
		}
	}
	http.SetCookie(w, attemptCookieOf(r, "", -1))
	q := r.URL.Query()
	if reason := q.Get("error"); reason != "" {
		g.failSignIn(w, r, fmt.Errorf("the provider says %.100q: %w: begin anew", reason, kaijutsu.ErrDenied))
		return
	}
	from := g.addressOf(r)
	if !g.logins.allow(from, time.Now()) {
		g.failSignIn(w, r, errManyTries)
		return
	}
	who, err := g.oidc.provider.Finish(r.Context(), attempt, q.Get("state"), q.Get("code"))
	if err != nil {
		g.logins.failed(from, time.Now())
		g.failSignIn(w, r, err)
		return
	}
	secret, made, err := g.oidc.open(r.Context(), who)
	if err != nil {
		g.failSignIn(w, r, err)
		return
	}
	g.places.note(made.ID, from)
	g.log.Add(audit.Entry{Action: "login", Outcome: audit.Done, Principal: made.Principal.Name, Kind: string(made.Principal.Kind), Token: made.ID, Door: "page", From: from, About: map[string]string{"via": g.oidc.name}})
	c := tokenCookieOf(r, secret, int(g.oidc.session/time.Second))
	http.SetCookie(w, c)
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", loginPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	_ = signedInTemplate.Execute(w, nil) // the browser is gone
}

var signedInTemplate = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/"><title>Signed in · Kaijutsu</title></head>
<body><p>Signed in. <a href="/">Go on</a></p></body></html>
`))

// open makes a token for somebody who logged in, which lasts as long as a
// login.
func (o *signIn) open(ctx context.Context, p oidc.Person) (string, access.Token, error) {
	now := time.Now()
	by, err := o.table.Welcome(ctx, visitor(p, now))
	if err != nil {
		return "", access.Token{}, err
	}
	m, ok := o.table.Member(by.Name)
	if !ok {
		return "", access.Token{}, fmt.Errorf("%s is nobody any more: %w: log in again", by.Name, kaijutsu.ErrUnavailable)
	}
	return o.table.CreateToken(ctx, access.NewToken{Name: by.Name, Kind: by.Kind, Right: m.Right, Deny: m.Deny, By: by, Expires: now.Add(o.session), Via: viaOIDC})
}

// failSignIn tells a person why a login did not work.
func (g *gate) failSignIn(w http.ResponseWriter, r *http.Request, err error) {
	status, why := http.StatusUnauthorized, err.Error()
	switch {
	case errors.Is(err, kaijutsu.ErrUnavailable):
		status = http.StatusServiceUnavailable
	case errors.Is(err, kaijutsu.ErrDenied), errors.Is(err, kaijutsu.ErrConflict), errors.Is(err, kaijutsu.ErrInvalid):
	default:
		status, why = http.StatusInternalServerError, "something went wrong here; try again"
	}
	g.log.Add(audit.Entry{Action: "login", Outcome: audit.Refused, Door: "page", From: g.addressOf(r), Reason: why, About: map[string]string{"via": g.oidc.name}})
	g.writeLogin(w, status, loginPage{Failed: why})
}

// signOut revokes the token that a browser shows when it came with a login, so
// that nobody goes on with it.
func (g *gate) signOut(r *http.Request) {
	token, _ := presentedToken(r)
	if token == "" {
		return
	}
	who, err := g.table.Identify(token)
	if err != nil {
		return
	}
	e := audit.Entry{Action: "logout", Outcome: audit.Done, Principal: who.Principal.Name, Kind: string(who.Principal.Kind), Token: who.TokenID, Door: "page", From: g.addressOf(r)}
	if who.Via == viaOIDC {
		if err := g.table.End(r.Context(), who); err != nil {
			e.Outcome, e.Reason = audit.Failed, "the token was not revoked"
		}
	}
	g.log.Add(e)
}
