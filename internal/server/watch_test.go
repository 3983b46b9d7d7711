package server_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kaijutsu/internal/server"
)

// TestHealth asks a server how it fares, as strangers may.
func TestHealth(t *testing.T) {
	var mu sync.Mutex
	var stages []string
	s := start(t, func(c *server.Config) {
		c.Auth = "token"
		c.Watching.Stage = func(name string) {
			mu.Lock()
			defer mu.Unlock()
			stages = append(stages, name)
		}
	})
	mu.Lock()
	if got, want := strings.Join(stages, " "), "store bus index mounts doors"; got != want {
		t.Errorf("stages were %q, want %q", got, want)
	}
	mu.Unlock()
	for path, want := range map[string]string{"/healthz": "ok\n", "/readyz": "ready\n"} {
		if code, body := request(t, "GET", s.URL()+path, "", nil); code != http.StatusOK || body != want {
			t.Errorf("GET %s = %d %q, want 200 %q", path, code, body, want)
		}
	}
	_, body := request(t, "GET", s.URL()+"/readyz?verbose", "", nil)
	for _, stage := range []string{"store", "bus", "index", "mounts", "doors"} {
		if !strings.Contains(body, "[+] "+stage) {
			t.Errorf("GET /readyz?verbose = %q, want the stage %s open", body, stage)
		}
	}
	_, body = request(t, "GET", s.URL()+"/readyz?verbose", "", map[string]string{"Accept": "application/json"})
	var out struct {
		Ready   bool    `json:"ready"`
		State   string  `json:"state"`
		ReadyMS float64 `json:"ready_ms"`
		Stages  []struct {
			Name   string  `json:"name"`
			Open   bool    `json:"open"`
			TookMS float64 `json:"took_ms"`
		} `json:"stages"`
	}
	if err := json.Unmarshal([]byte(body), &out); err != nil || !out.Ready || out.State != "ready" || out.ReadyMS <= 0 || len(out.Stages) != 5 {
		t.Errorf("GET /readyz?verbose as JSON = %s, %v, want ready, after a time, by five stages", body, err)
	}
	if err := s.Alive(t.Context()); err != nil {
		t.Errorf("Alive = %v, want nil", err)
	}
}

// TestReadyWhileStarting looks at a server in the middle of its start: it says
// that it lives and is not ready, and keeps who comes for something else until
// it is.
func TestReadyWhileStarting(t *testing.T) {
	listen := unusedAddress(t)
	asked, release := make(chan struct{}), make(chan struct{})
	started := make(chan *server.Server, 1)
	go func() {
		s, err := server.Start(server.Config{
			Dir: t.TempDir(), Listen: listen, Log: slog.New(slog.DiscardHandler),
			Watching: server.Watching{Stage: func(name string) {
				if name == "index" {
					close(asked)
					<-release
				}
			}},
		})
		if err != nil {
			t.Error(err)
		}
		started <- s
	}()
	<-asked
	if code, _ := request(t, "GET", "http://"+listen+"/healthz", "", nil); code != http.StatusOK {
		t.Errorf("GET /healthz during the start = %d, want 200", code)
	}
	code, body := request(t, "GET", "http://"+listen+"/readyz?verbose", "", nil)
	if code != http.StatusServiceUnavailable || !strings.Contains(body, "[+] store") || !strings.Contains(body, "[-] doors") || !strings.Contains(body, "not ready: starting") {
		t.Errorf("GET /readyz?verbose during the start = %d %q, want 503, the store open, the doors not", code, body)
	}
	waited := make(chan int, 1)
	go func() {
		resp, err := http.Get("http://" + listen + "/v1/contexts")
		if err != nil {
			t.Error(err)
			waited <- 0
			return
		}
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body)
		waited <- resp.StatusCode
	}()
	close(release)
	s := <-started
	if s == nil {
		return
	}
	defer func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	if code := <-waited; code != http.StatusOK {
		t.Errorf("GET /v1/contexts that came during the start = %d, want 200", code)
	}
}

