package kjtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"kaijutsu"
	"kaijutsu/drift"
	"kaijutsu/internal/access"
	"kaijutsu/internal/audit"
	"kaijutsu/internal/catalog"
	"kaijutsu/internal/courier"
	"kaijutsu/internal/door/httpdoor"
	"kaijutsu/internal/door/mcpdoor"
	"kaijutsu/internal/door/shelldoor"
	"kaijutsu/internal/kernel"
	"kaijutsu/internal/limit"
	"kaijutsu/internal/link"
	"kaijutsu/internal/mounts"
	"kaijutsu/internal/op"
	"kaijutsu/internal/policy"
	"kaijutsu/internal/provenance"
	"kaijutsu/internal/records"
	"kaijutsu/internal/repo"
	"kaijutsu/internal/search"
	"kaijutsu/internal/store"
)

// house is a kernel of its own with all its doors open to amy.
type house struct {
	set        *op.Set
	url        string
	data, home string // of the server, and what ~ is
}

var amy = kaijutsu.Principal{Name: "amy", Kind: kaijutsu.Person}

// openHouse starts a house that ends with the test. deny are operations that
// it does not offer.
func openHouse(t *testing.T, deny ...string) *house {
	t.Helper()
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	st, err := store.Open(store.Options{Dir: filepath.Join(dir, "store"), Log: log, MinFree: 1})
	must(err)
	var index atomic.Pointer[search.Index]
	var rows, waiting atomic.Pointer[records.Table]
	var known atomic.Pointer[provenance.Index]
	var mounted atomic.Pointer[mounts.Mounts]
	rp := repo.Start(repo.Config{Log: log, Store: st, Committed: func(c repo.Committed) {
		if ix := index.Load(); ix != nil {
			ix.Note(c)
		}
		if table := rows.Load(); table != nil {
			table.Note(c)
		}
		if table := waiting.Load(); table != nil {
			table.Note(c)
		}
		if letters := known.Load(); letters != nil {
			letters.Note(c)
		}
		if files := mounted.Load(); files != nil {
			files.Note(c)
		}
	}})
	ix, err := search.Start(search.Config{Repo: rp, Store: st, Dir: filepath.Join(dir, "search"), Log: log})
	must(err)
	index.Store(ix)
	shared, err := records.Open(records.Config{Log: log, Repo: rp, Kernel: "main"})
	must(err)
	rows.Store(shared)
	queue, err := records.Open(records.Config{Log: log, Repo: rp, Kernel: "main", Name: "drift", MaxValue: drift.MaxItemBytes})
	must(err)
	waiting.Store(queue)
	hidden := func(doc kaijutsu.DocumentID) bool { return doc == queue.Doc() }
	table, err := access.Open(access.Config{Log: log, Records: shared, Owners: []kaijutsu.Principal{amy}})
	must(err)
	k, err := kernel.Open(kernel.Config{Log: log, Store: st, Repo: rp, Access: table, Records: shared, Locate: ix.Locate, Hidden: hidden})
	must(err)
	letters, err := provenance.Start(provenance.Config{Log: log, Store: st, Repo: rp, Kernel: k, Table: queue, Hidden: hidden})
	must(err)
	known.Store(letters)
	links, err := link.Open(link.Config{Log: log, Table: queue, Kernel: "main"})
	must(err)
	keeper, err := policy.Open(policy.Config{Log: log, Table: queue, Kernel: k, Repo: rp, Index: letters, Hidden: hidden})
	must(err)
	carrier, err := courier.Open(courier.Config{Log: log, Kernel: k, Access: table, Table: queue, Gate: keeper, Receipt: letters.ReceiptBy})
	must(err)
	data, home := filepath.Join(dir, "data"), filepath.Join(dir, "home")
	must(os.MkdirAll(data, 0o755))
	files, err := mounts.Open(mounts.Config{Log: log, Repo: rp, Kernel: k, Access: table, Store: st, Records: shared, Dir: data, Home: home})
	must(err)
	mounted.Store(files)
	files.Start()
	limits, err := limit.New(nil, nil)
	must(err)
	audits, err := audit.Open(audit.Config{Log: log, Dir: filepath.Join(dir, "audit")})
	must(err)
	audits.Add(audit.Entry{Action: "login", Outcome: audit.Refused, Door: "page", From: "192.0.2.7", Reason: "the token is not valid"})
	audits.Add(audit.Entry{Action: "role_set", Outcome: audit.Done, Principal: "owner", Kind: "person", Token: "owner", Door: "http", From: "127.0.0.1", About: map[string]string{"principal": "ben", "role": "reader"}})
	set := catalog.New(catalog.Parts{
		Audit: audits, RotateOwner: func(time.Duration) (string, error) { return "kj_" + strings.Repeat("x", 43), nil },
		Limits: limits,
		Kernel: k, Search: ix, Access: table, Gates: op.Gates{Log: log, Deny: deny},
		Drift: carrier, Letters: letters, Links: links, Policy: keeper, Mounts: files,
		Status: func(context.Context) catalog.Status { return catalog.Status{Version: "test"} },
		Backup: func(context.Context) (catalog.BackupStatus, error) { return catalog.BackupStatus{}, nil },
		Node: func(context.Context) catalog.NodeStatus {
			one := catalog.NodeRow{ID: "one", Self: true}
			return catalog.NodeStatus{Kernel: "main", Node: one, Nodes: []catalog.NodeRow{one}, Streams: []catalog.StreamRow{}, Problems: []string{}}
		},
	})
	identify := func(*http.Request) (op.Call, error) { return op.Call{By: amy, Right: kaijutsu.RightOwn}, nil }
	agents := mcpdoor.New(mcpdoor.Config{Set: set, Identify: identify, Log: log})
	mux := http.NewServeMux()
	mux.Handle("/v1/", httpdoor.New(httpdoor.Config{Set: set, Identify: identify, Log: log}))
	mux.Handle("/mcp", agents)
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.CloseClientConnections()
		agents.Close()
		server.Close()
		for _, err := range []error{
			audits.Close(), files.Close(), keeper.Close(), carrier.Close(), links.Close(), letters.Close(), k.Close(), ix.Close(), queue.Close(), shared.Close(), rp.Close(), st.Close(),
		} {
			must(err)
		}
	})
	return &house{set: set, url: server.URL, data: data, home: home}
}

