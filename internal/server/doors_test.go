package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/editor"
)

// session begins an MCP session with a token.
func (g *guarded) session(token string) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, nil)
	session, err := client.Connect(g.t.Context(), &mcp.StreamableClientTransport{
		Endpoint: g.URL() + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)}, MaxRetries: -1,
	}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err == nil {
		g.t.Cleanup(func() { _ = session.Close() })
	}
	return session, err
}

// tool calls a tool and returns the kind of its error, "" when it worked.
func (g *guarded) tool(session *mcp.ClientSession, name, params string) string {
	g.t.Helper()
	var in map[string]any
	if err := json.Unmarshal([]byte(params), &in); err != nil {
		g.t.Fatal(err)
	}
	got, err := session.CallTool(g.t.Context(), &mcp.CallToolParams{Name: name, Arguments: in})
	if err != nil {
		return "protocol: " + err.Error()
	}
	if !got.IsError {
		return ""
	}
	var out struct {
		Error struct{ Kind string }
	}
	_ = json.Unmarshal([]byte(got.Content[0].(*mcp.TextContent).Text), &out)
	return out.Error.Kind
}

// editor connects one with a token.
func (g *guarded) editor(token string) (*editor.Client, <-chan string) {
	g.t.Helper()
	told := make(chan string, 1000)
	client, err := editor.Dial(g.t.Context(), editor.Config{URL: g.SyncURL() + "?token=" + token, OnError: func(m string) { told <- m }})
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { _ = client.Close() })
	return client, told
}

// tail opens a stream of a context and returns its status, and what is closed
// when it ends.
func (g *guarded) tail(token, context string) (int, <-chan struct{}) {
	g.t.Helper()
	req, err := http.NewRequestWithContext(g.t.Context(), "GET", g.URL()+"/v1/contexts/"+context+"/tail", nil)
	if err != nil {
		g.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		g.t.Fatal(err)
	}
	ended := make(chan struct{})
	lines := bufio.NewScanner(resp.Body)
	for resp.StatusCode == http.StatusOK && lines.Scan() && lines.Text() != "event: live" {
	}
	go func() {
		defer close(ended)
		defer resp.Body.Close()
		for lines.Scan() {
		}
	}()
	return resp.StatusCode, ended
}

// TestEveryDoorAsksForTheRole: what a role may not do, it may do at no door.
func TestEveryDoorAsksForTheRole(t *testing.T) {
	g := startGuarded(t, nil)
	plan, err := kaijutsu.ParseContextID(g.do("context_create", `{"title": "Plan"}`)["id"].(string))
	if err != nil {
		t.Fatal(err)
	}
	g.do("block_create", `{"context": "Plan", "content": "one"}`)
	for i, role := range []string{"none", "reader", "commenter", "editor", "owner"} {
		t.Run(role, func(t *testing.T) {
			g.t = t
			token := g.token("the-"+role, role)
			reads, comments, edits := i >= 1, i >= 2, i >= 3
			refused := func(may bool) string {
				switch {
				case may:
					return ""
				case !reads:
					return "not_found"
				}
				return "denied"
			}
			session, err := g.session(token)
			if err != nil {
				t.Fatal(err)
			}
			for _, call := range []struct {
				op, params string
				may        bool
			}{
				{"context_get", `{"context": "Plan"}`, reads},
				{"block_create", `{"context": "Plan", "kind": "comment", "content": "hm"}`, comments},
				{"block_create", `{"context": "Plan", "content": "text"}`, edits},
				{"role_set", `{"context": "Plan", "principal": "the-` + role + `", "role": "default"}`, i >= 4},
			} {
				if call.op == "role_set" && call.may { // there is no grant to take back
					continue
				}
				if code, out := g.try(token, call.op, call.params); kindOf(code, out) != refused(call.may) {
					t.Errorf("http: %s %s = %d %v, want %q", call.op, call.params, code, out, refused(call.may))
				}
				if got := g.tool(session, call.op, call.params); got != refused(call.may) {
					t.Errorf("mcp: %s %s = %q, want %q", call.op, call.params, got, refused(call.may))
				}
			}
			code, _ := g.tail(token, plan.String())
			if (code == http.StatusOK) != reads {
				t.Errorf("tail = %d, want allowed = %v", code, reads)
			}
			code, body := request(t, "GET", g.URL()+"/v1/events?context="+plan.String()+"&since=x&token="+token, "", nil)
			if hides := strings.Contains(body, "not_found"); hides == reads {
				t.Errorf("events = %d %s, want that it is there: %v", code, body, reads)
			}
			g.editorMay(token, plan, reads, comments, edits)
		})
	}
	g.t = t
}

