package server_test

import (
	"net/http"
	"strings"
	"testing"
)

// doors is every address that does something for who is known by a cookie, or
// by being local.
var doors = []struct {
	name, method, path, body string
	header                   map[string]string
	ok                       int // when nothing is wrong
}{
	{name: "page", method: "GET", path: "/", ok: 200},
	{name: "sync", method: "GET", path: "/sync", ok: 101, header: map[string]string{
		"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
	}},
	{name: "operation", method: "POST", path: "/v1/ops/context_list", body: "{}", ok: 200},
	{name: "operations", method: "GET", path: "/v1/ops", ok: 200},
	{name: "contexts", method: "GET", path: "/v1/contexts", ok: 200},
	{name: "events", method: "GET", path: "/v1/events?pattern=nothing&since=x", ok: 400},
	{name: "mcp", method: "POST", path: "/mcp", body: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, ok: 200, header: map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
	}},
	{name: "logout", method: "POST", path: "/logout", ok: 200},
}

// pages is how browsers mark requests, and whether they come from our own page.
// SELF stands for the server's address.
var pages = []struct {
	name   string
	header map[string]string
	ours   bool
}{
	{name: "no browser", ours: true},
	{name: "our page", header: map[string]string{"Origin": "http://SELF", "Sec-Fetch-Site": "same-origin"}, ours: true},
	{name: "our page, an old browser", header: map[string]string{"Origin": "http://SELF"}, ours: true},
	{name: "our page, a GET", header: map[string]string{"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}, ours: true},
	{name: "an address that was typed", header: map[string]string{"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, ours: true},
	{name: "another origin", header: map[string]string{"Origin": "https://evil.example"}},
	{name: "another origin, as browsers say", header: map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}},
	{name: "another port", header: map[string]string{"Origin": "http://127.0.0.1:1", "Sec-Fetch-Site": "same-site"}},
	{name: "another port, an old browser", header: map[string]string{"Origin": "http://127.0.0.1:1"}},
	{name: "an origin that hides", header: map[string]string{"Origin": "null"}},
	{name: "an empty origin", header: map[string]string{"Origin": ""}},
	{name: "no origin, across sites", header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}},
	{name: "no origin, another port", header: map[string]string{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"}},
	{name: "a frame in another page", header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}},
	{name: "a form of another page", header: map[string]string{"Origin": "null", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}},
	{name: "an origin that looks alike", header: map[string]string{"Origin": "http://SELF.evil.example"}},
	{name: "an origin with our name in it", header: map[string]string{"Origin": "http://SELF@evil.example"}},
}

func TestOnlyOurOwnPage(t *testing.T) {
	local := start(t, nil)
	g := startGuarded(t, nil)
	for _, mode := range []struct{ name, url, cookie string }{
		{"local", local.URL(), ""},
		{"cookie", g.URL(), "kj_token=" + g.owner},
	} {
		host := strings.TrimPrefix(mode.url, "http://")
		for _, door := range doors {
			for _, page := range pages {
				t.Run(mode.name+"/"+door.name+"/"+page.name, func(t *testing.T) {
					header := map[string]string{}
					if mode.cookie != "" {
						header["Cookie"] = mode.cookie
					}
					for k, v := range door.header {
						header[k] = v
					}
					for k, v := range page.header {
						header[k] = strings.ReplaceAll(v, "SELF", host)
					}
					want := door.ok
					if !page.ours {
						want = http.StatusForbidden
					}
					if got := status(t, door.method, mode.url+door.path, door.body, header); got != want {
						t.Errorf("%s %s = %d, want %d", door.method, door.path, got, want)
					}
				})
			}
		}
	}
}

// A name of somebody else may be made to point at the loopback: whoever is
// local by that name is not.
func TestRebinding(t *testing.T) {
	s := start(t, nil)
	for _, door := range doors {
		for _, host := range []string{"evil.example", "evil.example:7433", "127.0.0.1.evil.example", "localhost.evil.example", "0.0.0.0", "10.0.0.1"} {
			header := map[string]string{"Host": host, "Origin": "http://" + host, "Sec-Fetch-Site": "same-origin"}
			for k, v := range door.header {
				header[k] = v
			}
			if got := status(t, door.method, s.URL()+door.path, door.body, header); got != http.StatusForbidden {
				t.Errorf("%s %s as %s = %d, want 403", door.method, door.path, host, got)
			}
		}
	}
}

// A link of another page may lead to ours, and shows no more than the page.
func TestFollowedLink(t *testing.T) {
	s := start(t, nil)
	link := map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
	for path, want := range map[string]int{"/": 200, "/v1/contexts": 403, "/v1/ops": 403, "/v1/events?pattern=x": 403, "/mcp": 403, "/sync": 403} {
		if got := status(t, "GET", s.URL()+path, "", link); got != want {
			t.Errorf("a link to %s = %d, want %d", path, got, want)
		}
	}
}

// status sends a request and returns how it is answered, 101 included.
func status(t *testing.T, method, url, body string, header map[string]string) int {
	t.Helper()
	return answer(t, method, url, body, header).StatusCode
}

// answer sends a request, follows nothing, and returns what comes back with its
// body closed.
func answer(t *testing.T, method, url, body string, header map[string]string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		if k == "Host" {
			req.Host = v
			continue
		}
		req.Header.Set(k, v)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp
}
