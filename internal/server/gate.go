package server

import (
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
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
	tries tries // of tokens at POST /login
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
	return g.identifyFrom(r, sameOrigin(r))
}

// identifyFrom is identify for a request of which the caller has found out
// whether it comes from our own page.
func (g *gate) identifyFrom(r *http.Request, ours bool) (op.Call, string, error) {
	token, cookie := presentedToken(r)
	if token != "" {
		if cookie && !ours {
			return op.Call{}, "", errOrigin
		}
		return g.byToken(token)
	}
	if g.mode != authLocal {
		return op.Call{}, "", errNoToken
	}
	if !localHost(r) || !ours {
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