// editorMay holds what an editor may do by synced changes against what it
// should.
func (g *guarded) editorMay(token string, plan kaijutsu.ContextID, reads, comments, edits bool) {
	t := g.t
	t.Helper()
	client, told := g.editor(token)
	doc := client.Open(t.Context(), plan.Document())
	if !reads {
		if !g.unavailable(doc) {
			t.Error("sync: a context that is not for them has come")
		}
		return
	}
	if err := doc.Wait(t.Context(), func() bool { return doc.Len() > 0 }); err != nil {
		t.Fatal(err)
	}
	for _, try := range []struct {
		what string
		kind blocks.Kind
		may  bool
	}{{"a comment", blocks.KindComment, comments}, {"text", blocks.KindText, edits}} {
		hash, err := doc.Edit(t.Context(), func(tx *blocks.Tx) error {
			return tx.InsertBlock(blocks.BlockSpec{ID: blocks.NewID(time.Now()), Kind: try.kind, Role: blocks.RoleUser, Content: "by sync"})
		})
		if err != nil {
			t.Fatal(err)
		}
		if !try.may {
			wait(t, "the refusal of "+try.what, told)
			if doc.Stored(hash) {
				t.Errorf("sync: %s was taken", try.what)
			}
			return // what comes behind it depends on it
		}
		if err := doc.WaitStored(t.Context(), hash); err != nil {
			t.Errorf("sync: %s was not taken: %v", try.what, err)
		}
	}
}

// unavailable reports whether the server says that it has no such document.
func (g *guarded) unavailable(doc *editor.Document) bool {
	ctx, cancel := context.WithTimeout(g.t.Context(), time.Minute)
	defer cancel()
	return doc.Wait(ctx, doc.Unavailable) == nil && doc.Len() == 0
}

