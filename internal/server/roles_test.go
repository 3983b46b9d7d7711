package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/amfile"
	"kaijutsu/internal/editor"
	"kaijutsu/internal/server"
)

// guarded is a server that wants tokens, and the owner's.
type guarded struct {
	*server.Server
	t     *testing.T
	owner string
}

func startGuarded(t *testing.T, change func(*server.Config)) *guarded {
	t.Helper()
	s := start(t, func(c *server.Config) {
		c.Auth = "token"
		if change != nil {
			change(c)
		}
	})
	b, err := os.ReadFile(filepath.Join(s.Dir(), "owner.token"))
	if err != nil {
		t.Fatal(err)
	}
	return &guarded{s, t, strings.TrimSpace(string(b))}
}

// try runs an operation with a token and returns the status and the result, or
// the error.
func (g *guarded) try(token, op, params string) (int, map[string]any) {
	g.t.Helper()
	code, body := request(g.t, "POST", g.URL()+"/v1/ops/"+op, params, map[string]string{"Authorization": "Bearer " + token})
	var out map[string]any
	if err := json.Unmarshal([]byte(body), &out); err != nil {
		g.t.Fatalf("%s: %v in %q", op, err, body)
	}
	return code, out
}

// do is try by the owner, of what works.
func (g *guarded) do(op, params string) map[string]any {
	g.t.Helper()
	code, out := g.try(g.owner, op, params)
	if code != http.StatusOK {
		g.t.Fatalf("%s %s = %d %v", op, params, code, out)
	}
	return out
}

// token makes a principal of a name and a role.
func (g *guarded) token(name, role string) string {
	g.t.Helper()
	return g.do("token_create", `{"name": "`+name+`", "kind": "person", "role": "`+role+`"}`)["token"].(string)
}

func TestRolesOverOperations(t *testing.T) {
	g := startGuarded(t, nil)
	plan := g.do("context_create", `{"title": "Plan"}`)["id"].(string)
	hidden := g.do("context_create", `{"title": "Hidden"}`)["id"].(string)
	block := g.do("block_create", `{"context": "Plan", "content": "needle one"}`)["block_id"].(string)
	victim := g.do("block_create", `{"context": "Plan", "content": "x"}`)["block_id"].(string)
	g.do("block_create", `{"context": "Hidden", "content": "needle two"}`)
	g.do("context_create", `{"title": "Old"}`)
	g.do("context_archive", `{"context": "Old"}`)
	const (
		none = iota
		reader
		commenter
		editor
		owner
	)
	roles := []string{"none", "reader", "commenter", "editor", "owner"}
	tokens := make([]string, len(roles))
	for i, role := range roles {
		tokens[i] = g.token(role+"-person", role)
		if i < owner {
			g.do("role_set", `{"principal": "`+role+`-person", "role": "none", "context": "`+hidden+`"}`)
		}
	}
	ops := []struct {
		op, params string
		needs      int
		refused    string // the kind for those who may read; others get not_found
	}{
		{"context_get", `{"context": "Plan"}`, reader, ""},
		{"context_export", `{"context": "Plan"}`, reader, ""},
		{"context_export", `{"context": "Plan", "format": "automerge"}`, reader, ""},
		{"block_read", `{"context": "Plan", "block_id": "` + block + `"}`, reader, ""},
		{"block_read", `{"block_id": "` + block + `"}`, reader, ""},
		{"block_list", `{"context": "Plan"}`, reader, ""},
		{"block_history", `{"context": "Plan", "block_id": "` + block + `"}`, reader, ""},
		{"block_create", `{"context": "Plan", "kind": "comment", "content": "hm"}`, commenter, "denied"},
		{"block_create", `{"context": "Plan", "content": "text"}`, editor, "denied"},
		{"block_append", `{"context": "Plan", "block_id": "` + block + `", "text": "."}`, editor, "denied"},
		{"block_append", `{"context": "Plan", "block_id": "` + block + `", "text": ".", "flush": true}`, editor, "denied"},
		{"block_set", `{"context": "Plan", "block_id": "` + block + `", "collapsed": true}`, editor, "denied"},
		{"block_delete", `{"context": "Plan", "block_id": "` + victim + `"}`, editor, "denied"},
		{"context_rename", `{"context": "Plan", "title": "Plan"}`, editor, "denied"},
		{"context_archive", `{"context": "Plan", "archived": false}`, editor, "denied"},
		{"role_list", `{"context": "Plan"}`, owner, "denied"},
		{"role_set", `{"context": "Plan", "principal": "owner-person", "role": "reader"}`, owner, "denied"},
		{"context_delete", `{"context": "Hidden", "force": true}`, owner, "not_found"},
	}
	kernelOps := []struct {
		op, params string
		needs      int
	}{
		{"context_create", `{"title": "New"}`, editor},
		{"context_import", `{"content": "# New\n", "format": "markdown"}`, editor},
		{"token_list", `{}`, owner},
		{"token_create", `{"name": "x"}`, owner},
		{"server_status", `{}`, reader},
	}
	for i, role := range roles {
		t.Run(role, func(t *testing.T) {
			g.t = t
			for _, test := range kernelOps {
				code, out := g.try(tokens[i], test.op, test.params)
				if want := kindIf(i < test.needs, "denied"); kindOf(code, out) != want {
					t.Errorf("%s = %d %v, want %q", test.op, code, out, want)
				}
			}
			for _, test := range ops {
				code, out := g.try(tokens[i], test.op, test.params)
				want := kindIf(i < test.needs, test.refused)
				if i < reader {
					want = "not_found"
				}
				if kindOf(code, out) != want {
					t.Errorf("%s %s = %d %v, want %q", test.op, test.params, code, out, want)
				}
			}
			_, list := g.try(tokens[i], "context_list", `{"archived": true}`)
			_, found := g.try(tokens[i], "kernel_search", `{"query": "needle"}`)
			_, body := request(t, "GET", g.URL()+"/v1/contexts?token="+tokens[i], "", nil)
			all := list["contexts"]
			if sees := strings.Contains(text(all), `"Plan"`); sees != (i >= reader) {
				t.Errorf("context_list = %v, want Plan for readers", all)
			}
			if sees := strings.Contains(text(found), block); sees != (i >= reader) {
				t.Errorf("kernel_search = %v, want the block for readers", found)
			}
			for _, shown := range []string{text(all), text(found), body} {
				if i < owner && strings.Contains(shown, "idden") || i < owner && strings.Contains(shown, "needle two") {
					t.Errorf("%s tells of a context that is hidden", shown)
				}
			}
			for _, path := range []string{plan, hidden} {
				code, body := request(t, "GET", g.URL()+"/v1/contexts/"+path+"/export?token="+tokens[i], "", nil)
				if may := i >= reader && path == plan; may != (code == http.StatusOK) {
					t.Errorf("export of %s = %d %.100s, want allowed = %v", path, code, body, may)
				}
			}
		})
	}
	g.t = t
}

