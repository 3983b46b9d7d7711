package kjtest

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// printed is the address that the README shows; a test's server has another.
const printed = "http://127.0.0.1:7433"

// readme returns the fenced blocks of a language below "Three doors".
func readme(t *testing.T, language string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "\n## Three doors\n")
	section, _, _ := strings.Cut(rest, "\n## ")
	var blocks []string
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(section, -1) {
		blocks = append(blocks, m[1])
	}
	if len(blocks) == 0 {
		t.Fatalf("the README shows no %s below Three doors", language)
	}
	return blocks
}

// TestReadmeCommands runs the README's lines for HTTP and the shell: both make
// a block, and answer in the same form.
func TestReadmeCommands(t *testing.T) {
	for _, tool := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s here", tool)
		}
	}
	p := Serve(t, t.TempDir())
	Call(t, p, "context_create", map[string]string{"title": "Release notes"}, &struct{}{})
	var fields []string
	for _, line := range strings.Split(strings.TrimSpace(readme(t, "sh")[0]), "\n") {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(line, printed, p.URL))
		cmd.Env = append(os.Environ(), "KJ_SERVER="+p.URL, "KJ_TOKEN=", "KJ_CONTEXT=", "PATH="+filepath.Dir(Binary(t))+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", line, err, out)
		}
		var result struct {
			Block string `json:"block_id"`
		}
		if err := json.Unmarshal(out, &result); err != nil || result.Block == "" {
			t.Errorf("%s answers %s, want a result with a block_id", line, out)
		}
		fields = append(fields, strings.Join(regexp.MustCompile(`"[a-z_]+":`).FindAllString(string(out), -1), ""))
	}
	if len(fields) != 2 || fields[0] != fields[1] {
		t.Errorf("the answers have the fields %q, want twice the same", fields)
	}
	var got struct {
		BlockList []struct{ Content string } `json:"block_list"`
	}
	Call(t, p, "context_get", map[string]string{"context": "Release"}, &got)
	if len(got.BlockList) != 2 || got.BlockList[0] != got.BlockList[1] {
		t.Errorf("the context holds %+v, want the same block twice", got.BlockList)
	}
}

// TestReadmeAgents connects an MCP client as the README says.
func TestReadmeAgents(t *testing.T) {
	p := Serve(t, t.TempDir())
	var config struct {
		Servers map[string]struct{ Type, URL string } `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(readme(t, "json")[0]), &config); err != nil {
		t.Fatal(err)
	}
	url := config.Servers["kaijutsu"].URL
	if !strings.HasPrefix(url, printed) {
		t.Fatalf("the README's server is at %q, want one below %s", url, printed)
	}
	bridge := exec.Command(Binary(t), "--server", p.URL, "mcp")
	bridge.Env = append(os.Environ(), "KJ_TOKEN=", "KJ_CONTEXT=")
	ways := map[string]mcp.Transport{
		"HTTP":   &mcp.StreamableClientTransport{Endpoint: strings.Replace(url, printed, p.URL, 1), HTTPClient: http.DefaultClient},
		"kj mcp": &mcp.CommandTransport{Command: bridge},
	}
	for name, transport := range ways {
		client := mcp.NewClient(&mcp.Implementation{Name: "readme", Version: "1"}, nil)
		session, err := client.Connect(t.Context(), transport, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "context_create", Arguments: map[string]any{"title": name}})
		if err != nil || result.IsError {
			t.Errorf("%s: context_create: %+v, %v", name, result, err)
		}
		if err := session.Close(); err != nil {
			t.Errorf("%s: close: %v", name, err)
		}
	}
}
