package server_test

import (
	"net/http"
	"strings"
	"testing"

	"kaijutsu/internal/server"
)

const asPerson = "text/html,application/xhtml+xml,*/*;q=0.8"

// cookieOf returns the token's cookie of an answer, or fails.
func cookieOf(t *testing.T, resp *http.Response) *http.Cookie {
	t.Helper()
	for _, c := range resp.Cookies() {
		if c.Name == "kj_token" {
			return c
		}
	}
	t.Fatalf("no cookie in %v", resp.Header)
	return nil
}

// checkPrivate fails when an answer that has to do with tokens may be kept, or
// its address told.
func checkPrivate(t *testing.T, resp *http.Response) {
	t.Helper()
	if got := resp.Header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control = %q, want no-store", got)
	}
	// Under no-referrer a browser sends the page's form with the origin "null".
	want := "no-referrer"
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") && resp.StatusCode != http.StatusSeeOther {
		want = "same-origin"
	}
	if got := resp.Header.Get("Referrer-Policy"); got != want {
		t.Errorf("Referrer-Policy = %q, want %q", got, want)
	}
}

func TestTokenLeavesTheAddress(t *testing.T) {
	g := startGuarded(t, nil)
	for _, test := range []struct{ name, path, want string }{
		{"alone", "/?token=" + g.owner, "/"},
		{"with more", "/?a=1&token=" + g.owner + "&b=2", "/?a=1&b=2"},
		{"twice", "/?token=" + g.owner + "&token=other", "/"},
		{"of another server", "/%5c%5cevil.example/x?token=" + g.owner, "/evil.example/x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			resp := answer(t, "GET", g.URL()+test.path, "", map[string]string{"Accept": asPerson, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"})
			if got := resp.Header.Get("Location"); resp.StatusCode != http.StatusSeeOther || got != test.want {
				t.Fatalf("answer = %d to %q, want 303 to %q", resp.StatusCode, got, test.want)
			}
			checkPrivate(t, resp)
			c := cookieOf(t, resp)
			if c.Value != g.owner || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Secure {
				t.Errorf("cookie = %v, want the token, HttpOnly, SameSite=Strict", c)
			}
			if got := status(t, "GET", g.URL()+"/", "", map[string]string{"Cookie": "kj_token=" + c.Value}); got != http.StatusOK {
				t.Errorf("the page with the cookie = %d, want 200", got)
			}
		})
	}
	t.Run("behind TLS", func(t *testing.T) {
		resp := answer(t, "GET", g.URL()+"/?token="+g.owner, "", map[string]string{"X-Forwarded-Proto": "https"})
		if !cookieOf(t, resp).Secure {
			t.Error("the cookie is not Secure")
		}
	})
}

func TestPageAsksForAToken(t *testing.T) {
	g := startGuarded(t, nil)
	for name, test := range map[string]struct {
		path, accept, cookie string
		html, wrong          bool
	}{
		"a person":            {path: "/", accept: asPerson, html: true},
		"a wrong token":       {path: "/?token=wrong", accept: asPerson, html: true, wrong: true},
		"an old cookie":       {path: "/", accept: asPerson, cookie: "kj_token=old", html: true, wrong: true},
		"a program":           {path: "/", accept: "*/*"},
		"a file of the page":  {path: "/assets/x.js", accept: "*/*"},
		"the worker's script": {path: "/sw.js", accept: "*/*"},
	} {
		t.Run(name, func(t *testing.T) {
			header := map[string]string{"Accept": test.accept}
			if test.cookie != "" {
				header["Cookie"] = test.cookie
			}
			resp := answer(t, "GET", g.URL()+test.path, "", header)
			_, body := request(t, "GET", g.URL()+test.path, "", header)
			if resp.StatusCode != http.StatusUnauthorized || resp.Header.Get("WWW-Authenticate") != "Bearer" {
				t.Fatalf("answer = %d, %q, want 401 and a challenge", resp.StatusCode, resp.Header.Get("WWW-Authenticate"))
			}
			checkPrivate(t, resp)
			if got := strings.Contains(body, "<form"); got != test.html {
				t.Errorf("a form = %t, want %t", got, test.html)
			}
			if got := strings.Contains(body, "not valid"); test.html && got != test.wrong {
				t.Errorf("says that the token is wrong = %t, want %t", got, test.wrong)
			}
			if policy := resp.Header.Get("Content-Security-Policy"); test.html && (!strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe")) {
				t.Errorf("Content-Security-Policy = %q", policy)
			}
		})
	}
	for _, path := range []string{"/login.css", "/login.js"} {
		if got := status(t, "GET", g.URL()+path, "", nil); got != http.StatusOK {
			t.Errorf("GET %s = %d, want 200", path, got)
		}
	}
}

