package server_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kaijutsu/internal/amfile"
	"kaijutsu/internal/server"
)

func start(t *testing.T, change func(*server.Config)) *server.Server {
	t.Helper()
	cfg := server.Config{Dir: t.TempDir(), Listen: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler), Version: "test"}
	if change != nil {
		change(&cfg)
	}
	s, err := server.Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// request sends one and returns its status and body.
func request(t *testing.T, method, url, body string, header map[string]string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		if k == "Host" {
			req.Host = v
		}
		req.Header.Set(k, v)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// call runs an operation and reads its result.
func call(t *testing.T, s *server.Server, op, params string) map[string]any {
	t.Helper()
	code, body := request(t, "POST", s.URL()+"/v1/ops/"+op, params, nil)
	if code != http.StatusOK {
		t.Fatalf("%s %s = %d %s", op, params, code, body)
	}
	var out map[string]any
	if err := json.Unmarshal([]byte(body), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAccess(t *testing.T) {
	local := start(t, nil)
	guarded := start(t, func(c *server.Config) { c.Auth, c.Dir = "token", filepath.Join(c.Dir, "made") })
	file := filepath.Join(guarded.Dir(), "owner.token")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("owner.token has mode %v, %v, want 0600", info.Mode(), err)
	}
	token := strings.TrimSpace(string(b))
	own := func(s *server.Server) string { return s.URL() }
	tests := []struct {
		name   string
		server *server.Server
		path   string
		header map[string]string
		want   int
	}{
		{"local: no token", local, "", nil, 200},
		{"local: own page", local, "", map[string]string{"Origin": own(local)}, 200},
		{"local: foreign page", local, "", map[string]string{"Origin": "http://evil.example"}, 403},
		{"local: opaque page", local, "", map[string]string{"Origin": "null"}, 403},
		{"local: cross-site fetch", local, "", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403},
		{"local: another name for loopback", local, "", map[string]string{"Host": "evil.example"}, 403},
		{"local: wrong token", local, "", map[string]string{"Authorization": "Bearer wrong"}, 401},
		{"local: wrong token, another spelling", local, "", map[string]string{"Authorization": "bearer wrong"}, 401},
		{"token: none", guarded, "", nil, 401},
		{"token: wrong", guarded, "", map[string]string{"Authorization": "Bearer " + token + "x"}, 401},
		{"token: bearer", guarded, "", map[string]string{"Authorization": "Bearer " + token}, 200},
		{"token: query", guarded, "?token=" + token, nil, 200},
		{"token: cookie", guarded, "", map[string]string{"Cookie": "kj_token=" + token}, 200},
		{"token: cookie from a foreign page", guarded, "", map[string]string{"Cookie": "kj_token=" + token, "Origin": "http://evil.example"}, 403},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, body := request(t, "GET", test.server.URL()+"/v1/contexts"+test.path, "", test.header)
			if code != test.want {
				t.Errorf("status = %d %s, want %d", code, body, test.want)
			}
			sync, _ := request(t, "GET", test.server.URL()+"/sync"+test.path, "", test.header)
			if foreign := test.want == 403; foreign != (sync == 403) {
				t.Errorf("status of /sync = %d, want 403 for foreign pages only", sync)
			}
		})
	}
	t.Run("token: the page moves it into a cookie", func(t *testing.T) {
		code, _ := request(t, "GET", guarded.URL()+"/?token="+token, "", nil)
		if code != http.StatusSeeOther {
			t.Errorf("status = %d, want a redirect to the address without the token", code)
		}
	})
}

func TestStartRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	running := start(t, nil)
	tests := []struct {
		name string
		cfg  server.Config
		want string
	}{
		{"local beyond loopback", server.Config{Listen: "0.0.0.0:0", Auth: "local"}, "use --auth token"},
		{"local on every address", server.Config{Listen: ":0", Auth: "local"}, "use --auth token"},
		{"unknown mode", server.Config{Auth: "open"}, "want local or token"},
		{"address without a port", server.Config{Listen: "127.0.0.1"}, "want host:port"},
		{"data directory is a file", server.Config{Dir: file}, "not a directory"},
		{"directory in use", server.Config{Dir: running.Dir()}, "in use"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cfg := test.cfg
			cfg.Log = slog.New(slog.DiscardHandler)
			if cfg.Listen == "" {
				cfg.Listen = "127.0.0.1:0"
			}
			if cfg.Dir == "" {
				cfg.Dir = t.TempDir()
			}
			s, err := server.Start(cfg)
			if err == nil {
				_ = s.Close(context.Background())
				t.Fatal("Start worked, want an error")
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("Start = %v, want an error with %q", err, test.want)
			}
		})
	}
}

