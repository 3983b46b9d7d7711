package server

import (
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"kaijutsu"
	"kaijutsu/internal/access"
	"kaijutsu/internal/op"
)

const tokenCookie = "kj_token"

// gate says who a request acts as.
type gate struct {
	mode  string
	owner string // the owner's token
	table *access.Table
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
)

// identify returns who a request acts as, and the id of the token that says so,
// "" for the owner's and for none. A browser names its page in the Origin
// header: what rides on a cookie or on being local must come from our own page,
// under a name that no DNS trick can point here.
func (g *gate) identify(r *http.Request) (op.Call, string, error) {
	token, cookie := presentedToken(r)
	if token != "" {
		if cookie && !sameOrigin(r) {
			return op.Call{}, "", errOrigin
		}
		return g.byToken(token)
	}
	if g.mode != authLocal {
		return op.Call{}, "", errNoToken
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	if !isLoopback(host) || !sameOrigin(r) {
		return op.Call{}, "", errOrigin
	}
	return op.Call{By: localPrincipal, Right: kaijutsu.RightOwn}, "", nil
}

// byToken returns whom a token belongs to.
func (g *gate) byToken(token string) (op.Call, string, error) {
	if subtle.ConstantTimeCompare([]byte(token), []byte(g.owner)) == 1 {
		return op.Call{By: ownerPrincipal, Right: kaijutsu.RightOwn}, "", nil
	}
	who, err := g.table.Identify(token)
	if err != nil {
		return op.Call{}, "", errToken
	}
	return op.Call{By: who.Principal, Right: who.Right, Deny: who.Deny}, who.TokenID, nil
}

// call is identify for doors.
func (g *gate) call(r *http.Request) (op.Call, error) {
	c, _, err := g.identify(r)
	return c, err
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

// sameOrigin reports whether a request comes from our own page or from no
// browser page at all.
func sameOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Method == http.MethodGet
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host
}

// guardPage lets people through to the page. A token in the address moves into
// a cookie, so that it does not stay in the history.
func (g *gate) guardPage(page http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, _, err := g.identify(r); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		if r.URL.Query().Has("token") {
			http.SetCookie(w, &http.Cookie{Name: tokenCookie, Value: r.URL.Query().Get("token"), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: 30 * 24 * 3600})
			http.Redirect(w, r, r.URL.Path, http.StatusSeeOther)
			return
		}
		page.ServeHTTP(w, r)
	})
}
