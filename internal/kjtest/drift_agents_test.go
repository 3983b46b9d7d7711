package kjtest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"kaijutsu/drift"
	"kaijutsu/internal/kjproc"
)

const inboxURI = "kaijutsu://drift/inbox"

// driftAgent is an agent with a token and a context of its own, over MCP.
type driftAgent struct {
	t       *testing.T
	name    string
	context string
	session *mcp.ClientSession
	told    chan string // URIs of resources that have changed
	sent    []string    // what it has pushed
	pulled  []string    // the ids of what it has pulled
}

func newDriftAgent(t *testing.T, name string, transport mcp.Transport) *driftAgent {
	t.Helper()
	a := &driftAgent{t: t, name: name, told: make(chan string, 1000)}
	client := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { a.told <- r.Params.URI },
	})
	var err error
	if a.session, err = client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"}); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	t.Cleanup(func() { a.session.Close() })
	var made struct{ ID string }
	callTool(t, a.session, "context_create", map[string]any{"title": "Desk of " + name}, &made)
	a.context = made.ID
	if err := a.session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: inboxURI}); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return a
}

// call calls a tool; unlike callTool, any goroutine may.
func (a *driftAgent) call(tool string, in map[string]any) (out map[string]any) {
	res, err := a.session.CallTool(a.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: in})
	if err != nil {
		a.t.Errorf("%s: %s: %v", a.name, tool, err)
		return nil
	}
	text, ok := res.Content[0].(*mcp.TextContent)
	if !ok || res.IsError {
		a.t.Errorf("%s: %s %v: %+v", a.name, tool, in, res.Content[0])
		return nil
	}
	if err := json.Unmarshal([]byte(text.Text), &out); err != nil {
		a.t.Errorf("%s: %s: %v in %s", a.name, tool, err, text.Text)
	}
	return out
}

// driftTo pushes, stages and flushes to another agent's desk, and pulls from it.
func (a *driftAgent) driftTo(other *driftAgent, rounds int) {
	push := func(stage bool) {
		text := fmt.Sprintf("%s found out %d.", a.name, len(a.sent)+1)
		a.sent = append(a.sent, text)
		a.call("drift_push", map[string]any{"context": a.context, "to": other.context, "content": text, "stage": stage})
	}
	for round := range rounds {
		push(false)
		for range 3 {
			push(true)
		}
		if out := a.call("drift_flush", map[string]any{"context": a.context}); out != nil && out["delivered"] != float64(3) {
			a.t.Errorf("%s: the flush of round %d delivered %v of 3", a.name, round, out["delivered"])
		}
		if round%3 != 0 {
			continue
		}
		// Asked twice under one id, as after an answer that got lost.
		id := drift.NewID(time.Now())
		a.pulled = append(a.pulled, id)
		for range 2 {
			a.call("drift_pull", map[string]any{"from": other.context, "context": a.context, "focus": "what was found out?", "id": id})
		}
	}
}

