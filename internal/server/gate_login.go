package server

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"mime"
	"net/http"
	"strings"
	"time"

	"kaijutsu"
	"kaijutsu/internal/access"
	"kaijutsu/internal/audit"
	"kaijutsu/internal/door/httpdoor"
)

//go:embed loginpage
var loginFiles embed.FS

var loginTemplate = template.Must(template.ParseFS(loginFiles, "loginpage/login.html"))

// loginPolicy lets the page that asks for a token load its own two files and
// send its form here, and nothing else.
const loginPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// maxLogin bounds what is read of a login, in bytes.
const maxLogin = 4 << 10

var (
	errManyTries = fmt.Errorf("too many wrong tokens: %w: wait a minute and try again", kaijutsu.ErrUnavailable)
	errLoginForm = fmt.Errorf("no token in the body: %w: send {\"token\": …} as application/json, or the field token of a form", kaijutsu.ErrInvalid)
)

// loginPage is what the page says besides asking.
type loginPage struct {
	Wrong bool // a token was given, and it is not valid
	Many  bool // too many were
	// Failed says that somebody else's login did not work, and why.
	Failed string
	// Provider is the name of who else vouches for people; "": nobody does.
	Provider string
}

// serveLogin takes a token in and gives a cookie for it. A form is answered by
// a page, JSON by JSON.
func (g *gate) serveLogin(w http.ResponseWriter, r *http.Request) {
	private(w)
	if !sameOrigin(r) || g.mode == authLocal && !localHost(r) {
		httpdoor.WriteError(w, errOrigin)
		return
	}
	token, form, err := loginToken(w, r)
	if err != nil {
		httpdoor.WriteError(w, err)
		return
	}
	from := g.addressOf(r)
	if !g.logins.allow(from, time.Now()) {
		w.Header().Set("Retry-After", "60")
		g.log.Add(audit.Entry{Action: "login", Outcome: audit.Refused, Door: "page", From: from, Reason: "too many wrong tokens"})
		g.refuseLogin(w, form, http.StatusTooManyRequests, loginPage{Many: true}, errManyTries)
		return
	}
	c, err := g.lookUp(r.Context(), token, from, false)
	if err == nil && c.takes != nil && !c.takes(access.DoorHTTP) {
		err = errToken
	}
	if err != nil {
		g.logins.failed(from, time.Now())
		g.log.Add(audit.Entry{Action: "login", Outcome: audit.Refused, Door: "page", From: from, Reason: "the token is not valid"})
		g.refuseLogin(w, form, http.StatusUnauthorized, loginPage{Wrong: true}, err)
		return
	}
	g.places.note(c.Token, from)
	g.log.Add(audit.Entry{Action: "login", Outcome: audit.Done, Principal: c.By.Name, Kind: string(c.By.Kind), Token: c.Token, Door: "page", From: from})
	setToken(w, r, token)
	if form {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	writeAnswer(w, "signed_in")
}

// serveLogout has the browser forget the token. A token that came with a login
// elsewhere is revoked; another stays valid, and token_revoke ends it.
func (g *gate) serveLogout(w http.ResponseWriter, r *http.Request) {
	private(w)
	if !sameOrigin(r) || g.mode == authLocal && !localHost(r) {
		httpdoor.WriteError(w, errOrigin)
		return
	}
	g.signOut(r)
	http.SetCookie(w, tokenCookieOf(r, "", -1))
	writeAnswer(w, "signed_out")
}

// loginToken reads the token of a login, and whether a form sent it.
func loginToken(w http.ResponseWriter, r *http.Request) (token string, form bool, err error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxLogin)
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch kind {
	case "application/json":
		var body struct {
			Token string `json:"token"`
		}
		if json.NewDecoder(r.Body).Decode(&body) != nil {
			return "", false, errLoginForm
		}
		token = body.Token
	case "application/x-www-form-urlencoded":
		token, form = r.PostFormValue("token"), true
	}
	if token = strings.TrimSpace(token); token == "" && !form {
		return "", false, errLoginForm
	}
	return token, form, nil
}

func (g *gate) refuseLogin(w http.ResponseWriter, form bool, status int, page loginPage, err error) {
	switch {
	case form:
		g.writeLogin(w, status, page)
	case status == http.StatusTooManyRequests:
		http.Error(w, err.Error(), status)
	default:
		httpdoor.WriteError(w, err)
	}
}

func writeAnswer(w http.ResponseWriter, what string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	fmt.Fprintf(w, "{%q:true}\n", what)
}

// writeLogin answers with the page that asks for a token.
func (g *gate) writeLogin(w http.ResponseWriter, status int, page loginPage) {
	if g.oidc != nil {
		page.Provider = g.oidc.name
	}
	var b bytes.Buffer
	if err := loginTemplate.Execute(&b, page); err != nil {
		panic("server: the page that asks for a token: " + err.Error()) // a broken build
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", loginPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Referrer-Policy", "same-origin") // under no-referrer, browsers send the form with the origin "null"
	h.Set("WWW-Authenticate", "Bearer")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the client is gone
}

// serveLoginFile serves the style and the script of that page, which hold no
// secret.
func serveLoginFile(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", loginPolicy)
	http.ServeFileFS(w, r, loginFiles, "loginpage"+r.URL.Path)
}
