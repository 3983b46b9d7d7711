package server

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// cookieSeconds is how long a browser keeps a token.
const cookieSeconds = 30 * 24 * 3600

// guardPage lets people through to the page, and serves what lets them in and
// out. A token in the address moves into a cookie, so that it does not stay in
// the history; the rest of the address stays, what is behind its # too, for
// browsers keep that.
func (g *gate) guardPage(page http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /login", g.serveLogin)
	mux.HandleFunc("POST /logout", g.serveLogout)
	if g.oidc != nil {
		mux.HandleFunc("GET "+oidcPath, g.serveSignIn)
		mux.HandleFunc("GET "+oidcPath+"/callback", g.serveSignedIn)
	}
	mux.HandleFunc("GET /login.css", serveLoginFile)
	mux.HandleFunc("GET /login.js", serveLoginFile)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if _, err := g.identifyFrom(r, sameOrigin(r) || followedLink(r)); err != nil {
			g.refusePage(w, r, err)
			return
		}
		if token := r.URL.Query().Get("token"); token != "" {
			setToken(w, r, token)
			http.Redirect(w, r, withoutToken(r.URL), http.StatusSeeOther)
			return
		}
		page.ServeHTTP(w, r)
	})
	return mux
}

// refusePage answers somebody who may not see the page: a person is asked for a
// token.
func (g *gate) refusePage(w http.ResponseWriter, r *http.Request, err error) {
	private(w)
	var mendable login
	if !errors.As(err, &mendable) {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	if !wantsHTML(r) {
		w.Header().Set("WWW-Authenticate", mendable.Challenge())
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	g.writeLogin(w, http.StatusUnauthorized, loginPage{Wrong: errors.Is(err, errToken)})
}

// setToken has the browser keep a token where no script reads it, and send it
// with what our own page asks for only.
func setToken(w http.ResponseWriter, r *http.Request, token string) {
	private(w)
	http.SetCookie(w, tokenCookieOf(r, token, cookieSeconds))
}

func tokenCookieOf(r *http.Request, token string, maxAge int) *http.Cookie {
	return &http.Cookie{Name: tokenCookie, Value: token, Path: "/", HttpOnly: true, Secure: encrypted(r), SameSite: http.SameSiteStrictMode, MaxAge: maxAge}
}

// encrypted reports whether the browser's connection is TLS, here or at a proxy
// in front. Who forges the header only keeps their own cookie from working.
func encrypted(r *http.Request) bool {
	return r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// withoutToken is an address of ours, as it was but for the token.
func withoutToken(u *url.URL) string {
	q := u.Query()
	q.Del("token")
	// One slash in front: two would name another server.
	to := url.URL{Path: "/" + strings.TrimLeft(u.Path, `/\`), RawQuery: q.Encode()}
	return to.String()
}

// private keeps an answer out of caches, and its address out of what other
// servers are told.
func private(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
}

// wantsHTML reports whether a person waits for the answer, in a browser.
func wantsHTML(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && strings.Contains(r.Header.Get("Accept"), "text/html")
}
