package mcpdoor

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// client is a client of the library's, which notes what it is told.
type client struct {
	*mcp.ClientSession
	updated chan string   // resources
	listed  chan struct{} // the list of resources
}

// bearer adds a token to requests.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// withSessions is the last protocol version that has them.
const withSessions = "2025-11-25"

// connect connects a client by a transport.
func connect(t testing.TB, transport mcp.Transport, version string) *client {
	t.Helper()
	c := &client{updated: make(chan string, 100), listed: make(chan struct{}, 100)}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler:     func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { c.updated <- r.Params.URI },
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { c.listed <- struct{}{} },
	}).Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	c.ClientSession = session
	t.Cleanup(func() { session.Close() })
	return c
}

// dial connects a client over HTTP.
func (p *place) dial(t testing.TB, as, version, query string) *client {
	t.Helper()
	return connect(t, &mcp.StreamableClientTransport{
		Endpoint: p.url + query, HTTPClient: &http.Client{Transport: bearer{as}},
	}, version)
}

// call calls a tool and returns its result.
func (c *client) call(t testing.TB, tool, params string) *mcp.CallToolResult {
	t.Helper()
	result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(params)})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, params, err)
	}
	return result
}

// said returns the text of a result.
func said(t testing.TB, r *mcp.CallToolResult) string {
	t.Helper()
	if len(r.Content) != 1 {
		t.Fatalf("%d contents, want 1", len(r.Content))
	}
	text, ok := r.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("content is %T", r.Content[0])
	}
	return text.Text
}

// names returns the tools that a client sees.
func (c *client) names(t testing.TB) string {
	t.Helper()
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return strings.Join(names, " ")
}
