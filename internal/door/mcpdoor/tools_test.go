package mcpdoor

import (
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// versions are of the protocol: with sessions and without.
var versions = []string{"2024-11-05", "2025-03-26", "2025-06-18", withSessions, "2026-07-28"}

func TestToolCall(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			p := open(t, nil)
			c := p.dial(t, "amy", version, "?context=plan")
			if got := c.InitializeResult().ServerInfo; got.Name != "kaijutsu" || got.Version != "1.2.3" {
				t.Errorf("server = %+v", got)
			}
			if got := c.InitializeResult().Instructions; got != "Write blocks." {
				t.Errorf("instructions = %q", got)
			}
			c.call(t, "context_create", `{"title":"plan"}`)
			r := c.call(t, "block_write", `{"block_id":"b1","text":"<b> & \"é\" 🙂"}`)
			if r.IsError {
				t.Fatalf("error: %s", said(t, r))
			}
			// The same call, straight from the set.
			direct, err := p.door.cfg.Set.Call(t.Context(), op.Call{By: kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Agent}, Right: kaijutsu.RightEdit, Context: "plan"},
				"block_write", json.RawMessage(`{"block_id":"b1","text":"<b> & \"é\" 🙂"}`))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := said(t, r), string(direct); got != want {
				t.Errorf("text = %s, want %s", got, want)
			}
			var want any
			if err := json.Unmarshal(direct, &want); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(r.StructuredContent, want) {
				t.Errorf("structured content = %v, want %v", r.StructuredContent, want)
			}
		})
	}
}

func TestToolErrors(t *testing.T) {
	p := open(t, nil)
	amy, owner := p.dial(t, "amy", withSessions, ""), p.dial(t, "owner", withSessions, "")
	for _, c := range []struct {
		name         string
		as           *client
		tool, params string
		want         string // a regular expression
	}{
		{"what is not there", amy, "block_write", `{"context":"<x>","block_id":"b","text":""}`,
			`^\{"error":\{"kind":"not_found","message":"context \\"<x>\\": not found"\}\}$`},
		{"a parameter is missing", amy, "block_write", `{"block_id":"b"}`, `^\{"error":\{"kind":"invalid","message":"text: .*","field":"text"`},
		{"a parameter is unknown", amy, "context_create", `{"title":"a","colour":"red"}`, `"field":"colour"`},
		{"a parameter is given twice", amy, "context_create", `{"title":"a","title":"b"}`, `given twice`},
		{"no object", amy, "context_create", `[1]`, `want a JSON object`},
		{"too low a role", amy, "context_burn", `{}`, `"kind":"denied"`},
		{"a panic", owner, "context_burn", `{}`, `"kind":"internal","message":"internal error \(ref [0-9a-f]{8}\)","ref":`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.as.call(t, c.tool, c.params)
			if got := said(t, r); !r.IsError || !regexp.MustCompile(c.want).MatchString(got) {
				t.Errorf("result = %s (error: %v), want a match of %s", got, r.IsError, c.want)
			}
			if r.StructuredContent != nil {
				t.Errorf("structured content = %v, want none: it would not be of the output schema", r.StructuredContent)
			}
		})
	}
	t.Run("no parameters at all", func(t *testing.T) {
		r, err := amy.CallTool(t.Context(), &mcp.CallToolParams{Name: "context_list"})
		if err != nil || r.IsError {
			t.Errorf("context_list: %v %v", r, err)
		}
	})
	t.Run("an unknown tool is an error of the protocol", func(t *testing.T) {
		_, err := amy.CallTool(t.Context(), &mcp.CallToolParams{Name: "block_wrote"})
		var rpc *jsonrpc.Error
		if !errors.As(err, &rpc) || rpc.Code != jsonrpc.CodeInvalidParams || !strings.Contains(rpc.Message, `did you mean "block_write"`) {
			t.Errorf("error = %v", err)
		}
	})
}

func TestToolList(t *testing.T) {
	for _, version := range []string{withSessions, "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			p := open(t, nil)
			reader := p.dial(t, "reader", version, "")
			if got, want := reader.names(t), "context_burn context_list"; got != want {
				t.Errorf("tools of a reader = %s, want %s", got, want)
			}
			if _, err := reader.CallTool(t.Context(), &mcp.CallToolParams{Name: "block_write"}); err == nil {
				t.Error("a denied tool can be called")
			}
			list, err := p.dial(t, "amy", version, "").ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, tool := range list.Tools {
				a := tool.Annotations
				reads, destroys := tool.Name == "context_list", tool.Name == "context_burn"
				if a.ReadOnlyHint != reads || a.DestructiveHint == nil || *a.DestructiveHint != destroys || a.IdempotentHint != (reads || tool.Name == "block_write") {
					t.Errorf("annotations of %s = %+v", tool.Name, a)
				}
				in, out := tool.InputSchema.(map[string]any), tool.OutputSchema.(map[string]any)
				if in["type"] != "object" || out["type"] != "object" {
					t.Errorf("schemas of %s = %v, %v", tool.Name, in, out)
				}
				if tool.Name == "block_write" && !strings.Contains(tool.Description, `Say hello: {"block_id":"b1","text":"hello"}`) {
					t.Errorf("description = %q", tool.Description)
				}
			}
			if _, err := reader.ListTools(t.Context(), &mcp.ListToolsParams{Cursor: "x"}); err == nil {
				t.Error("a made-up cursor is taken")
			}
		})
	}
}

// TestRightsAreOfTheRequest shows that a session does not remember rights.
func TestRightsAreOfTheRequest(t *testing.T) {
	deny := make(chan []string, 1)
	deny <- nil
	p := open(t, func(cfg *Config) {
		cfg.Identify = func(r *http.Request) (op.Call, error) {
			call, err := identify(r)
			d := <-deny
			deny <- d
			call.Deny = d
			return call, err
		}
	})
	c := p.dial(t, "amy", withSessions, "")
	if got := c.names(t); !strings.Contains(got, "context_create") {
		t.Errorf("tools = %s", got)
	}
	<-deny
	deny <- []string{"context_create"}
	if got := c.names(t); strings.Contains(got, "context_create") {
		t.Errorf("tools = %s, want none that is denied by now", got)
	}
}
