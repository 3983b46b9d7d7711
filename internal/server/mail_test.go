package server_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"kaijutsu/internal/door/mcpdoor"
)

// agent is a client of MCP that notes what it is told.
type agent struct {
	*mcp.ClientSession
	updated chan string
}

// agent connects over HTTP, or over pipes as kj mcp does over standard input and
// output.
func (g *guarded) agent(token, query string, stdio bool) *agent {
	g.t.Helper()
	a := &agent{updated: make(chan string, 100)}
	var transport mcp.Transport = &mcp.StreamableClientTransport{
		Endpoint: g.URL() + "/mcp" + query, HTTPClient: &http.Client{Transport: bearer(token)},
	}
	if stdio {
		fromClient, toBridge := io.Pipe()
		fromBridge, toClient := io.Pipe()
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() {
			done <- mcpdoor.Bridge(ctx, mcpdoor.Options{URL: g.URL() + "/mcp" + query, Token: token, In: fromClient, Out: toClient})
			toClient.Close()
		}()
		g.t.Cleanup(func() {
			cancel()
			<-done
		})
		transport = &mcp.IOTransport{Reader: fromBridge, Writer: toBridge}
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { a.updated <- r.Params.URI },
	}).Connect(g.t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		g.t.Fatal(err)
	}
	a.ClientSession = session
	g.t.Cleanup(func() { session.Close() })
	return a
}

// read reads a resource that is JSON.
func (a *agent) read(t *testing.T, uri string, into any) {
	t.Helper()
	got, err := a.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		t.Fatalf("%s: %v", uri, err)
	}
	if err := json.Unmarshal([]byte(got.Contents[0].Text), into); err != nil {
		t.Fatalf("%s: %v in %s", uri, err, got.Contents[0].Text)
	}
}

// untilTold pushes until an agent is told: one does not know from when on the
// client's stream is open. It returns what it was told of.
func (a *agent) untilTold(t *testing.T, push func()) string {
	t.Helper()
	again := time.NewTicker(300 * time.Millisecond)
	defer again.Stop()
	for from := time.Now(); time.Since(from) < 20*time.Second; {
		push()
		select {
		case uri := <-a.updated:
			return uri
		case <-again.C:
		}
	}
	t.Fatal("it is not told")
	return ""
}

type inbox struct {
	Letters []struct {
		Context struct {
			ID string `json:"id"`
		} `json:"context"`
		By        string `json:"by"`
		Content   string `json:"content"`
		Citations []struct {
			Handle string `json:"handle"`
		} `json:"citations"`
	} `json:"letters"`
	Unread int `json:"unread"`
}

// TestInboxOfAgents: who subscribed to an inbox is told of a drift that comes, and
// reads it there, with what it cites.
func TestInboxOfAgents(t *testing.T) {
	for name, stdio := range map[string]bool{"HTTP": false, "standard input and output": true} {
		t.Run(name, func(t *testing.T) {
			g := startGuarded(t, nil)
			for _, title := range []string{"Source", "Plan", "Hidden"} {
				g.do("context_create", `{"title": "`+title+`"}`)
			}
			block := g.do("block_create", `{"context": "Source", "content": "one\ntwo\nthree"}`)["block_id"].(string)
			token := g.token("bot", "editor")
			g.do("role_set", `{"principal": "bot", "role": "none", "context": "Hidden"}`)
			here, all := g.agent(token, "?context=Plan", stdio), g.agent(token, "", stdio)
			for _, x := range []struct {
				a   *agent
				uri string
			}{{here, "kaijutsu://drift/inbox"}, {all, "kaijutsu://drift/inbox/Plan"}, {all, "kaijutsu://drift/inbox"}} {
				if err := x.a.Subscribe(t.Context(), &mcp.SubscribeParams{URI: x.uri}); err != nil {
					t.Fatalf("%s: %v", x.uri, err)
				}
			}
			if err := here.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "kaijutsu://drift/inbox/Hidden"}); err == nil {
				t.Error("a hidden inbox can be followed")
			}
			push := func() {
				g.do("drift_push", `{"from": "Source", "to": "Plan", "blocks": ["`+block+`"], "again": true}`)
			}
			if uri := here.untilTold(t, push); uri != "kaijutsu://drift/inbox" {
				t.Errorf("told of %s", uri)
			}
			told := map[string]bool{all.untilTold(t, push): true}
			for len(told) < 2 {
				told[all.untilTold(t, push)] = true
			}
			var got inbox
			here.read(t, "kaijutsu://drift/inbox", &got)
			if len(got.Letters) == 0 || got.Unread != len(got.Letters) || got.Letters[0].By != "owner" || !strings.Contains(got.Letters[0].Content, "two") || len(got.Letters[0].Citations) != 1 {
				t.Fatalf("inbox = %+v, want what was pushed, with its citation", got)
			}
			handle := got.Letters[0].Citations[0].Handle
			for _, uri := range []string{"kaijutsu://cite/" + handle, "kaijutsu://cite/" + url.QueryEscape(handle)} {
				var cited struct{ Text, State string }
				here.read(t, uri, &cited)
				if cited.Text != "one\ntwo\nthree" || cited.State != "fresh" {
					t.Errorf("%s = %+v", uri, cited)
				}
			}
			// What was read is in the inbox no more, and what may not be read never is.
			if _, err := here.CallTool(t.Context(), &mcp.CallToolParams{Name: "drift_inbox", Arguments: map[string]any{"read": true}}); err != nil {
				t.Fatal(err)
			}
			here.read(t, "kaijutsu://drift/inbox", &got)
			if got.Unread != 0 || len(got.Letters) != 0 {
				t.Errorf("inbox = %+v, want it empty", got)
			}
			g.do("drift_push", `{"from": "Source", "to": "Hidden", "content": "secret"}`)
			g.do("drift_push", `{"from": "Source", "to": "Plan", "content": "open"}`)
			all.read(t, "kaijutsu://drift/inbox", &got)
			if got.Unread != 1 || got.Letters[0].Content != "open" {
				t.Errorf("inbox = %+v, want the one that it may read", got)
			}
		})
	}
}
