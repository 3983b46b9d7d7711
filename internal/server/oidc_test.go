package server_test

import (
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/editor"
	"kaijutsu/internal/oidc"
	"kaijutsu/internal/server"
)

// authority is an OpenID Connect provider: discovery, keys, authorization codes
// with PKCE, and tokens that it signs.
type authority struct {
	*httptest.Server
	t *testing.T

	mu    sync.Mutex
	key   *rsa.PrivateKey
	kid   string
	who   map[string]any            // who logs in next
	codes map[string]map[string]any // claims, challenge and redirect by code
	nonce string                    // in place of the one that was asked for; "" for that
}

func startAuthority(t *testing.T) *authority {
	a := &authority{t: t, codes: make(map[string]map[string]any)}
	a.rotate("one")
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		answerJSON(w, map[string]any{
			"issuer": a.URL, "authorization_endpoint": a.URL + "/authorize", "token_endpoint": a.URL + "/token", "jwks_uri": a.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"RS256"},
		})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		answerJSON(w, map[string]any{"keys": []any{map[string]any{
			"kty": "RSA", "alg": "RS256", "use": "sig", "kid": a.kid,
			"n": base64.RawURLEncoding.EncodeToString(a.key.N.Bytes()), "e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(a.key.E)).Bytes()),
		}}})
	})
	mux.HandleFunc("/authorize", a.authorize)
	mux.HandleFunc("/token", a.token)
	a.Server = httptest.NewServer(mux)
	t.Cleanup(a.Close)
	return a
}

func answerJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// rotate gives the provider another key.
func (a *authority) rotate(kid string) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		a.t.Fatal(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.key, a.kid = key, kid
}

func (a *authority) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("response_type") != "code" || q.Get("client_id") != "kj" || q.Get("code_challenge_method") != "S256" || !strings.Contains(q.Get("scope"), "openid") {
		http.Error(w, "no login as it should be: "+r.URL.RawQuery, http.StatusBadRequest)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	claims := maps.Clone(a.who)
	claims["nonce"] = q.Get("nonce")
	if a.nonce != "" {
		claims["nonce"] = a.nonce
	}
	code := rand.Text()
	a.codes[code] = map[string]any{"claims": claims, "challenge": q.Get("code_challenge"), "redirect": q.Get("redirect_uri")}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
}

func (a *authority) token(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	got := a.codes[r.FormValue("code")]
	delete(a.codes, r.FormValue("code")) // it is good once
	a.mu.Unlock()
	hash := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if got == nil || got["challenge"] != base64.RawURLEncoding.EncodeToString(hash[:]) || got["redirect"] != r.FormValue("redirect_uri") {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error": "invalid_grant"}`)
		return
	}
	answerJSON(w, map[string]any{"access_token": "opaque", "token_type": "Bearer", "id_token": a.sign(got["claims"].(map[string]any))})
}

// sign returns a token with claims, besides those that all have.
func (a *authority) sign(claims map[string]any) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return jwt(a.t, map[string]any{"alg": "RS256", "kid": a.kid, "typ": "JWT"}, a.all(claims), func(text []byte) []byte {
		hash := sha256.Sum256(text)
		sig, err := rsa.SignPKCS1v15(rand.Reader, a.key, crypto.SHA256, hash[:])
		if err != nil {
			a.t.Error(err)
		}
		return sig
	})
}

func (a *authority) all(claims map[string]any) map[string]any {
	all := map[string]any{"iss": a.URL, "aud": "kj", "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix()}
	maps.Copy(all, claims)
	return all
}

func jwt(t *testing.T, header, claims map[string]any, sign func([]byte) []byte) string {
	t.Helper()
	var parts []string
	for _, part := range []map[string]any{header, claims} {
		b, err := json.Marshal(part)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, base64.RawURLEncoding.EncodeToString(b))
	}
	text := strings.Join(parts, ".")
	return text + "." + base64.RawURLEncoding.EncodeToString(sign([]byte(text)))
}