// TestSeatsOfTheOneContextThatSomebodyMayRead: who may not read the kernel sees
// who is at a context that it may read, and nobody else.
func TestSeatsOfTheOneContextThatSomebodyMayRead(t *testing.T) {
	g := startGuarded(t, nil)
	open := g.do("context_create", `{"title": "Open"}`)["id"].(string)
	g.do("context_create", `{"title": "Shut"}`)
	guest := g.token("guest", "none")
	g.do("role_set", `{"principal": "guest", "role": "reader", "context": "`+open+`"}`)
	for instance, context := range map[string]string{"open": `, "context": "Open"`, "shut": `, "context": "Shut"`, "nowhere": ``} {
		g.do("seat_join", `{"nick": "amy", "instance": "`+instance+`"`+context+`}`)
	}
	for params, want := range map[string][3]bool{`{"context": "Open"}`: {true, false, false}, `{}`: {true, false, false}} {
		code, out := g.try(guest, "seat_list", params)
		shown := text(out)
		got := [3]bool{strings.Contains(shown, `"open"`), strings.Contains(shown, `"shut"`), strings.Contains(shown, `"nowhere"`)}
		if code != http.StatusOK || got != want {
			t.Errorf("seat_list %s = %d %s, want the seat at Open alone", params, code, shown)
		}
	}
	if code, out := g.try(guest, "seat_list", `{"context": "Shut"}`); kindOf(code, out) != "not_found" {
		t.Errorf("seat_list of a context that is not for them = %d %v, want not_found", code, out)
	}
	if shown := text(g.do("seat_list", `{}`)); !strings.Contains(shown, `"nowhere"`) || !strings.Contains(shown, `"shut"`) {
		t.Errorf("seat_list by the owner = %s, want all", shown)
	}
}

// TestAForkDoesNotTellOfAHiddenParent: those who may not read what a context
// was forked from are not told which it was.
func TestAForkDoesNotTellOfAHiddenParent(t *testing.T) {
	g := startGuarded(t, nil)
	parent := g.do("context_create", `{"title": "Parent"}`)["id"].(string)
	fork := g.do("context_fork", `{"context": "Parent", "title": "Fork"}`)["id"].(string)
	ben := g.token("ben", "reader")
	g.do("role_set", `{"principal": "ben", "role": "none", "context": "`+parent+`"}`)
	for token, sees := range map[string]bool{ben: false, g.owner: true} {
		for _, op := range []string{"context_get", "context_list"} {
			params := `{"context": "` + fork + `"}`
			if op == "context_list" {
				params = `{}`
			}
			code, out := g.try(token, op, params)
			if got := strings.Contains(text(out), parent) && strings.Contains(text(out), "forked_from"); code != http.StatusOK || got != sees {
				t.Errorf("%s = %d %v, tells of the parent: %v, want %v", op, code, out, got, sees)
			}
		}
	}
}