// TestWhoSeesNumbersAndProfiles asks for what is the owner's alone.
func TestWhoSeesNumbersAndProfiles(t *testing.T) {
	local := start(t, func(c *server.Config) { c.Watching.Metrics = true })
	guarded := start(t, func(c *server.Config) { c.Auth, c.Watching.Metrics = "token", true })
	silent := start(t, nil)
	b, err := os.ReadFile(filepath.Join(guarded.Dir(), "owner.token"))
	if err != nil {
		t.Fatal(err)
	}
	owner := map[string]string{"Authorization": "Bearer " + strings.TrimSpace(string(b))}
	_, made := request(t, "POST", guarded.URL()+"/v1/ops/token_create", `{"name":"boss","kind":"person","role":"owner"}`, owner)
	var token struct {
		Token string `json:"token"`
	}
	if err := json.Unmarshal([]byte(made), &token); err != nil || token.Token == "" {
		t.Fatalf("token_create = %s, %v", made, err)
	}
	other := map[string]string{"Authorization": "Bearer " + token.Token}
	foreign := map[string]string{"Origin": "http://evil.example"}
	for _, path := range []string{"/metrics", "/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/goroutine?debug=1"} {
		tests := []struct {
			name   string
			server *server.Server
			header map[string]string
			want   int
		}{
			{"local", local, nil, 200},
			{"local: foreign page", local, foreign, 403},
			{"local: name that points here", local, map[string]string{"Host": "evil.example"}, 403},
			{"token: the owner's", guarded, owner, 200},
			{"token: none", guarded, nil, 401},
			{"token: another owner's", guarded, other, 403},
		}
		for _, tt := range tests {
			if code, body := request(t, "GET", tt.server.URL()+path, "", tt.header); code != tt.want {
				t.Errorf("%s: GET %s = %d %.200s, want %d", tt.name, path, code, body, tt.want)
			}
		}
	}
	if code, _ := request(t, "GET", local.URL()+"/debug/pprof/cmdline", "", nil); code != http.StatusNotFound {
		t.Errorf("GET /debug/pprof/cmdline = %d, want 404", code)
	}
	if _, body := request(t, "GET", silent.URL()+"/metrics", "", nil); strings.Contains(body, "kaijutsu_ready") {
		t.Errorf("GET /metrics without --metrics shows numbers: %.200s", body)
	}
}

// TestMetrics has operations and changes counted, and names of operations that
// strangers make up not become names of metrics.
func TestMetrics(t *testing.T) {
	s := start(t, func(c *server.Config) { c.Watching.Metrics = true })
	call(t, s, "context_create", `{"title":"counted"}`)
	request(t, "POST", s.URL()+"/v1/ops/no_such_operation", `{}`, nil)
	code, body := request(t, "GET", s.URL()+"/metrics", "", nil)
	if code != http.StatusOK {
		t.Fatalf("GET /metrics = %d %s", code, body)
	}
	for _, want := range []string{
		"\nkaijutsu_ready 1\n", `kaijutsu_operations_total{door="http",operation="context_create",outcome="ok"} 1`,
		`kaijutsu_operation_duration_seconds_count{operation="context_create"} 1`, "kaijutsu_contexts 1\n",
		`kaijutsu_changes_total{origin="local"}`, "kaijutsu_store_commit_duration_seconds_bucket", `kaijutsu_start_stage_seconds{stage="store"}`,
		`kaijutsu_limit_hits_total{limit=`, "go_goroutines", "process_resident_memory_bytes",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("GET /metrics has no %q", want)
		}
	}
	if strings.Contains(body, "no_such_operation") {
		t.Error("GET /metrics has a name that a stranger made up")
	}
}

