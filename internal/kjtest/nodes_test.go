package kjtest_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/internal/kjproc"
	"kaijutsu/internal/kjtest"
)

// startNATS runs a nats-server until the test ends.
func startNATS(t *testing.T) *kjproc.NATS {
	t.Helper()
	exe, err := kjproc.FindNATS(t.Context(), "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ports, err := kjproc.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	nats, err := kjproc.StartNATS(t.Context(), kjproc.NATSConfig{Exe: exe, Dir: filepath.Join(t.TempDir(), "nats"), Port: ports[0]})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nats.Kill)
	return nats
}

// await asks again and again until it is so.
func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(30 * time.Second)
	for !so() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("waited 30 s for %s", what)
		}
	}
}

// post runs an operation with a token, and returns status and body.
func post(t *testing.T, p *kjproc.Process, token, op, in string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL+"/v1/ops/"+op, strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// must runs an operation that works as the owner, and reads its result.
func must[Out any](t *testing.T, p *kjproc.Process, op, in string) (out Out) {
	t.Helper()
	status, body := post(t, p, "", op, in)
	if status != http.StatusOK {
		t.Fatalf("%s %s: %d: %s", op, in, status, body)
	}
	if err := json.Unmarshal([]byte(body), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

type contextRow struct {
	ID, URL, Title string
	Archived       bool
	ForkedFrom     struct{ Context string } `json:"forked_from"`
	CreatedBy      string                   `json:"created_by"`
}

// contexts returns a server's contexts by title.
func contexts(t *testing.T, p *kjproc.Process) map[string]contextRow {
	t.Helper()
	list := must[struct{ Contexts []contextRow }](t, p, "context_list", `{"archived":true}`)
	out := make(map[string]contextRow)
	for _, c := range list.Contexts {
		out[c.Title] = c
	}
	return out
}

// makeToken returns the secret of a new token.
func makeToken(t *testing.T, p *kjproc.Process, name, role string) string {
	t.Helper()
	return must[struct{ Token string }](t, p, "token_create", fmt.Sprintf(`{"name":%q,"role":%q}`, name, role)).Token
}

// TestFromOneServerToSeveral is what the documentation says of moving: a server
// that was alone is started with --nats on its data directory, and an empty node
// beside it gets everything.
func TestFromOneServerToSeveral(t *testing.T) {
	dir := t.TempDir()
	a := kjtest.Serve(t, dir)
	for _, title := range []string{"Plan", "Notes", "Gone"} {
		must[contextRow](t, a, "context_create", fmt.Sprintf(`{"title":%q}`, title))
	}
	must[any](t, a, "block_create", `{"context":"Plan","content":"written when it was alone"}`)
	must[contextRow](t, a, "context_fork", `{"context":"Plan","title":"Fork"}`)
	must[any](t, a, "context_archive", `{"context":"Notes"}`)
	must[any](t, a, "context_delete", `{"context":"Gone","force":true}`)
	amy, ben := makeToken(t, a, "amy", "editor"), makeToken(t, a, "ben", "editor")
	must[any](t, a, "role_set", `{"principal":"amy","role":"reader","context":"Plan"}`)
	must[any](t, a, "token_revoke", `{"token":"ben"}`)
	before := contexts(t, a)
	if err := a.Stop(); err != nil {
		t.Fatal(err)
	}

	nats := startNATS(t)
	join := func(dir, name string) *kjproc.Process {
		return kjtest.Serve(t, dir, "--nats", nats.Config.URL(), "--node-name", name)
	}
	a = join(dir, "a")
	other := t.TempDir()
	b := join(other, "b")
	await(t, "the other node to have everything", func() bool { return maps.Equal(contexts(t, b), before) })
	if got := contexts(t, a); !maps.Equal(got, before) {
		t.Errorf("contexts of the server that moved = %v, want %v", got, before)
	}
	id := before["Plan"].ID
	for node, p := range map[string]*kjproc.Process{"a": a, "b": b} {
		if _, body := post(t, p, amy, "context_get", `{"context":"Plan"}`); !strings.Contains(body, "written when it was alone") {
			t.Errorf("node %s: Plan = %s, want what was written", node, body)
		}
		if status, body := post(t, p, amy, "block_create", `{"context":"Plan","content":"x"}`); status != http.StatusForbidden {
			t.Errorf("node %s: a reader of Plan writes: %d: %s, want 403", node, status, body)
		}
		if status, body := post(t, p, ben, "context_list", `{}`); status != http.StatusUnauthorized && status != http.StatusForbidden {
			t.Errorf("node %s: a revoked token: %d: %s, want it refused", node, status, body)
		}
		await(t, "node "+node+" to know both", func() bool {
			nodes := must[struct{ Nodes []struct{ Name string } }](t, p, "node_list", `{}`).Nodes
			return len(nodes) == 2 && nodes[0].Name == node && nodes[1].Name != "" && nodes[1].Name != node
		})
		hidden(t, p)
	}

	t.Run("a role given on one node counts on the other", func(t *testing.T) {
		must[any](t, b, "role_set", `{"principal":"amy","role":"default","context":"Plan"}`)
		await(t, "amy to write on the other node", func() bool {
			status, _ := post(t, a, amy, "block_create", `{"context":"Plan","content":"by amy"}`)
			return status == http.StatusOK
		})
		await(t, "what amy wrote", func() bool {
			_, body := post(t, b, "", "context_get", `{"context":"Plan"}`)
			return strings.Contains(body, "by amy")
		})
	})
	t.Run("a revoked token ends streams on the other node", func(t *testing.T) {
		ended := follow(t, a, amy, id)
		began := time.Now()
		must[any](t, b, "token_revoke", `{"token":"amy"}`)
		select {
		case at := <-ended:
			t.Logf("it ended %v after the revocation began elsewhere", at.Sub(began))
		case <-time.After(10 * time.Second):
			t.Error("the stream goes on 10 s after its token was revoked on another node")
		}
		if status, _ := post(t, a, amy, "context_list", `{}`); status == http.StatusOK {
			t.Error("the token is good on the other node")
		}
	})
	t.Run("two nodes use one title", func(t *testing.T) {
		one := must[contextRow](t, a, "context_create", `{"title":"Twin"}`)
		two := must[contextRow](t, b, "context_create", `{"title":"Twin"}`)
		for node, p := range map[string]*kjproc.Process{"a": a, "b": b} {
			await(t, "node "+node+" to know both", func() bool {
				status, body := post(t, p, "", "context_get", `{"context":"Twin"}`)
				return status == http.StatusConflict && strings.Contains(body, one.ID[30:]) && strings.Contains(body, two.ID[30:]) // their short ids
			})
		}
	})
	t.Run("a node that was away deletes what was deleted", func(t *testing.T) {
		if err := a.Stop(); err != nil {
			t.Fatal(err)
		}
		must[any](t, b, "context_delete", `{"context":"Fork","force":true}`)
		must[any](t, b, "context_archive", `{"context":"Notes","archived":false}`)
		a = join(dir, "a")
		await(t, "the context to go", func() bool {
			all := contexts(t, a)
			_, there := all["Fork"]
			return !there && !all["Notes"].Archived
		})
	})
}

// hidden has a server deny that the document of its records is there.
func hidden(t *testing.T, p *kjproc.Process) {
	t.Helper()
	sum := sha256.Sum256([]byte("kaijutsu records main"))
	doc, err := kaijutsu.DocumentIDFromBytes(sum[:16])
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"export", "tail"} {
		resp, err := http.Get(p.URL + "/v1/contexts/" + doc.String() + "/" + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s of the records' document: %s, want 404", path, resp.Status)
		}
	}
}

// follow streams a context with a token, and says when that ended.
func follow(t *testing.T, p *kjproc.Process, token, id string) <-chan time.Time {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+"/v1/contexts/"+id+"/tail", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("tail: %s", resp.Status)
	}
	ended, live := make(chan time.Time, 1), make(chan struct{})
	go func() {
		defer resp.Body.Close()
		sc := bufio.NewScanner(resp.Body)
		sc.Buffer(nil, 1<<20)
		for sc.Scan() {
			if sc.Text() == "event: live" {
				close(live)
			}
		}
		ended <- time.Now()
	}()
	select {
	case <-live:
	case <-time.After(time.Minute):
		t.Fatal("the tail does not begin")
	}
	return ended
}

// TestServeRefuses starts servers that must not start, and reads why.
func TestServeRefuses(t *testing.T) {
	used, fresh := t.TempDir(), t.TempDir()
	p := kjtest.Serve(t, used)
	must[any](t, p, "context_create", `{"title":"Plan"}`)
	tests := []struct {
		name string
		args []string
		want []string
	}{
		{"a directory in use", []string{"--data", used}, []string{"in use by another server", fmt.Sprintf("process %d", p.PID()), p.URL}},
		{"a scheme", []string{"--data", fresh, "--nats", "http://127.0.0.1:1"}, []string{"http://127.0.0.1:1", "nats"}},
		{"no server", []string{"--data", fresh, "--nats", ","}, []string{"--nats names no server"}},
		{"credentials of nothing", []string{"--data", fresh, "--nats-creds", "x"}, []string{"--nats", "name them too"}},
		{"credentials that are not there", []string{"--data", fresh, "--nats", "nats://127.0.0.1:1", "--nats-creds", "/no/such/file"}, []string{"/no/such/file"}},
		{"a certificate without its key", []string{"--data", fresh, "--nats", "nats://127.0.0.1:1", "--nats-cert", "x"}, []string{"key"}},
		{"a kernel's name", []string{"--data", fresh, "--kernel", "My.Kernel"}, []string{"a to z"}},
		{"a node's name", []string{"--data", fresh, "--node-name", "a b"}, []string{"node name"}},
	}
	refused := func(t *testing.T, args, want []string) {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), kjtest.Binary(t), append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...).CombinedOutput()
		if err == nil {
			t.Fatalf("kj serve %v works", args)
		}
		for _, w := range want {
			if !bytes.Contains(out, []byte(w)) {
				t.Errorf("kj serve %v says %s, want %q", args, out, w)
			}
		}
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { refused(t, test.args, test.want) })
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	t.Run("another kernel", func(t *testing.T) {
		refused(t, []string{"--data", used, "--kernel", "other"}, []string{`of kernel "main"`, "--kernel main", "--data"})
	})
	t.Run("another kernel where nothing is stored", func(t *testing.T) {
		for _, name := range []string{"one", "two"} {
			if err := kjtest.Serve(t, fresh, "--kernel", name).Stop(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