// TestEveryDoorKeepsToTheToken: what a token narrows, it narrows at every door.
func TestEveryDoorKeepsToTheToken(t *testing.T) {
	g := startGuarded(t, nil)
	ids := make(map[string]kaijutsu.ContextID)
	for _, title := range []string{"In", "Out"} {
		id, err := kaijutsu.ParseContextID(g.do("context_create", `{"title": "`+title+`"}`)["id"].(string))
		if err != nil {
			t.Fatal(err)
		}
		ids[title] = id
		g.do("block_create", `{"context": "`+title+`", "content": "needle"}`)
	}
	token := func(t *testing.T, name, narrow string) string {
		g.t = t
		return g.do("token_create", `{"name": "`+name+`", "role": "owner", `+narrow+`}`)["token"].(string)
	}
	t.Run("a context", func(t *testing.T) {
		in := token(t, "one", `"contexts": ["In"], "limit": "editor"`)
		session, err := g.session(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range []struct{ op, params, want string }{
			{"context_get", `{"context": "In"}`, ""},
			{"block_create", `{"context": "In", "content": "x"}`, ""},
			{"context_get", `{"context": "Out"}`, "not_found"},
			{"context_get", `{"context": "` + ids["Out"].String() + `"}`, "not_found"},
			{"block_create", `{"context": "Out", "content": "x"}`, "not_found"},
			{"context_delete", `{"context": "In", "force": true}`, "denied"},
			{"role_set", `{"context": "In", "principal": "one", "role": "owner"}`, "denied"},
			{"role_set", `{"principal": "one", "role": "owner"}`, "denied"},
			{"context_create", `{"title": "New"}`, "denied"},
			{"token_create", `{"name": "x"}`, "denied"},
			{"token_list", `{}`, "denied"},
			{"identity_set", `{"principal": "one", "email": "a@example.org"}`, "denied"},
			{"drift_push", `{"from": "In", "to": "Out", "content": "x"}`, "not_found"},
			{"drift_push", `{"from": "Out", "to": "In", "content": "x"}`, "not_found"},
			{"audit_list", `{}`, "denied"},
		} {
			if code, out := g.try(in, call.op, call.params); kindOf(code, out) != call.want {
				t.Errorf("http: %s %s = %d %v, want %q", call.op, call.params, code, out, call.want)
			}
			if got := g.tool(session, call.op, call.params); got != call.want {
				t.Errorf("mcp: %s %s = %q, want %q", call.op, call.params, got, call.want)
			}
		}
		_, list := g.try(in, "context_list", `{}`)
		_, found := g.try(in, "kernel_search", `{"query": "needle"}`)
		for what, shown := range map[string]string{"context_list": text(list), "kernel_search": text(found)} {
			if strings.Contains(shown, ids["Out"].String()) || !strings.Contains(shown, ids["In"].String()) {
				t.Errorf("%s = %s, want the one context", what, shown)
			}
		}
		for title, want := range map[string]int{"In": 200, "Out": 404} {
			if code, _ := g.tail(in, ids[title].String()); code != want {
				t.Errorf("tail of %s = %d, want %d", title, code, want)
			}
			if code, _ := request(t, "GET", g.URL()+"/v1/contexts/"+ids[title].String()+"/export?token="+in, "", nil); code != want {
				t.Errorf("export of %s = %d, want %d", title, code, want)
			}
		}
		client, _ := g.editor(in)
		inside, outside := client.Open(t.Context(), ids["In"].Document()), client.Open(t.Context(), ids["Out"].Document())
		if err := inside.Wait(t.Context(), func() bool { return inside.Len() > 0 }); err != nil {
			t.Error(err)
		}
		if !g.unavailable(outside) {
			t.Error("sync: a context that is not the token's has come")
		}
	})
	t.Run("a role", func(t *testing.T) {
		reader := token(t, "two", `"limit": "reader"`)
		if code, out := g.try(reader, "block_create", `{"context": "In", "content": "x"}`); kindOf(code, out) != "denied" {
			t.Errorf("block_create = %d %v, want denied", code, out)
		}
		g.editorMay(reader, ids["In"], true, false, false)
	})
	t.Run("operations", func(t *testing.T) {
		few := token(t, "three", `"only": ["context_list", "block_read"]`)
		if code, out := g.try(few, "block_create", `{"context": "In", "content": "x"}`); kindOf(code, out) != "not_found" {
			t.Errorf("block_create = %d %v, want that it is not there", code, out)
		}
		if code, out := g.try(few, "context_list", `{}`); code != http.StatusOK {
			t.Errorf("context_list = %d %v", code, out)
		}
		if code, _ := g.tail(few, ids["In"].String()); code != 404 {
			t.Errorf("tail, which is context_get = %d, want 404", code)
		}
		if _, err := editor.Dial(t.Context(), editor.Config{URL: g.SyncURL() + "?token=" + few}); err == nil {
			t.Error("sync: a token for operations connects an editor")
		}
	})
	t.Run("a door", func(t *testing.T) {
		for _, door := range []string{"http", "sync", "mcp"} {
			one := token(t, "four", `"doors": ["`+door+`"]`)
			code, _ := g.try(one, "context_list", `{}`)
			if (code == http.StatusOK) != (door == "http") {
				t.Errorf("for %s: http = %d", door, code)
			}
			if _, err := g.session(one); (err == nil) != (door == "mcp") {
				t.Errorf("for %s: mcp = %v", door, err)
			}
			c, err := editor.Dial(t.Context(), editor.Config{URL: g.SyncURL() + "?token=" + one})
			if (err == nil) != (door == "sync") {
				t.Errorf("for %s: sync = %v", door, err)
			}
			if err == nil {
				_ = c.Close()
			}
		}
	})
	g.t = t
}

// TestARevocationEndsEveryDoor: what is under way with a token when it is
// revoked, rotated without grace, or its owner's is, ends at once.
func TestARevocationEndsEveryDoor(t *testing.T) {
	g := startGuarded(t, nil)
	plan := g.do("context_create", `{"title": "Plan"}`)["id"].(string)
	id, err := kaijutsu.ParseContextID(plan)
	if err != nil {
		t.Fatal(err)
	}
	// open begins something with a token, and returns what is closed at its end.
	opens := map[string]func(token string) <-chan struct{}{
		"sync": func(token string) <-chan struct{} {
			client, _ := g.editor(token)
			doc := client.Open(g.t.Context(), id.Document())
			if err := doc.Wait(g.t.Context(), func() bool { return doc.Len() > 0 }); err != nil {
				g.t.Fatal(err)
			}
			return client.Gone()
		},
		"tail": func(token string) <-chan struct{} {
			_, ended := g.tail(token, plan)
			return ended
		},
		"events": func(token string) <-chan struct{} {
			events, _ := g.stream(token, "context="+plan, "")
			<-events // hello
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				for range events {
				}
			}()
			return ended
		},
		"a long call": func(token string) <-chan struct{} {
			began, ended := make(chan struct{}), make(chan struct{})
			req, err := http.NewRequestWithContext(g.t.Context(), "POST", g.URL()+"/v1/ops/events_follow", strings.NewReader(`{"pattern": "ctx.*.block.>", "wait_ms": 25000}`))
			if err != nil {
				g.t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+token)
			go func() {
				defer close(ended)
				close(began)
				if resp, err := http.DefaultClient.Do(req); err == nil {
					resp.Body.Close()
				}
			}()
			<-began
			g.followed(1)
			return ended
		},
		"an agent's call": func(token string) <-chan struct{} {
			session, err := g.session(token)
			if err != nil {
				g.t.Fatal(err)
			}
			ended := make(chan struct{})
			ctx := g.t.Context()
			go func() {
				defer close(ended)
				_, _ = session.CallTool(ctx, &mcp.CallToolParams{Name: "events_follow", Arguments: map[string]any{"pattern": "ctx.*.block.>", "wait_ms": 25000}})
			}()
			g.followed(1)
			return ended
		},
	}
	ways := map[string]func(token, id string) string{
		"revoked":                func(_, id string) string { g.do("token_revoke", `{"token": "`+id+`"}`); return "" },
		"revoked by name":        func(string, string) string { g.do("token_revoke", `{"token": "amy"}`); return "" },
		"rotated":                func(_, id string) string { g.do("token_rotate", `{"token": "`+id+`", "grace": "0s"}`); return "" },
		"rotated by who has it":  func(token, _ string) string { g.try(token, "token_rotate", `{"grace": "0s"}`); return "" },
		"the owner's is rotated": nil,
	}
	for way, end := range ways {
		for door, open := range opens {
			t.Run(way+"/"+door, func(t *testing.T) {
				g.t = t
				made := g.do("token_create", `{"name": "amy", "role": "editor"}`)
				token, id := made["token"].(string), made["id"].(string)
				if end == nil {
					token = g.owner
				}
				ended := open(token)
				began := time.Now()
				if end == nil {
					g.owner = g.do("token_rotate", `{"token": "owner"}`)["token"].(string)
				} else {
					end(token, id)
				}
				wait(t, fmt.Sprintf("the end of %s", door), ended)
				if took := time.Since(began); took > 20*time.Second {
					t.Errorf("%s ended by itself, after %v", door, took)
				}
				t.Logf("%s ended %v after the call began", door, time.Since(began).Round(time.Millisecond))
				if code, out := g.try(token, "context_list", `{}`); code != http.StatusUnauthorized {
					t.Errorf("a call with it = %d %v, want 401", code, out)
				}
				g.try(g.owner, "token_revoke", `{"token": "amy"}`) // it may be gone
			})
		}
	}
	g.t = t
}

// followed waits until so many follow events.
func (g *guarded) followed(n int) {
	g.t.Helper()
	look, late := time.NewTicker(5*time.Millisecond), time.After(time.Minute)
	defer look.Stop()
	for g.Followers() < n {
		select {
		case <-look.C:
		case <-late:
			g.t.Fatalf("%d follow events, want %d", g.Followers(), n)
		}
	}
}