func kindIf(refused bool, kind string) string {
	if refused {
		return kind
	}
	return ""
}

// kindOf is the kind of an error, "" of a result.
func kindOf(code int, out map[string]any) string {
	if code == http.StatusOK {
		return ""
	}
	kind, _ := out["error"].(map[string]any)["kind"].(string)
	return kind
}

func text(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func TestATokenEndsAtOnce(t *testing.T) {
	g := startGuarded(t, nil)
	plan := g.do("context_create", `{"title": "Plan"}`)["id"].(string)
	token := g.token("amy", "editor")
	if code, out := g.try(token, "block_create", `{"context": "Plan", "content": "x"}`); code != http.StatusOK {
		t.Fatalf("block_create = %d %v", code, out)
	}
	client, err := editor.Dial(t.Context(), editor.Config{URL: g.SyncURL() + "?token=" + token})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	req, err := http.NewRequestWithContext(t.Context(), "GET", g.URL()+"/v1/contexts/"+plan+"/tail", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	events := bufio.NewScanner(resp.Body)
	for events.Scan() && events.Text() != "event: live" {
	}

	id := g.do("token_list", `{}`)["tokens"].([]any)[0].(map[string]any)["id"].(string)
	g.do("token_revoke", `{"token": "`+id+`"}`)
	if code, out := g.try(token, "context_list", `{}`); code != http.StatusUnauthorized {
		t.Errorf("context_list with a revoked token = %d %v, want 401", code, out)
	}
	select {
	case <-client.Gone():
	case <-time.After(time.Minute):
		t.Error("the connection of a revoked token is open")
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for events.Scan() {
		}
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("the stream of a revoked token goes on")
	}
}

func TestWhoMayCreateBySync(t *testing.T) {
	g := startGuarded(t, nil)
	for _, test := range []struct {
		role string
		may  bool
	}{{"reader", false}, {"commenter", false}, {"editor", true}} {
		t.Run(test.role, func(t *testing.T) {
			client, err := editor.Dial(t.Context(), editor.Config{URL: g.SyncURL() + "?token=" + g.token(test.role, test.role)})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			id := kaijutsu.NewContextID(time.Now())
			doc := client.Open(t.Context(), id.Document())
			genesis := blocks.Genesis()
			c, err := doc.Add(t.Context(), func(c *amfile.Change) { c.Ops = genesis.Ops })
			if err != nil {
				t.Fatal(err)
			}
			if test.may {
				if err := doc.WaitStored(t.Context(), c.Hash); err != nil {
					t.Error(err)
				}
				return
			}
			g.do("context_create", `{}`) // something comes after it
			code, out := g.try(g.owner, "context_get", `{"context": "`+id.String()+`"}`)
			if kindOf(code, out) != "not_found" || doc.Stored(c.Hash) {
				t.Errorf("context_get = %d %v, want that nothing was made", code, out)
			}
		})
	}
}

// TestArchivedContextsDoNotSync: an archived context is read only for editors
// too, until it is taken back.
func TestArchivedContextsDoNotSync(t *testing.T) {
	g := startGuarded(t, nil)
	id, err := kaijutsu.ParseContextID(g.do("context_create", `{"title": "Plan"}`)["id"].(string))
	if err != nil {
		t.Fatal(err)
	}
	refused := make(chan string, 100)
	client, err := editor.Dial(t.Context(), editor.Config{
		URL: g.SyncURL() + "?token=" + g.token("amy", "editor"), OnError: func(m string) { refused <- m },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	doc := client.Open(t.Context(), id.Document())
	if err := doc.Wait(t.Context(), func() bool { return doc.Len() > 0 }); err != nil {
		t.Fatal(err)
	}
	edit := func(title string) kaijutsu.ChangeHash {
		t.Helper()
		hash, err := doc.Edit(t.Context(), func(tx *blocks.Tx) error { return tx.SetTitle(title) })
		if err != nil {
			t.Fatal(err)
		}
		return hash
	}
	if err := doc.WaitStored(t.Context(), edit("Plan B")); err != nil {
		t.Fatal(err)
	}
	g.do("context_archive", `{"context": "Plan B"}`)
	late := edit("Plan C")
	wait(t, "the refusal", refused)
	if got := g.do("context_get", `{"context": "`+id.String()+`"}`); got["title"] != "Plan B" || doc.Stored(late) {
		t.Errorf("title = %q, want that of before", got["title"])
	}
}

// TestALostRightEndsAnIdleSession takes the right to read away from editors who
// neither say nor hear anything: they are told at once.
func TestALostRightEndsAnIdleSession(t *testing.T) {
	tests := []struct{ name, op, params string }{
		{"on the kernel", "role_set", `{"principal": "amy", "role": "none"}`},
		{"in the context", "role_set", `{"principal": "amy", "role": "none", "context": "Plan"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := startGuarded(t, nil)
			id, err := kaijutsu.ParseContextID(g.do("context_create", `{"title": "Plan"}`)["id"].(string))
			if err != nil {
				t.Fatal(err)
			}
			told := make(chan string, 100)
			client, err := editor.Dial(t.Context(), editor.Config{
				URL: g.SyncURL() + "?token=" + g.token("amy", "reader"), OnError: func(m string) { told <- m },
			})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			doc := client.Open(t.Context(), id.Document())
			if err := doc.Wait(t.Context(), func() bool { return doc.Len() > 0 }); err != nil {
				t.Fatal(err)
			}
			g.do(tt.op, tt.params)
			wait(t, "the end of the session", told)
		})
	}
}

func TestDeniedOperations(t *testing.T) {
	g := startGuarded(t, func(c *server.Config) { c.DenyOps = []string{"block_edit", "context_export", "token_*"} })
	g.do("context_create", `{"title": "Plan"}`)
	for _, op := range []string{"block_edit", "context_export", "token_create"} {
		if code, out := g.try(g.owner, op, `{}`); kindOf(code, out) != "not_found" {
			t.Errorf("%s = %d %v, want not_found", op, code, out)
		}
	}
	header := map[string]string{"Authorization": "Bearer " + g.owner}
	for path, form := range map[string]string{"/v1/ops": `"name":"%s"`, "/v1/openapi.json": `"/v1/ops/%s"`} {
		_, body := request(t, "GET", g.URL()+path, "", header)
		if strings.Contains(body, fmt.Sprintf(form, "block_edit")) || !strings.Contains(body, fmt.Sprintf(form, "block_append")) {
			t.Errorf("%s names an operation that is not there", path)
		}
	}
	if code, body := request(t, "GET", g.URL()+"/v1/contexts/Plan/export", "", header); code != http.StatusNotFound {
		t.Errorf("export = %d %s, want 404 as its operation", code, body)
	}
	_, err := server.Start(server.Config{Dir: t.TempDir(), Listen: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler), DenyOps: []string{"block_edti"}})
	if err == nil || !strings.Contains(err.Error(), `did you mean "block_edit"?`) {
		t.Errorf("Start with a misspelt operation = %v, want a suggestion", err)
	}
}

func TestAuditOfOperations(t *testing.T) {
	var log lines
	g := startGuarded(t, func(c *server.Config) { c.Log = slog.New(slog.NewJSONHandler(&log, nil)) })
	token := g.token("amy", "reader")
	g.do("context_create", `{"title": "Plan"}`)
	g.try(token, "block_create", `{"context": "Plan", "content": "not for logs"}`)
	g.do("context_delete", `{"context": "Plan", "force": true}`)
	all := log.String()
	for _, want := range []string{
		`"msg":"operation refused","op":"block_create","principal":{"Name":"amy","Kind":"person"},"door":"http"`,
		`"msg":"operation done","op":"token_create","principal":{"Name":"owner","Kind":"person"},"door":"http"`,
		`"msg":"operation done","op":"context_delete"`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("the log has no %s in\n%s", want, all)
		}
	}
	for _, not := range []string{"not for logs", "context_create", token, g.owner} {
		if strings.Contains(all, not) {
			t.Errorf("the log holds %q:\n%s", not, all)
		}
	}
}

// lines is a log in memory.
type lines struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestCloseWritesWhatWaits(t *testing.T) {
	dir := t.TempDir()
	cfg := server.Config{Dir: dir, Listen: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler), Version: "test"}
	s, err := server.Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	call(t, s, "context_create", `{"title": "Plan"}`)
	block := call(t, s, "block_create", `{"context": "Plan", "content": "x"}`)["block_id"].(string)
	call(t, s, "block_append", `{"context": "Plan", "block_id": "`+block+`", "text": "y"}`)
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	s = start(t, func(c *server.Config) { c.Dir = dir })
	if got := call(t, s, "block_read", `{"block_id": "`+block+`"}`); !strings.Contains(text(got), "xy") {
		t.Errorf("block_read = %v, want xy", got)
	}
}