// TestTraces has a collector get spans of operations, below the span of who
// called, and of what was put on disk.
func TestTraces(t *testing.T) {
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	got := make(chan []byte, 100)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got <- b
	}))
	defer collector.Close()
	s, err := server.Start(server.Config{
		Dir: t.TempDir(), Listen: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler), Version: "test",
		Watching: server.Watching{Traces: collector.URL},
	})
	if err != nil {
		t.Fatal(err)
	}
	request(t, "POST", s.URL()+"/v1/ops/context_create", `{"title":"traced"}`, map[string]string{"Traceparent": "00-" + trace + "-00f067aa0ba902b7-01"})
	if err := s.Close(t.Context()); err != nil { // which sends what is left
		t.Fatal(err)
	}
	close(got)
	var all string
	for b := range got {
		all += string(b) // protocol buffers: texts and ids stand in them as they are
	}
	raw := "\x4b\xf9\x2f\x35\x77\xb3\x4d\xa6\xa3\xce\x92\x9d\x0e\x0e\x47\x36"
	for _, want := range []string{"operation context_create", "commit", raw, "kaijutsu.operation"} {
		if !strings.Contains(all, want) {
			t.Errorf("the collector got no %q", want)
		}
	}
	if strings.Contains(all, "traced") {
		t.Error("the collector got a title")
	}
}

// TestDrainHasAnEnd stops a server while an editor that never answers and a
// follower are connected.
func TestDrainHasAnEnd(t *testing.T) {
	s, err := server.Start(server.Config{Dir: t.TempDir(), Listen: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	sendHello(t, s)
	follower, err := http.Get(s.URL() + "/v1/events")
	if err != nil {
		t.Fatal(err)
	}
	defer follower.Body.Close()
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		t.Errorf("Close = %v, want nil", err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("Close took %v, want at most 5s", took)
	}
	if said, err := io.ReadAll(follower.Body); err != nil || !strings.Contains(string(said), "stopping") {
		t.Errorf("the follower got %q, %v, want to be told that the server stops", said, err)
	}
}

// TestWhoWaitsIsToldOfTheEnd: a call that waits for somebody's answer gets one
// when the server stops.
func TestWhoWaitsIsToldOfTheEnd(t *testing.T) {
	s, err := server.Start(server.Config{Dir: t.TempDir(), Listen: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if code, body := request(t, "POST", s.URL()+"/v1/ops/context_create", `{"title": "Plan"}`, nil); code != http.StatusOK {
		t.Fatalf("context_create: %d %s", code, body)
	}
	type answer struct {
		code int
		body string
	}
	answered := make(chan answer, 1)
	go func() {
		code, body := request(t, "POST", s.URL()+"/v1/ops/elicit", `{"context": "Plan", "message": "ok?", "timeout_s": 50}`, nil)
		answered <- answer{code, body}
	}()
	for {
		if _, body := request(t, "POST", s.URL()+"/v1/ops/elicit_list", `{}`, nil); strings.Contains(body, "ok?") {
			break
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		t.Errorf("Close = %v, want nil", err)
	}
	if got := <-answered; got.code != http.StatusServiceUnavailable || !strings.Contains(got.body, "stopping") {
		t.Errorf("who waited got %d %s, want 503 and that the server stops", got.code, got.body)
	}
}

// sendHello opens a WebSocket by hand, and never says or reads another thing.
func sendHello(t *testing.T, s *server.Server) {
	t.Helper()
	nc, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = nc.Close() })
	hello := "GET /sync HTTP/1.1\r\nHost: " + strings.TrimPrefix(s.URL(), "http://") + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
	if _, err := io.WriteString(nc, hello); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 12)
	if _, err := io.ReadFull(nc, answer); err != nil || string(answer) != "HTTP/1.1 101" {
		t.Fatalf("GET /sync = %q, %v, want a WebSocket", answer, err)
	}
}

// unusedAddress returns a host:port on which nobody listens.
func unusedAddress(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}