// door is one way in: it runs an operation and returns the bytes of the result,
// or the problem.
type door struct {
	name string
	call func(t *testing.T, h *house, name, in string) (json.RawMessage, *op.Problem)
}

// doors are all ways in. The first is no door but what is behind them all.
var doors = []door{
	{"set", callSet},
	{"http", callHTTP},
	{"mcp", callMCP},
	{"shell", callShell},
}

func callSet(t *testing.T, h *house, name, in string) (json.RawMessage, *op.Problem) {
	result, err := h.set.Call(t.Context(), op.Call{By: amy, Right: kaijutsu.RightOwn, Door: "test"}, name, json.RawMessage(in))
	if err != nil {
		p := op.ProblemOf(err)
		return nil, &p
	}
	return result, nil
}

func callHTTP(t *testing.T, h *house, name, in string) (json.RawMessage, *op.Problem) {
	t.Helper()
	resp, err := http.Post(h.url+"/v1/ops/"+name, "application/json", strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode == http.StatusOK {
		return body, nil
	}
	var answer struct{ Error op.Problem }
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatalf("%s over HTTP: %s: %s", name, resp.Status, body)
	}
	if want := op.ProblemOf(answer.Error.Err()).Status; resp.StatusCode != want {
		t.Errorf("%s over HTTP: status %d for %s, want %d", name, resp.StatusCode, answer.Error.Kind, want)
	}
	return nil, &answer.Error
}

