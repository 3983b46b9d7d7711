package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sse is a server-sent event.
type sse struct{ id, name, data string }

// stream reads a stream of events until it ends; the channel is closed then.
func (g *guarded) stream(token, query, last string) (<-chan sse, int) {
	g.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	g.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.URL()+"/v1/events?"+query, nil)
	if err != nil {
		g.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		g.t.Fatal(err)
	}
	events := make(chan sse, 1000)
	go func() {
		defer close(events)
		defer resp.Body.Close()
		sc := bufio.NewScanner(resp.Body)
		sc.Buffer(nil, 8<<20)
		var e sse
		for sc.Scan() {
			name, value, _ := strings.Cut(sc.Text(), ": ")
			switch name {
			case "id":
				e.id = value
			case "event":
				e.name = value
			case "data":
				e.data = value
			case "":
				if e.name != "" {
					events <- e
				}
				e = sse{}
			}
		}
	}()
	return events, resp.StatusCode
}

// next returns the next event of a stream.
func next(t *testing.T, events <-chan sse) sse {
	t.Helper()
	select {
	case e, ok := <-events:
		if !ok {
			t.Fatal("the stream has ended")
		}
		return e
	case <-time.After(time.Minute):
		t.Fatal("no event comes")
	}
	return sse{}
}

func TestEventsOverHTTP(t *testing.T) {
	g := startGuarded(t, nil)
	plan := g.do("context_create", `{"title": "Plan"}`)["id"].(string)
	g.do("block_create", `{"context": "Plan", "content": "one"}`)
	token := g.token("eve", "reader")

	events, _ := g.stream(token, "context=Plan&snapshot=true", "")
	if e := next(t, events); e.name != "hello" || e.id != "" {
		t.Errorf("the first event is %+v, want hello, without an id before the snapshot", e)
	}
	if e := next(t, events); e.name != "snapshot" || !strings.Contains(e.data, `"content":"one"`) || e.id == "" {
		t.Errorf("the second event is %+v, want a snapshot", e)
	}
	g.do("block_create", `{"context": "Plan", "content": "two"}`)
	two := next(t, events)
	if two.name != "block.inserted" || !strings.Contains(two.data, `"content":"two"`) {
		t.Errorf("the next event is %+v, want the block", two)
	}
	g.do("context_rename", `{"context": "Plan", "title": "Plans"}`)
	if e := next(t, events); e.name != "context.renamed" {
		t.Errorf("the next event is %+v, want the title", e)
	}
	again, _ := g.stream(token, "context=Plan&snapshot=true&since=1", two.id)
	if e := next(t, again); e.name != "hello" {
		t.Errorf("the first event is %+v, want hello", e)
	}
	if e := next(t, again); e.name != "context.renamed" {
		t.Errorf("behind Last-Event-ID comes %+v, want the title", e)
	}

	// A right that is taken away ends the stream of that context, with a reason,
	// and hides it from a stream of all.
	all, _ := g.stream(token, "pattern=%3E", "")
	next(t, all)
	at := time.Now()
	g.do("role_set", `{"principal": "eve", "role": "none", "context": "`+plan+`"}`)
	end := next(t, events)
	if end.name != "end" || !strings.Contains(end.data, `"kind":"denied"`) || !strings.Contains(end.data, `"since":"`) {
		t.Errorf("the last event is %+v, want an end that is denied, and where to go on", end)
	}
	if took := time.Since(at); took > 2*time.Second {
		t.Errorf("the stream ended %v after the right, want at once", took)
	}
	if _, more := <-events; more {
		t.Error("something comes behind the end")
	}
	g.do("block_create", `{"context": "`+plan+`", "content": "secret"}`)
	g.do("context_create", `{"title": "Open"}`)
	if e := next(t, all); e.name != "context.created" && e.name != "context.advanced" || strings.Contains(e.data, plan) {
		t.Errorf("the stream of all is told of %+v, want the other context only", e)
	}
	for _, tt := range []struct {
		query string
		code  int
	}{
		{"context=" + plan, http.StatusNotFound}, {"pattern=ctx." + plan + ".%3E", http.StatusNotFound}, {"", http.StatusOK},
		{"pattern=nothing", http.StatusBadRequest}, {"context=Open&snapshot=maybe", http.StatusBadRequest},
		{"context=Open&speed=9", http.StatusBadRequest}, {"pattern=%3E&since=7", http.StatusBadRequest},
	} {
		if _, code := g.stream(token, tt.query, ""); code != tt.code {
			t.Errorf("GET /v1/events?%s = %d, want %d", tt.query, code, tt.code)
		}
	}

	// A token that ends takes its streams with it.
	tokens := g.do("token_list", `{}`)["tokens"].([]any)
	for _, row := range tokens {
		if row := row.(map[string]any); row["principal"] == "eve" || row["name"] == "eve" {
			g.do("token_revoke", `{"token": "`+row["id"].(string)+`"}`)
		}
	}
	for e := range all {
		if e.name == "end" && !strings.Contains(e.data, "token was revoked") {
			t.Errorf("the end is %+v", e)
		}
	}
}

func TestEventsAsAResource(t *testing.T) {
	g := startGuarded(t, nil)
	plan := g.do("context_create", `{"title": "Plan"}`)["id"].(string)
	token := g.token("bot", "editor")
	updated := make(chan string, 100)
	client := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
	})
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: g.URL() + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)},
	}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	uri := "kaijutsu://events/" + url.PathEscape("ctx."+plan+".block.>")
	if err := session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	if err := session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "kaijutsu://events/block.%3E"}); err == nil {
		t.Error("a pattern that makes no sense can be subscribed to")
	}
	g.do("block_create", `{"context": "Plan", "content": "one"}`)
	select {
	case got := <-updated:
		if got != uri {
			t.Errorf("told of %s, want %s", got, uri)
		}
	case <-time.After(time.Minute):
		t.Fatal("nothing is told")
	}
	got, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "kaijutsu://events/ctx.*.block.>"}); err != nil {
		t.Errorf("a pattern that is not percent-encoded: %v", err)
	}
	var out struct {
		Events []struct{ Type string }
		Next   string
	}
	if err := json.Unmarshal([]byte(got.Contents[0].Text), &out); err != nil {
		t.Fatal(err)
	}
	if len(out.Events) != 1 || out.Events[0].Type != "block.inserted" || out.Next == "" {
		t.Fatalf("the resource is %+v, want the block and where to go on", out)
	}
	g.do("block_create", `{"context": "Plan", "content": "two"}`)
	_, answer := g.try(token, "events_follow", `{"pattern": "ctx.`+plan+`.block.>", "since": "`+out.Next+`", "wait_ms": 10000}`)
	if events, _ := answer["events"].([]any); len(events) != 1 {
		t.Errorf("events_follow behind it = %v, want one event", answer)
	}
}
