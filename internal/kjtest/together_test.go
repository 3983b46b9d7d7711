package kjtest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"kaijutsu/internal/kjproc"
)

// TestTypistAndAgentInOneBlock lets a stock JavaScript client and an MCP client
// edit the same block at once, each with a token of its own: both come to see
// the same text, and blame names the one who wrote each character.
func TestTypistAndAgentInOneBlock(t *testing.T) {
	const letters, steps = "abcdefghij", 60
	p := Serve(t, t.TempDir())
	amy, robot := newToken(t, p, "amy", "person"), newToken(t, p, "robot", "agent")

	var ctx struct{ ID, URL string }
	Call(t, p, "context_create", map[string]any{"title": "together"}, &ctx)
	var made struct {
		BlockID string `json:"block_id"`
	}
	Call(t, p, "block_create", map[string]any{"context": ctx.ID, "kind": "text", "role": "user", "content": "~"}, &made)

	typist := startTypist(t, p.SyncURL()+"?token="+amy, ctx.URL, made.BlockID, letters)
	agent := dialMCP(t, p, robot)

	var seats struct {
		Seats []struct{ Principal, Nick, Door string }
	}
	Call(t, p, "seat_list", map[string]any{}, &seats)
	doors := make(map[string]string)
	for _, s := range seats.Seats {
		doors[s.Principal] = s.Door
	}
	if want := map[string]string{"amy": "sync", "robot": "mcp"}; !maps.Equal(doors, want) {
		t.Errorf("seats are %+v, want %v", seats.Seats, want)
	}

	typed := typist.begin(fmt.Sprintf("type %d", steps))
	for i := range steps {
		callTool(t, agent, "block_splice", map[string]any{
			"context": ctx.ID, "block_id": made.BlockID, "offset": i % 2, "delete_count": 0, "insert": string(rune('A' + i%26)),
		}, nil)
	}
	if got := typed(); got != "typed" {
		t.Fatalf("the typist answers %q", got)
	}
	if got := typist.do("saved"); got != "saved" {
		t.Fatalf("the typist answers %q", got)
	}

	var read struct{ Content string }
	callTool(t, agent, "block_read", map[string]any{"context": ctx.ID, "block_id": made.BlockID, "line_numbers": false}, &read)
	want, err := json.Marshal(read.Content)
	if err != nil {
		t.Fatal(err)
	}
	if got := typist.do("await " + string(want)); got != "same" {
		t.Fatalf("the typist has %s, the agent %s: %s", typist.do("text"), want, got)
	}
	if got, want := utf8.RuneCountInString(read.Content), 1+2*steps; got != want {
		t.Fatalf("%d characters, want %d: %q", got, want, read.Content)
	}

	var blame struct {
		Runs []struct {
			Start, Len int
			Author     string
		}
	}
	callTool(t, agent, "block_blame", map[string]any{"context": ctx.ID, "block_id": made.BlockID}, &blame)
	content, at := []rune(read.Content), 0
	for _, run := range blame.Runs {
		if run.Start != at {
			t.Fatalf("a run starts at %d, want %d", run.Start, at)
		}
		for _, r := range content[run.Start : run.Start+run.Len] {
			want := "local"
			switch {
			case strings.ContainsRune(letters, r):
				want = "amy"
			case r >= 'A' && r <= 'Z':
				want = "robot"
			}
			if run.Author != want {
				t.Errorf("%q at %d is blamed on %s, want %s", r, at, run.Author, want)
			}
			at++
		}
	}
	if at != len(content) {
		t.Errorf("blame ends at %d of %d characters", at, len(content))
	}
}

// newToken makes a token for an editor.
func newToken(t *testing.T, p *kjproc.Process, name, kind string) string {
	t.Helper()
	var out struct{ Token string }
	Call(t, p, "token_create", map[string]any{"name": name, "kind": kind, "role": "editor"}, &out)
	if out.Token == "" {
		t.Fatalf("token_create gives %s no token", name)
	}
	return out.Token
}

// bearer adds a token to requests.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

func dialMCP(t *testing.T, p *kjproc.Process, token string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: p.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer{token}},
	}, nil)
	if err != nil {
		t.Fatalf("connect to /mcp: %v", err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// callTool calls a tool that has to work and reads its structured result.
func callTool(t *testing.T, s *mcp.ClientSession, tool string, in map[string]any, out any) {
	t.Helper()
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: in})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	text, ok := res.Content[0].(*mcp.TextContent)
	if !ok || res.IsError {
		t.Fatalf("%s: %+v", tool, res.Content[0])
	}
	if out != nil {
		if err := json.Unmarshal([]byte(text.Text), out); err != nil {
			t.Fatalf("%s: %v in %s", tool, err, text.Text)
		}
	}
}

// typist is typist.mjs in a process of its own.
type typist struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
}

func startTypist(t *testing.T, ws, doc, block, word string) *typist {
	t.Helper()
	const dir = "../interop"
	if _, err := os.Stat(dir + "/node_modules"); err != nil {
		if os.Getenv("KJ_REQUIRE_NODE") != "" {
			t.Fatal("the npm packages are not installed; run: cd internal/interop && npm ci")
		}
		t.Skip("the npm packages are not installed; run: cd internal/interop && npm ci")
	}
	cmd := exec.CommandContext(t.Context(), "node", "typist.mjs", ws, doc, block, word)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &typist{t, in, bufio.NewReader(out)}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil && t.Context().Err() == nil {
			t.Errorf("the typist ended with %v", err)
		}
	})
	if got := p.answer(); got != "ready" {
		t.Fatalf("the typist answers %q", got)
	}
	return p
}

// begin sends a command; the function returns its answer.
func (p *typist) begin(command string) func() string {
	p.t.Helper()
	if _, err := fmt.Fprintln(p.in, command); err != nil {
		p.t.Fatal(err)
	}
	return p.answer
}

func (p *typist) do(command string) string { return p.begin(command)() }

func (p *typist) answer() string {
	line, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatalf("the typist is gone: %v", err)
	}
	return strings.TrimSuffix(line, "\n")
}