func callMCP(t *testing.T, h *house, name, in string) (json.RawMessage, *op.Problem) {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "parity", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: h.url + "/mcp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(in)})
	if err != nil {
		t.Fatalf("%s over MCP: %v", name, err)
	}
	if len(result.Content) != 1 {
		t.Fatalf("%s over MCP: %d contents, want 1", name, len(result.Content))
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("%s over MCP: a content of type %T, want text", name, result.Content[0])
	}
	if !result.IsError {
		checkStructured(t, name, text.Text, result.StructuredContent)
		return json.RawMessage(text.Text), nil
	}
	var answer struct{ Error op.Problem }
	if err := json.Unmarshal([]byte(text.Text), &answer); err != nil {
		t.Fatalf("%s over MCP: error %q", name, text.Text)
	}
	return nil, &answer.Error
}

// checkStructured holds the structured result against the text: the same, as
// far as a client's own decoding can tell.
func checkStructured(t *testing.T, name, text string, structured any) {
	t.Helper()
	var want any
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatalf("%s over MCP: %q: %v", name, text, err)
	}
	a, errA := json.Marshal(structured)
	b, errB := json.Marshal(want)
	if err := errors.Join(errA, errB); err != nil || !bytes.Equal(a, b) {
		t.Errorf("%s over MCP: structured %s, text %s (%v)", name, a, b, err)
	}
}

// callShell runs kj with the line that the shell's help would show, and reads
// problems back from what it prints.
func callShell(t *testing.T, h *house, name, in string) (json.RawMessage, *op.Problem) {
	t.Helper()
	o, err := h.set.Get(op.Call{}, name)
	if err != nil {
		t.Fatal(err)
	}
	words := append(shelldoor.Words(o, json.RawMessage(in)), "--json")
	if name == "context_import" || incomplete(o, in) { // lines name a file, and say themselves what is missing
		words = append(shelldoor.Path(o), "--params", in, "--json")
	}
	cmd := exec.CommandContext(t.Context(), Binary(t), append([]string{"--server", h.url, "--token", "none"}, words...)...)
	cmd.Env = append(cmd.Environ(), "KJ_CONTEXT=", "KJ_TOKEN=", "HOME="+h.home)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if err == nil {
		out, ok := bytes.CutSuffix(stdout.Bytes(), []byte("\n"))
		if !ok {
			t.Errorf("kj %q ends without a newline", words)
		}
		return out, nil
	}
	if stdout.Len() > 0 {
		t.Errorf("kj %q fails and prints %s", words, stdout.Bytes())
	}
	return nil, &op.Problem{Message: stderr.String(), Exit: cmd.ProcessState.ExitCode()}
}

// incomplete reports whether parameters lack a required one.
func incomplete(o *op.Op, in string) bool {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(in), &fields); err != nil {
		return true
	}
	return slices.ContainsFunc(o.In.Required, func(name string) bool { return fields[name] == nil })
}

// shellProblem is how the shell shows a problem.
func shellProblem(p op.Problem) (message string, exit int) {
	return shelldoor.Report(&shelldoor.Failure{Problem: p})
}

// same says how the problem that a door gave differs from the one behind it.
func same(door string, got, want *op.Problem) error {
	if (got == nil) != (want == nil) {
		return fmt.Errorf("problem %+v, want %+v", got, want)
	}
	if got == nil {
		return nil
	}
	if door == "shell" {
		message, exit := shellProblem(*want)
		if named(got.Message) != named(message) || got.Exit != exit {
			return fmt.Errorf("status %d %q, want %d %q", got.Exit, got.Message, exit, message)
		}
		return nil
	}
	if got.Kind != want.Kind || named(got.Message) != named(want.Message) || got.Field != want.Field || got.Hint != want.Hint {
		return fmt.Errorf("problem %+v, want %+v", got, want)
	}
	return nil
}

// named is a text in which ids and hashes are named by the order in which they
// appear.
func named(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		return text
	}
	return catalog.Normal(b, amy.Name)
}
