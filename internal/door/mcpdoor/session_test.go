package mcpdoor

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"kaijutsu"
)

// raw sends a request as no library would, and returns the answer.
func (p *place) raw(t testing.TB, method, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, p.url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer amy")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
		if name == "Host" {
			r.Host = value
		}
		if value == "" {
			r.Header.Del(name)
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(b)
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

func TestSessionBelongsToWhoBeganIt(t *testing.T) {
	p := open(t, nil)
	resp, body := p.raw(t, http.MethodPost, hello)
	id := resp.Header.Get(sessionHeader)
	if resp.StatusCode != 200 || id == "" {
		t.Fatalf("initialize: %s %s", resp.Status, body)
	}
	ping := `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	for _, c := range []struct {
		name, method, body string
		headers            []string
		status             int
	}{
		{"who began it", http.MethodPost, ping, []string{"Mcp-Session-Id: " + id}, 200},
		{"somebody else", http.MethodPost, ping, []string{"Mcp-Session-Id: " + id, "Authorization: Bearer bob"}, 403},
		{"somebody else listens", http.MethodGet, "", []string{"Mcp-Session-Id: " + id, "Authorization: Bearer bob"}, 403},
		{"somebody else ends it", http.MethodDelete, "", []string{"Mcp-Session-Id: " + id, "Authorization: Bearer bob"}, 403},
		{"nobody", http.MethodPost, ping, []string{"Mcp-Session-Id: " + id, "Authorization: "}, 401},
		{"another session", http.MethodPost, ping, []string{"Mcp-Session-Id: " + id + "x"}, 404},
		{"no session", http.MethodGet, "", nil, 400},
		{"a page of another site", http.MethodPost, ping, []string{"Mcp-Session-Id: " + id, "Origin: https://evil.example"}, 403},
		{"a page of another site, as browsers say", http.MethodPost, ping, []string{"Mcp-Session-Id: " + id, "Sec-Fetch-Site: cross-site"}, 403},
		{"our own page", http.MethodPost, ping, []string{"Mcp-Session-Id: " + id, "Origin: " + p.server.URL}, 200},
		{"another name for this address", http.MethodPost, ping, []string{"Mcp-Session-Id: " + id, "Host: evil.example"}, 403},
		{"another method", http.MethodPut, ping, []string{"Mcp-Session-Id: " + id}, 405},
		{"a request's name from outside", http.MethodPost, `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`, []string{"Mcp-Session-Id: " + id, "Kaijutsu-Request: 1"}, 200},
		{"who began it ends it", http.MethodDelete, "", []string{"Mcp-Session-Id: " + id}, 204},
		{"it has ended", http.MethodPost, ping, []string{"Mcp-Session-Id: " + id}, 404},
	} {
		t.Run(c.name, func(t *testing.T) {
			if resp, body := p.raw(t, c.method, c.body, c.headers...); resp.StatusCode != c.status {
				t.Errorf("status = %d, want %d: %s", resp.StatusCode, c.status, body)
			}
		})
	}
}

func TestSeats(t *testing.T) {
	p := open(t, nil)
	c := p.dial(t, "amy", withSessions, "?context=plan")
	seat := wait(t, "taking a seat", p.came)
	if seat.Principal != (kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Agent}) || seat.Nick != "tester" || seat.Context != "plan" || seat.Instance == "" {
		t.Errorf("seat = %+v", seat)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if got := wait(t, "leaving it", p.went); got != seat {
		t.Errorf("%+v left, want %+v", got, seat)
	}
	if n := p.sessions(); n != 0 {
		t.Errorf("%d sessions are open, want none", n)
	}
}

// sessions returns how many sessions a door holds.
func (p *place) sessions() int {
	p.door.mu.Lock()
	defer p.door.mu.Unlock()
	return len(p.door.open) + len(p.door.guests)
}

func TestSeatsWithoutSessions(t *testing.T) {
	p := open(t, func(c *Config) { c.Lease = 200 * time.Millisecond })
	c := p.dial(t, "amy", "2026-07-28", "")
	seat := wait(t, "taking a seat", p.came)
	if seat.Nick != "tester" {
		t.Errorf("seat = %+v", seat)
	}
	c.names(t)
	c.names(t)
	if err := c.Close(); err != nil { // it listens, which is a request under way
		t.Error(err)
	}
	if got := wait(t, "leaving it", p.went); got != seat {
		t.Errorf("%+v left, want %+v", got, seat)
	}
	if len(p.came) > 0 {
		t.Error("one client has two seats")
	}
}

// TestAClientThatCrashedHasNoSeat shows that a seat needs a request under way,
// and that a client that comes again has it again.
func TestAClientThatCrashedHasNoSeat(t *testing.T) {
	p := open(t, func(c *Config) { c.Lease = 50 * time.Millisecond })
	resp, _ := p.raw(t, http.MethodPost, hello)
	seat := wait(t, "taking a seat", p.came)
	if got := wait(t, "leaving it", p.went); got != seat {
		t.Errorf("%+v left, want %+v", got, seat)
	}
	if resp, _ := p.raw(t, http.MethodPost, `{"jsonrpc":"2.0","id":2,"method":"ping"}`, "Mcp-Session-Id: "+resp.Header.Get(sessionHeader)); resp.StatusCode != 200 {
		t.Errorf("status = %d, want 200: the session goes on", resp.StatusCode)
	}
	if got := wait(t, "taking it again", p.came); got != seat {
		t.Errorf("%+v came, want %+v", got, seat)
	}
}

func TestIdleSessionsEnd(t *testing.T) {
	p := open(t, func(c *Config) { c.Idle = 50 * time.Millisecond })
	resp, _ := p.raw(t, http.MethodPost, hello)
	wait(t, "taking a seat", p.came)
	wait(t, "leaving it", p.went)
	if resp, _ := p.raw(t, http.MethodPost, `{"jsonrpc":"2.0","id":2,"method":"ping"}`, "Mcp-Session-Id: "+resp.Header.Get(sessionHeader)); resp.StatusCode != 404 {
		t.Errorf("status = %d, want 404", resp.StatusCode)
	}
}

// TestListeningIsNotIdle shows that a session with a stream stays.
func TestListeningIsNotIdle(t *testing.T) {
	p := open(t, func(c *Config) { c.Idle = 50 * time.Millisecond })
	amy := p.dial(t, "amy", withSessions, "") // listens
	wait(t, "taking a seat", p.came)
	p.raw(t, http.MethodPost, hello, "Authorization: Bearer bob")
	wait(t, "bob taking a seat", p.came)
	if got := wait(t, "bob leaving", p.went); got.Principal.Name != "bob" {
		t.Errorf("%+v left", got)
	}
	if _, err := amy.ListTools(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

func TestSessionLimit(t *testing.T) {
	p := open(t, func(c *Config) { c.Sessions = 3 })
	var seats []Seat
	for range 4 {
		if resp, body := p.raw(t, http.MethodPost, hello); resp.StatusCode != 200 {
			t.Fatalf("initialize: %s %s", resp.Status, body)
		}
		seats = append(seats, wait(t, "taking a seat", p.came))
	}
	if got := wait(t, "leaving one", p.went); got != seats[0] {
		t.Errorf("%+v left, want the one that was idle longest, %+v", got, seats[0])
	}
	if resp, _ := p.raw(t, http.MethodPost, hello, "Authorization: Bearer bob"); resp.StatusCode != 200 {
		t.Errorf("another principal: %s", resp.Status)
	}
	for range 3 { // in use: they listen
		p.dial(t, "carl", withSessions, "")
	}
	if resp, body := p.raw(t, http.MethodPost, hello, "Authorization: Bearer carl"); resp.StatusCode != 503 || !strings.Contains(body, "3 sessions under way") {
		t.Errorf("a session too many: %s %s", resp.Status, body)
	}
}

func TestNoSessionWithoutInitialize(t *testing.T) {
	p := open(t, nil)
	for _, body := range []string{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, `nonsense`, ``} {
		p.raw(t, http.MethodPost, body)
	}
	if n := p.sessions(); n != 0 {
		t.Errorf("%d sessions are open, want none", n)
	}
}

func TestCloseEndsSessions(t *testing.T) {
	p := open(t, nil)
	old, single := p.dial(t, "amy", withSessions, ""), p.dial(t, "amy", "2026-07-28", "")
	old.call(t, "context_create", `{"title":"plan"}`)
	for _, c := range []*client{old, single} {
		if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "kaijutsu://context/plan"}); err != nil && c == old {
			t.Fatal(err)
		}
	}
	p.door.Close()
	left := []string{wait(t, "leaving", p.went).Nick, wait(t, "leaving", p.went).Nick}
	if !slices.Equal(left, []string{"tester", "tester"}) || p.sessions() != 0 || p.watching() != 0 {
		t.Errorf("%v left, %d sessions and %d watches stay", left, p.sessions(), p.watching())
	}
	if resp, body := p.raw(t, http.MethodPost, hello); resp.StatusCode != 503 {
		t.Errorf("initialize: %s %s", resp.Status, body)
	}
}

// TestManyAtOnce has many clients of few principals come, work and go.
func TestManyAtOnce(t *testing.T) {
	p := open(t, func(c *Config) { c.Sessions = 100 })
	done := make(chan error)
	const n = 15
	for i := range n {
		go func() {
			done <- func() error {
				version := versions[i%len(versions)]
				session, err := mcp.NewClient(&mcp.Implementation{Name: fmt.Sprint("c", i)}, nil).Connect(t.Context(),
					&mcp.StreamableClientTransport{Endpoint: p.url, HTTPClient: &http.Client{Transport: bearer{fmt.Sprint("p", i%3)}}},
					&mcp.ClientSessionOptions{ProtocolVersion: version})
				if err != nil {
					return err
				}
				defer session.Close()
				for range 8 {
					r, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: "context_create", Arguments: map[string]any{"title": "x"}})
					if err != nil {
						return err
					}
					if by := r.StructuredContent.(map[string]any)["by"]; by != fmt.Sprint("p", i%3) {
						return fmt.Errorf("it was done by %v, want p%d", by, i%3)
					}
				}
				return nil
			}()
		}()
	}
	for range n {
		if err := wait(t, "a client", done); err != nil {
			t.Error(err)
		}
	}
}
