package kjtest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"kaijutsu"
	"kaijutsu/internal/op"
)

// TestScenario18DeniedOperationIsNowhere: an operation that is denied is in no
// list and no schema, and fails through every door; lists only restrict.
func TestScenario18DeniedOperationIsNowhere(t *testing.T) {
	h := openHouse(t, "block_edit")
	const in = `{"block_id":"00000000-0000-7000-8000-000000000001","operations":[{"op":"delete","start_line":0,"end_line":1}]}`

	amyToo := op.Call{By: amy, Right: kaijutsu.RightOwn, Deny: []string{"block_splice"}}
	for _, o := range h.set.List(amyToo) {
		if o.Name == "block_edit" || o.Name == "block_splice" {
			t.Errorf("the list has %s", o.Name)
		}
	}
	_, want := callSet(t, h, "block_edit", in)
	if want == nil || want.Kind != "not_found" {
		t.Fatalf("block_edit: %+v, want a problem of kind not_found", want)
	}

	_, got := callHTTP(t, h, "block_edit", in)
	if err := same("http", got, want); err != nil {
		t.Errorf("http: %v", err)
	}
	for _, path := range []string{"/v1/ops", "/v1/openapi.json"} {
		if body := fetch(t, h.url+path); strings.Contains(body, `"block_edit"`) || !strings.Contains(body, `"block_append"`) {
			t.Errorf("%s tells of block_edit, or not of block_append", path)
		}
	}

	client := mcp.NewClient(&mcp.Implementation{Name: "denied", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: h.url + "/mcp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		if tool.Name == "block_edit" {
			t.Error("MCP lists block_edit")
		}
	}
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "block_edit", Arguments: json.RawMessage(in)}); err == nil || !strings.Contains(err.Error(), want.Message) {
		t.Errorf("MCP: %v, want %q", err, want.Message)
	}

	message, exit := shellProblem(*want)
	if out, code := kj(t, h, "block", "edit", "--params", in); code != exit || out != message {
		t.Errorf("kj block edit: status %d, %q, want %d, %q", code, out, exit, message)
	}
	if out, _ := kj(t, h, "help", "block"); strings.Contains(out, "\n  edit ") || !strings.Contains(out, "\n  append ") {
		t.Errorf("kj help block lists edit, or not append:\n%s", out)
	}
	if out, code := kj(t, h, "help", "block_edit"); code == 0 {
		t.Errorf("kj help block_edit says %s", out)
	}
}

// kj runs a command against a house and returns all that it prints, and its
// exit status.
func kj(t *testing.T, h *house, words ...string) (string, int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), Binary(t), append([]string{"--server", h.url, "--token", "none"}, words...)...)
	cmd.Env = append(cmd.Environ(), "KJ_CONTEXT=", "KJ_TOKEN=")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func fetch(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, resp.Status, err)
	}
	return body.String()
}
