package server

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"kaijutsu"
)

const (
	authLocal = "local"
	authToken = "token"

	tokenFile   = "owner.token"
	tokenCookie = "kj_token"
)

var (
	localPrincipal = kaijutsu.Principal{Name: "local", Kind: kaijutsu.Person}
	ownerPrincipal = kaijutsu.Principal{Name: "owner", Kind: kaijutsu.Person}
)

// authMode returns the mode to use on an address, refusing to serve strangers
// without tokens.
func authMode(mode, listen string) (string, error) {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return "", fmt.Errorf("listen address %q: %w: want host:port, such as %s", listen, kaijutsu.ErrInvalid, DefaultListen)
	}
	loopback := isLoopback(host)
	switch {
	case mode == "" && loopback:
		return authLocal, nil
	case mode == "":
		return authToken, nil
	case mode != authLocal && mode != authToken:
		return "", fmt.Errorf("auth mode %q: %w: want local or token", mode, kaijutsu.ErrInvalid)
	case mode == authLocal && !loopback:
		return "", fmt.Errorf("auth mode local on %s: %w: beyond loopback every connection needs a token; use --auth token", listen, kaijutsu.ErrInvalid)
	}
	return mode, nil
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}

// ownerToken reads the token file, making it at the first start. The file is
// readable by its owner only; one that others can read is refused.
func ownerToken(path string) (string, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return makeToken(path)
	}
	if err != nil {
		return "", fmt.Errorf("read owner token: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("read owner token: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("owner token %s can be read by others: %w: run chmod 600 on it, or delete it for a new one", path, kaijutsu.ErrDenied)
	}
	token := strings.TrimSpace(string(b))
	if len(token) < 32 {
		return "", fmt.Errorf("owner token %s is too short: %w: delete it for a new one", path, kaijutsu.ErrInvalid)
	}
	return token, nil
}

func makeToken(path string) (string, error) {
	secret := make([]byte, 32)
	rand.Read(secret)
	token := base64.RawURLEncoding.EncodeToString(secret)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("make owner token: %w", err)
	}
	_, err = fmt.Fprintln(f, token)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", fmt.Errorf("make owner token: %w", err)
	}
	return token, nil
}

// gate says who a request acts as.
type gate struct {
	mode  string
	token string
}

// errNoToken and errOrigin are what a refused request is told.
var (
	errNoToken = fmt.Errorf("this server wants a token: %w: pass it as ?token=…, as cookie %s or as bearer header; the owner's is in owner.token in the data directory", kaijutsu.ErrDenied, tokenCookie)
	errToken   = fmt.Errorf("this token is not valid: %w: the owner's is in owner.token in the data directory", kaijutsu.ErrDenied)
	errOrigin  = fmt.Errorf("this page is not the server's own: %w: open the server's own address", kaijutsu.ErrDenied)
)

// identify returns the principal of a request. A browser names its page in the
// Origin header: what rides on a cookie or on being local must come from our
// own page, under a name that no DNS trick can point here.
func (g *gate) identify(r *http.Request) (kaijutsu.Principal, error) {
	token, cookie := presentedToken(r)
	if token != "" {
		if subtle.ConstantTimeCompare([]byte(token), []byte(g.token)) != 1 {
			return kaijutsu.Principal{}, errToken
		}
		if cookie && !sameOrigin(r) {
			return kaijutsu.Principal{}, errOrigin
		}
		return ownerPrincipal, nil
	}
	if g.mode != authLocal {
		return kaijutsu.Principal{}, errNoToken
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	if !isLoopback(host) || !sameOrigin(r) {
		return kaijutsu.Principal{}, errOrigin
	}
	return localPrincipal, nil
}

// presentedToken returns the token of a request and whether it came in a
// cookie, which browsers send by themselves.
func presentedToken(r *http.Request) (token string, cookie bool) {
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
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

// guard lets a request through to an operation, or answers why not.
func (g *gate) guard(next func(http.ResponseWriter, *http.Request, kaijutsu.Principal)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		by, err := g.identify(r)
		if err != nil {
			writeError(w, err)
			return
		}
		next(w, r, by)
	})
}

// guardPage is guard for the page. A token in the address moves into a cookie,
// so that it does not stay in the history.
func (g *gate) guardPage(page http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := g.identify(r); err != nil {
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