func role(t *testing.T, rule string) oidc.Role {
	t.Helper()
	r, err := oidc.ParseRole(rule)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// startWith is a server that lets the authority vouch for people.
func startWith(t *testing.T, a *authority) *guarded {
	return startGuarded(t, func(c *server.Config) {
		c.OIDC = server.OIDC{Name: "Example", Config: oidc.Config{
			Issuer: a.URL, ClientID: "kj", ClientSecret: "s3cret",
			Rules: oidc.Rules{Roles: []oidc.Role{role(t, "groups=writers:editor"), role(t, "groups=readers:reader"), role(t, "email=boss@example.org:owner")}},
		}}
	})
}

var amyAt = map[string]any{"sub": "1", "preferred_username": "amy", "groups": []string{"writers", "cooks"}, "email": "amy@example.org", "email_verified": true}

// browser is one with cookies; it shows where it is sent, but to the provider.
func browser(t *testing.T) *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

// page asks for a page, and returns its status and text.
func page(t *testing.T, c *http.Client, url string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// who returns as whom a browser is known.
func (g *guarded) who(c *http.Client) (int, map[string]any) {
	g.t.Helper()
	resp, err := c.Post(g.URL()+"/v1/ops/whoami", "application/json", strings.NewReader("{}"))
	if err != nil {
		g.t.Fatal(err)
	}
	defer resp.Body.Close()
	var out map[string]any
	_ = json.NewDecoder(resp.Body).Decode(&out)
	return resp.StatusCode, out
}

func TestSigningInByBrowser(t *testing.T) {
	a := startAuthority(t)
	g := startWith(t, a)
	c := browser(t)
	if code, body := page(t, c, g.URL()+"/"); code != 401 || !strings.Contains(body, "Sign in with Example") || !strings.Contains(body, `href="/login/oidc"`) {
		t.Errorf("the page = %d, want that it asks, with a way to the provider: %s", code, body)
	}
	a.who = amyAt
	if code, body := page(t, c, g.URL()+"/login/oidc"); code != 200 || !strings.Contains(body, `content="0;url=/"`) {
		t.Fatalf("login = %d %s, want a page that leads on", code, body)
	}
	if code, out := g.who(c); code != 200 || out["principal"] != "amy" || out["kind"] != "person" || out["role"] != "editor" {
		t.Fatalf("whoami = %d %v, want amy, editor", code, out)
	}
	if code, _ := page(t, c, g.URL()+"/"); code != 200 {
		t.Errorf("the page = %d, want 200", code)
	}
	at, _ := url.Parse(g.URL())
	cookie := c.Jar.Cookies(at)[0].Value
	if rows := text(g.do("token_list", `{}`)); !strings.Contains(rows, `"via":"oidc"`) || strings.Contains(rows, cookie) {
		t.Errorf("token_list = %s, want the login, without its secret", rows)
	}

	// Signing out ends the token, not the cookie alone.
	resp, err := c.Post(g.URL()+"/logout", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if code, out := g.try(cookie, "whoami", `{}`); code != 401 {
		t.Errorf("the cookie's token after signing out = %d %v, want 401", code, out)
	}

	// And a revocation ends every login.
	if code, _ := page(t, c, g.URL()+"/login/oidc"); code != 200 {
		t.Fatalf("login again = %d", code)
	}
	g.do("token_revoke", `{"token": "amy"}`)
	if code, _ := g.who(c); code != 401 {
		t.Errorf("whoami after a revocation = %d, want 401", code)
	}
}

func TestSigningInRefuses(t *testing.T) {
	a := startAuthority(t)
	g := startWith(t, a)
	tests := []struct {
		name string
		who  map[string]any
		do   func(c *http.Client) (int, string)
		want string
	}{
		{name: "no role", who: map[string]any{"sub": "9", "preferred_username": "eve"}, want: "has no role here"},
		{name: "an address that was not checked", who: map[string]any{"sub": "9", "email": "boss@example.org", "email_verified": false}, want: "has no role here"},
		{name: "a name that is another's", who: map[string]any{"sub": "9", "preferred_username": "owner", "groups": "writers"}, want: "is the kernel owner&#39;s own"},
		{name: "a name of the server", who: map[string]any{"sub": "9", "preferred_username": "git", "groups": "writers"}, want: "what a part of this server signs by"},
		{name: "another login's nonce", who: amyAt, want: "of another login", do: func(c *http.Client) (int, string) {
			a.mu.Lock()
			a.nonce = "other"
			a.mu.Unlock()
			defer func() { a.mu.Lock(); a.nonce = ""; a.mu.Unlock() }()
			return page(t, c, g.URL()+"/login/oidc")
		}},
		{name: "a state that nobody has", who: amyAt, want: "begun elsewhere", do: func(c *http.Client) (int, string) {
			return page(t, c, g.URL()+"/login/oidc/callback?state=x&code=y")
		}},
		{name: "somebody else's code", who: amyAt, want: "begun elsewhere", do: func(*http.Client) (int, string) {
			eve := browser(t)
			eve.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
				if strings.Contains(r.URL.Path, "callback") {
					return http.ErrUseLastResponse
				}
				return nil
			}
			resp, err := eve.Get(g.URL() + "/login/oidc")
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			return page(t, browser(t), resp.Header.Get("Location")) // another browser follows eve's link
		}},
		{name: "what the provider refuses", who: amyAt, want: "access_denied", do: func(c *http.Client) (int, string) {
			return page(t, c, g.URL()+"/login/oidc/callback?error=access_denied&state=x")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a.mu.Lock()
			a.who = tt.who
			a.mu.Unlock()
			c := browser(t)
			if tt.do == nil {
				tt.do = func(c *http.Client) (int, string) { return page(t, c, g.URL()+"/login/oidc") }
			}
			code, body := tt.do(c)
			if code != 401 || !strings.Contains(body, tt.want) {
				t.Errorf("login = %d %s, want 401 and %q", code, body, tt.want)
			}
			if code, out := g.who(c); code != 401 {
				t.Errorf("whoami = %d %v, want 401", code, out)
			}
		})
	}
}

func TestTokensOfTheProvider(t *testing.T) {
	a := startAuthority(t)
	g := startWith(t, a)
	plan, err := kaijutsu.ParseContextID(g.do("context_create", `{"title": "Plan"}`)["id"].(string))
	if err != nil {
		t.Fatal(err)
	}
	token := a.sign(amyAt)
	if code, out := g.try(token, "whoami", `{}`); code != 200 || out["principal"] != "amy" || out["role"] != "editor" {
		t.Fatalf("http: whoami = %d %v, want amy, editor", code, out)
	}
	session, err := g.session(token)
	if err != nil {
		t.Fatal(err)
	}
	if kind := g.tool(session, "block_create", `{"context": "Plan", "content": "x"}`); kind != "" {
		t.Errorf("mcp: block_create = %q", kind)
	}
	g.editorMay(token, plan, true, true, true)
	reader := a.sign(map[string]any{"sub": "2", "preferred_username": "ben", "groups": "readers"})
	g.editorMay(reader, plan, true, false, false)

	eve, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	with := func(claims map[string]any) map[string]any {
		all := maps.Clone(amyAt)
		maps.Copy(all, claims)
		return all
	}
	for name, bad := range map[string]string{
		"ended":          a.sign(with(map[string]any{"exp": time.Now().Add(-time.Minute).Unix()})),
		"for others":     a.sign(with(map[string]any{"aud": "them"})),
		"of others":      a.sign(with(map[string]any{"iss": "https://evil.example"})),
		"of the future":  a.sign(with(map[string]any{"iat": time.Now().Add(time.Hour).Unix()})),
		"without a time": a.sign(with(map[string]any{"iat": 0})),
		"of nobody":      a.sign(with(map[string]any{"sub": ""})),
		"no role":        a.sign(map[string]any{"sub": "3", "preferred_username": "eve", "groups": []string{"cooks"}}),
		"signed by another": jwt(t, map[string]any{"alg": "RS256", "kid": "one"}, a.all(amyAt), func(text []byte) []byte {
			hash := sha256.Sum256(text)
			sig, _ := rsa.SignPKCS1v15(rand.Reader, eve, crypto.SHA256, hash[:])
			return sig
		}),
		"not signed": jwt(t, map[string]any{"alg": "none"}, a.all(amyAt), func([]byte) []byte { return nil }),
		"signed with the public key": jwt(t, map[string]any{"alg": "HS256", "kid": "one"}, a.all(amyAt), func(text []byte) []byte {
			m := hmac.New(sha256.New, a.key.N.Bytes())
			m.Write(text)
			return m.Sum(nil)
		}),
		"cut":  token[:len(token)-10],
		"junk": "eyJhbGciOiJSUzI1NiJ9.e30.AAAA",
	} {
		if code, out := g.try(bad, "whoami", `{}`); code != 401 {
			t.Errorf("%s: whoami = %d %v, want 401", name, code, out)
		}
		if _, err := editor.Dial(t.Context(), editor.Config{URL: g.SyncURL() + "?token=" + bad}); err == nil {
			t.Errorf("%s: an editor connects", name)
		}
	}

	// Revoked by name: connections end, and the token is good for nothing.
	client, _ := g.editor(token)
	g.do("token_revoke", `{"token": "amy"}`)
	wait(t, "the end of the connection", client.Gone())
	if code, out := g.try(token, "whoami", `{}`); code != 401 {
		t.Errorf("whoami with a revoked token = %d %v, want 401", code, out)
	}
	// One that is given out after that is good; by another key of the provider.
	a.rotate("two")
	var later string
	waitUntil(t, "the next second", func() bool {
		later = a.sign(amyAt)
		code, _ := g.try(later, "whoami", `{}`)
		return code == 200
	})
}

// TestTheProviderIsAway: those who have tokens of ours get in all the same, and
// others are told why they do not.
func TestTheProviderIsAway(t *testing.T) {
	a := startAuthority(t)
	token := a.sign(amyAt)
	a.Close()
	g := startWith(t, a)
	if code, out := g.try(g.token("ben", "reader"), "whoami", `{}`); code != 200 {
		t.Errorf("whoami with a token of ours = %d %v", code, out)
	}
	if code, out := g.try(token, "whoami", `{}`); code != 503 {
		t.Errorf("whoami with a token of the provider = %d %v, want 503", code, out)
	}
	if code, body := page(t, browser(t), g.URL()+"/login/oidc"); code != 503 || !strings.Contains(body, "cannot be reached") {
		t.Errorf("login = %d %s, want 503 and why", code, body)
	}
}