func TestLogin(t *testing.T) {
	const asForm, asJSON = "application/x-www-form-urlencoded", "application/json"
	g := startGuarded(t, nil)
	amy := g.token("amy", "editor")
	for name, test := range map[string]struct {
		kind, body string
		header     map[string]string
		want       int
		token      string // in the cookie
	}{
		"a form":                    {kind: asForm, body: "token=" + amy, want: 303, token: amy},
		"a form with white space":   {kind: asForm, body: "token=+" + amy + "%0A", want: 303, token: amy},
		"JSON":                      {kind: asJSON + "; charset=utf-8", body: `{"token":"` + g.owner + `"}`, want: 200, token: g.owner},
		"our page":                  {kind: asForm, body: "token=" + amy, header: map[string]string{"Origin": g.URL(), "Sec-Fetch-Site": "same-origin"}, want: 303, token: amy},
		"a wrong token by form":     {kind: asForm, body: "token=wrong", want: 401},
		"a wrong token by JSON":     {kind: asJSON, body: `{"token":"wrong"}`, want: 401},
		"no token in JSON":          {kind: asJSON, body: `{}`, want: 400},
		"no JSON":                   {kind: asJSON, body: `token=` + amy, want: 400},
		"JSON that says it is text": {kind: "text/plain", body: `{"token":"` + amy + `"}`, want: 400},
		"too much":                  {kind: asJSON, body: `{"token":"` + strings.Repeat("x", 5000) + `"}`, want: 400},
		"another page":              {kind: asForm, body: "token=" + amy, header: map[string]string{"Origin": "https://evil.example"}, want: 403},
		"another page that hides":   {kind: asForm, body: "token=" + amy, header: map[string]string{"Origin": "null"}, want: 403},
		"no origin, across sites":   {kind: asForm, body: "token=" + amy, header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, want: 403},
		"another port":              {kind: asForm, body: "token=" + amy, header: map[string]string{"Origin": "http://127.0.0.1:1", "Sec-Fetch-Site": "same-site"}, want: 403},
	} {
		t.Run(name, func(t *testing.T) {
			header := map[string]string{"Content-Type": test.kind}
			for k, v := range test.header {
				header[k] = v
			}
			resp := answer(t, "POST", g.URL()+"/login", test.body, header)
			if resp.StatusCode != test.want {
				t.Fatalf("POST /login = %d, want %d", resp.StatusCode, test.want)
			}
			checkPrivate(t, resp)
			if test.token == "" {
				if len(resp.Cookies()) > 0 {
					t.Errorf("cookies = %v, want none", resp.Cookies())
				}
				return
			}
			if got := cookieOf(t, resp).Value; got != test.token {
				t.Errorf("the cookie holds %q, want the token", got)
			}
		})
	}
	local := start(t, nil)
	for _, path := range []string{"/login", "/logout"} {
		if got := status(t, "POST", local.URL()+path, "token=x", map[string]string{"Host": "evil.example", "Content-Type": asForm}); got != http.StatusForbidden {
			t.Errorf("POST %s by another name = %d, want 403", path, got)
		}
	}
}

func TestLoginTries(t *testing.T) {
	g := startGuarded(t, func(*server.Config) {})
	header := map[string]string{"Content-Type": "application/json"}
	codes := map[int]int{}
	for range 15 {
		codes[status(t, "POST", g.URL()+"/login", `{"token":"wrong"}`, header)]++
	}
	if codes[401] != 10 || codes[429] != 5 {
		t.Errorf("15 wrong tokens = %v, want 10 of 401 and 5 of 429", codes)
	}
	if got := status(t, "POST", g.URL()+"/login", `{"token":"`+g.owner+`"}`, header); got != http.StatusTooManyRequests {
		t.Errorf("the right one then = %d, want 429", got)
	}
	if got := status(t, "GET", g.URL()+"/", "", map[string]string{"Cookie": "kj_token=" + g.owner}); got != http.StatusOK {
		t.Errorf("who is signed in gets %d, want 200", got)
	}
}

func TestLogout(t *testing.T) {
	g := startGuarded(t, nil)
	resp := answer(t, "POST", g.URL()+"/logout", "", map[string]string{"Cookie": "kj_token=" + g.owner, "Origin": g.URL()})
	checkPrivate(t, resp)
	if c := cookieOf(t, resp); resp.StatusCode != http.StatusOK || c.Value != "" || c.MaxAge >= 0 || !c.HttpOnly {
		t.Errorf("POST /logout = %d with %v, want 200 and the cookie gone", resp.StatusCode, c)
	}
	if got := status(t, "GET", g.URL()+"/logout", "", map[string]string{"Cookie": "kj_token=" + g.owner}); got != http.StatusNotFound {
		t.Errorf("GET /logout = %d, want 404", got)
	}
}