// TestAgentsDriftWhileSomebodyTypes has two agents, one over kj mcp and one over
// HTTP, drift to each other while the stock client types in both of their
// contexts: every drift is there once, by who sent it, and every letter too.
func TestAgentsDriftWhileSomebodyTypes(t *testing.T) {
	const letters, steps, rounds = "abcdefghij", 150, 10
	p := Serve(t, t.TempDir())
	amy := newToken(t, p, "amy", "person")
	bridge := exec.Command(Binary(t), "--server", p.URL, "mcp")
	bridge.Env = append(os.Environ(), "KJ_TOKEN="+newToken(t, p, "scout", "agent"), "KJ_CONTEXT=")
	scout := newDriftAgent(t, "scout", &mcp.CommandTransport{Command: bridge})
	smith := newDriftAgent(t, "blacksmith", &mcp.StreamableClientTransport{
		Endpoint: p.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer{newToken(t, p, "blacksmith", "agent")}},
	})
	var typists []*typist
	var texts []string
	for _, a := range []*driftAgent{scout, smith} {
		a.call("block_create", map[string]any{"context": a.context, "content": "We decided to keep the cache, because it was found out that it is fast."})
		var info struct{ URL string }
		Call(t, p, "context_get", map[string]any{"context": a.context}, &info)
		var made struct {
			BlockID string `json:"block_id"`
		}
		Call(t, p, "block_create", map[string]any{"context": a.context, "kind": "text", "role": "user", "content": "~"}, &made)
		typists = append(typists, startTypist(t, p.SyncURL()+"?token="+amy, info.URL, made.BlockID, letters))
		texts = append(texts, made.BlockID)
	}

	var typed []func() string
	for _, someone := range typists {
		typed = append(typed, someone.begin(fmt.Sprintf("type %d", steps)))
	}
	var working sync.WaitGroup
	working.Go(func() { scout.driftTo(smith, rounds) })
	working.Go(func() { smith.driftTo(scout, rounds) })
	for _, done := range typed {
		if got := done(); got != "typed" {
			t.Fatalf("the typist answers %q", got)
		}
	}
	working.Wait()

	scout.checkDesk(p, smith)
	smith.checkDesk(p, scout)
	for i, a := range []*driftAgent{scout, smith} {
		if got := typists[i].do("saved"); got != "saved" {
			t.Fatalf("the typist answers %q", got)
		}
		var read struct{ Content string }
		Call(t, p, "block_read", map[string]any{"context": a.context, "block_id": texts[i], "line_numbers": false}, &read)
		counts := make(map[rune]int)
		for _, r := range read.Content {
			counts[r]++
		}
		for _, r := range letters {
			if counts[r] != steps/len(letters) {
				t.Errorf("%s's text has %q %d times, want %d", a.name, r, counts[r], steps/len(letters))
			}
		}
		if got := utf8.RuneCountInString(read.Content); got != steps+1 {
			t.Errorf("%s's text has %d characters, want %d", a.name, got, steps+1)
		}
		want, err := json.Marshal(read.Content)
		if err != nil {
			t.Fatal(err)
		}
		if got := typists[i].do("await " + string(want)); got != "same" {
			t.Errorf("the typist has another text: %s", got)
		}
		a.checkTold()
	}
}

// checkDesk holds what is on the agent's desk against what the other one sent
// and what it has pulled itself.
func (a *driftAgent) checkDesk(p *kjproc.Process, from *driftAgent) {
	a.t.Helper()
	var desk struct {
		Blocks []struct{ Kind, Content, Author, Meta string } `json:"block_list"`
	}
	Call(a.t, p, "context_get", map[string]any{"context": a.context}, &desk)
	found, order, pulls := make(map[string]int), "", make(map[string]int)
	for _, b := range desk.Blocks {
		if b.Kind != "drift" {
			continue
		}
		var meta struct {
			Source string `json:"source_context"`
			Kind   string `json:"drift_kind"`
			Drift  string `json:"drift_id"`
		}
		if err := json.Unmarshal([]byte(b.Meta), &meta); err != nil {
			a.t.Fatalf("meta of %q: %v", b.Content, err)
		}
		if meta.Source != from.context {
			a.t.Errorf("%s has %q from context %s, want %s", a.name, b.Content, meta.Source, from.context)
		}
		author := from.name
		if meta.Kind == "pull" {
			author = a.name
			pulls[meta.Drift]++
		} else {
			found[b.Content]++
			order += b.Content + "\n"
		}
		if b.Author != author {
			a.t.Errorf("%s has %q by %s, want %s", a.name, b.Content, b.Author, author)
		}
	}
	for _, text := range from.sent {
		if found[text] != 1 {
			a.t.Errorf("%s has %q %d times, want once", a.name, text, found[text])
		}
	}
	for _, id := range a.pulled {
		if pulls[id] != 1 {
			a.t.Errorf("%s has pull %s %d times, want once", a.name, id, pulls[id])
		}
	}
	if len(found) != len(from.sent) || len(pulls) != len(a.pulled) {
		a.t.Errorf("%s has %d drifts and %d pulls, want %d and %d", a.name, len(found), len(pulls), len(from.sent), len(a.pulled))
	}
	if want := strings.Join(from.sent, "\n") + "\n"; order != want {
		a.t.Errorf("%s has them in the order %q, want %q", a.name, order, want)
	}
}

// checkTold waits for word that a drift has come, and reads the inbox then.
func (a *driftAgent) checkTold() {
	a.t.Helper()
	for uri := ""; uri != inboxURI; {
		select {
		case uri = <-a.told:
		case <-time.After(time.Minute):
			a.t.Fatalf("%s was not told that a drift has come", a.name)
		}
	}
	got, err := a.session.ReadResource(a.t.Context(), &mcp.ReadResourceParams{URI: inboxURI})
	if err != nil {
		a.t.Fatalf("%s: %v", a.name, err)
	}
	if text := got.Contents[0].Text; !strings.Contains(text, "found out") {
		a.t.Errorf("%s's inbox has nothing of what was found out: %.300s", a.name, text)
	}
}
