package server_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bearer adds a token to requests.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func TestAgents(t *testing.T) {
	g := startGuarded(t, nil)
	plan := g.do("context_create", `{"title": "Plan"}`)["id"].(string)
	block := g.do("block_create", `{"context": "Plan", "content": "one"}`)["block_id"].(string)
	hidden := g.do("context_create", `{"title": "Hidden"}`)["id"].(string)
	token := g.token("bot", "editor")
	g.do("role_set", `{"principal": "bot", "role": "none", "context": "Hidden"}`)

	updated, listed := make(chan string, 100), make(chan struct{}, 100)
	client := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler:     func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { listed <- struct{}{} },
	})
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: g.URL() + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)},
	}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	list, err := session.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 2 || list.Resources[0].URI != "kaijutsu://drift/inbox" || list.Resources[1].URI != "kaijutsu://context/"+plan {
		t.Fatalf("resources = %+v, %v, want the inbox and the one context it may read", list, err)
	}
	read := func(uri string) (string, error) {
		got, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			return "", err
		}
		return got.Contents[0].Text, nil
	}
	whole, one := "kaijutsu://context/"+plan, "kaijutsu://context/"+plan+"/block/"+block
	if got, err := read(whole); err != nil || !strings.Contains(got, "one") {
		t.Errorf("context = %q, %v", got, err)
	}
	if got, err := read(one); err != nil || got != "one" {
		t.Errorf("block = %q, %v, want one", got, err)
	}
	if got, err := read("kaijutsu://context/" + hidden); err == nil {
		t.Errorf("a hidden context = %q", got)
	}
	if err := session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: one}); err != nil {
		t.Fatal(err)
	}
	g.do("block_append", `{"block_id": "`+block+`", "text": " two"}`)
	wait(t, "the update of the block", updated)
	if got, err := read(one); err != nil || got != "one two" {
		t.Errorf("block = %q, %v, want one two", got, err)
	}
	g.do("context_create", `{"title": "Another"}`)
	wait(t, "the update of the list", listed)

	g.do("token_revoke", `{"token": "bot"}`)
	if _, err := session.ListResources(t.Context(), nil); err == nil {
		t.Error("a revoked token lists resources")
	}
}

// wait receives from a channel.
func wait[T any](t *testing.T, what string, c <-chan T) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(time.Minute):
		t.Fatalf("%s has not come", what)
	}
}