func TestOperations(t *testing.T) {
	s := start(t, nil)
	made := call(t, s, "context_create", `{"title": "Release notes"}`)
	id := made["id"].(string)
	first := call(t, s, "block_create", `{"context": "`+id+`", "content": "one"}`)["id"].(string)
	call(t, s, "block_append", `{"context": "Release notes", "block": "`+first+`", "text": " and two"}`)
	second := call(t, s, "block_create", `{"context": "`+id[:13]+`", "form": "chunks", "role": "model"}`)["id"].(string)
	call(t, s, "block_append", `{"context": "release", "block": "`+second+`", "text": "streamed"}`)
	call(t, s, "block_status", `{"context": "`+made["url"].(string)+`", "block": "`+second+`", "status": "done"}`)
	detail := call(t, s, "context_get", `{"context": "`+id+`"}`)
	list := detail["block_list"].([]any)
	var got []string
	for _, b := range list {
		b := b.(map[string]any)
		got = append(got, b["content"].(string)+"|"+b["form"].(string)+"|"+b["status"].(string)+"|"+b["author"].(string))
	}
	want := "one and two|text|done|local, streamed|body|done|local"
	if strings.Join(got, ", ") != want {
		t.Errorf("blocks = %q, want %q", strings.Join(got, ", "), want)
	}
	code, chunk := request(t, "GET", s.URL()+"/v1/contexts/"+id+"/export", "", nil)
	changes, err := amfile.DecodeDocument([]byte(chunk))
	if code != 200 || err != nil || len(changes) != 7 {
		t.Errorf("export = %d, %d changes, %v, want 7", code, len(changes), err)
	}
}

func TestRefusedOperations(t *testing.T) {
	s := start(t, nil)
	call(t, s, "context_create", `{"title": "Planning"}`)
	call(t, s, "context_create", `{"title": "Plants"}`)
	block := call(t, s, "block_create", `{"context": "Planning", "form": "body", "role": "tool", "content": "fixed"}`)["id"].(string)
	tests := []struct {
		name, op, params string
		code             int
		want             string
	}{
		{"unknown operation", "context_destroy", `{}`, 404, ", block_append, "},
		{"not JSON", "context_create", `{`, 400, "parameters"},
		{"two values", "context_create", `{} {}`, 400, "more than one"},
		{"unknown field", "context_create", `{"name": "x"}`, 400, "there are label, title"},
		{"wrong type", "context_create", `{"title": 5}`, 400, "title"},
		{"long title", "context_create", `{"title": "` + strings.Repeat("x", 2000) + `"}`, 400, "at most 1000"},
		{"no context", "context_get", `{}`, 400, "name one by id"},
		{"unknown context", "context_get", `{"context": "Plannin"}`, 200, ""},
		{"misspelt context", "context_get", `{"context": "Planing"}`, 404, `did you mean \"Planning\"?`},
		{"ambiguous context", "context_get", `{"context": "Plan"}`, 409, "it may mean"},
		{"unknown id", "context_get", `{"context": "01a1fdd7-2aa1-7b03-883c-fba33b82eff9"}`, 404, "on this server"},
		{"unknown block", "block_append", `{"context": "Planning", "block": "01a1fdd7-2aa1-7b03-883c-fba33b82eff9", "text": "x"}`, 404, "block"},
		{"block id that is none", "block_append", `{"context": "Planning", "block": "x", "text": "x"}`, 400, "block"},
		{"record", "block_append", `{"context": "Planning", "block": "` + block + `", "text": "x"}`, 409, "finished record"},
		{"unknown role", "block_create", `{"context": "Planning", "role": "king"}`, 400, "role"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, body := request(t, "POST", s.URL()+"/v1/ops/"+test.op, test.params, nil)
			if code != test.code || !strings.Contains(body, test.want) {
				t.Errorf("%s %s = %d %s, want %d with %q", test.op, test.params, code, body, test.code, test.want)
			}
		})
	}
	if code, body := request(t, "POST", s.URL()+"/v1/ops/context_create", strings.Repeat(" ", 17<<20), nil); code != http.StatusRequestEntityTooLarge {
		t.Errorf("huge parameters = %d %s, want 413", code, body)
	}
}
