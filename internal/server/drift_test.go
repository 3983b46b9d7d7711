package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"kaijutsu/internal/records"
	"kaijutsu/internal/server"
)

// pushes stages or delivers a drift from A to B.
func pushes(t *testing.T, s *server.Server, content string, stage bool) map[string]any {
	t.Helper()
	return call(t, s, "drift_push", fmt.Sprintf(`{"context":"A","to":"B","content":%q,"stage":%v}`, content, stage))
}

func waiting(t *testing.T, s *server.Server, list string) []any {
	t.Helper()
	items, _ := call(t, s, list, "{}")["items"].([]any)
	return items
}

// session starts a server that the test ends.
func session(t *testing.T, dir string) (s *server.Server, end func()) {
	t.Helper()
	s, err := server.Start(server.Config{Dir: dir, Listen: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler), Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return s, func() {
		if err := s.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTheQueueIsNobodysDocument asks for the queue of drifts by its id, and for
// what it holds.
func TestTheQueueIsNobodysDocument(t *testing.T) {
	s := start(t, nil)
	call(t, s, "context_create", `{"title":"A"}`)
	call(t, s, "context_create", `{"title":"B"}`)
	pushes(t, s, "a secret of the queue", true)
	doc := records.DocumentIDOf("drift", "main")
	for _, ask := range []struct{ op, params string }{
		{"context_get", fmt.Sprintf(`{"context":%q}`, doc.Name())},
		{"context_export", fmt.Sprintf(`{"context":%q,"format":"automerge"}`, doc.URL())},
		{"context_fork", fmt.Sprintf(`{"context":%q}`, doc.Name())},
		{"events_follow", fmt.Sprintf(`{"context":%q}`, doc.Name())},
		{"drift_push", fmt.Sprintf(`{"context":"A","to":%q,"content":"x"}`, doc.Name())},
		{"drift_pull", fmt.Sprintf(`{"context":"A","from":%q}`, doc.Name())},
		{"context_delete", fmt.Sprintf(`{"context":%q,"force":true}`, doc.Name())},
	} {
		if code, body := request(t, "POST", s.URL()+"/v1/ops/"+ask.op, ask.params, nil); code != http.StatusNotFound {
			t.Errorf("%s %s = %d %s, want not found", ask.op, ask.params, code, body)
		}
	}
	if code, body := request(t, "GET", s.URL()+"/v1/contexts/"+doc.String()+"/export", "", nil); code != http.StatusNotFound {
		t.Errorf("export of the queue = %d %.100s, want not found", code, body)
	}
	for _, list := range []string{"context_list", "drift_list", "drift_graph"} {
		if b, err := json.Marshal(call(t, s, list, "{}")); err != nil || bytes.Contains(b, []byte(doc.Name())) {
			t.Errorf("%s shows the queue: %s", list, b)
		}
	}
	if b, err := json.Marshal(call(t, s, "kernel_search", `{"query":"secret of the queue"}`)); err != nil || bytes.Contains(b, []byte("a secret of the queue")) {
		t.Errorf("the search finds what is queued: %s", b)
	}
}

// TestAStatusTellsOfDeadLetters has a delivery fail for good.
func TestAStatusTellsOfDeadLetters(t *testing.T) {
	s := start(t, nil)
	call(t, s, "context_create", `{"title":"A"}`)
	call(t, s, "context_create", `{"title":"B"}`)
	pushes(t, s, "late", true)
	pushes(t, s, "later", true)
	call(t, s, "drift_cancel", `{"item":2}`)
	call(t, s, "context_archive", `{"context":"B"}`)
	status := func() string {
		b, err := json.Marshal(call(t, s, "node_status", "{}"))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if got := status(); !strings.Contains(got, `"staged":1`) || !strings.Contains(got, `"problems":[]`) {
		t.Errorf("with one staged the status is %s", got)
	}
	for range 5 {
		call(t, s, "drift_flush", `{"context":"A"}`)
	}
	if got := status(); !strings.Contains(got, `"dead_letters":1`) || !strings.Contains(got, "kj drift dead") {
		t.Errorf("with a dead letter the status is %s", got)
	}
	call(t, s, "context_archive", `{"context":"B","archived":false}`)
	call(t, s, "drift_replay", `{"item":"all"}`)
	if got := status(); !strings.Contains(got, `"dead_letters":0`) || !strings.Contains(got, `"problems":[]`) {
		t.Errorf("after the replay the status is %s", got)
	}
}

// TestDriftsOutliveTheServer stops the server with one drift staged and one
// dead, and starts it again.
func TestDriftsOutliveTheServer(t *testing.T) {
	dir := t.TempDir()
	in := func(c *server.Config) { c.Dir = dir }
	s, end := session(t, dir)
	call(t, s, "context_create", `{"title":"A"}`)
	call(t, s, "context_create", `{"title":"B"}`)
	call(t, s, "drift_policy_set", `{"act":"ask"}`)
	call(t, s, "drift_link_set", `{"name":"lab","url":"http://127.0.0.1:9","token":"a-secret-token"}`)
	pushes(t, s, "dead", true)
	call(t, s, "context_archive", `{"context":"B"}`)
	for range 5 {
		call(t, s, "drift_flush", `{"context":"A"}`)
	}
	call(t, s, "context_archive", `{"context":"B","archived":false}`)
	pushes(t, s, "staged", true)
	end()

	s = start(t, in)
	if n := len(waiting(t, s, "drift_queue")); n != 1 {
		t.Errorf("%d drifts are staged after a restart, want 1", n)
	}
	if n := len(waiting(t, s, "drift_dead_letters")); n != 1 {
		t.Errorf("%d dead letters are there after a restart, want 1", n)
	}
	if got := call(t, s, "drift_policy", "{}")["act"]; got != "ask" {
		t.Errorf("after a restart act is %v, want ask", got)
	}
	if got := pushes(t, s, "third", true)["number"]; got != 3.0 {
		t.Errorf("the next number is %v, want 3: none is used again", got)
	}
	call(t, s, "drift_flush", `{"context":"A"}`)
	call(t, s, "drift_replay", `{"item":1}`)
	if n := len(waiting(t, s, "drift_queue")) + len(waiting(t, s, "drift_dead_letters")); n != 0 {
		t.Errorf("%d drifts wait when all are delivered", n)
	}
}

// heard is what a server has logged.
type heard struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (h *heard) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(b)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

// TestATokenOfALinkStaysInside looks for it in whatever the server tells.
func TestATokenOfALinkStaysInside(t *testing.T) {
	var log heard
	s := start(t, func(c *server.Config) {
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	call(t, s, "drift_link_set", `{"name":"lab","url":"http://127.0.0.1:9","token":"a-secret-token"}`)
	call(t, s, "context_create", `{"title":"A"}`)
	var told strings.Builder
	for _, ask := range []struct{ op, params string }{
		{"drift_link_list", `{}`}, {"server_status", `{}`}, {"node_status", `{}`}, {"drift_policy", `{}`}, {"drift_queue", `{}`},
		{"drift_push", `{"context":"A","to":"lab:Plan","content":"x"}`}, {"drift_queue", `{}`}, {"drift_link_remove", `{"name":"lab"}`},
	} {
		_, body := request(t, "POST", s.URL()+"/v1/ops/"+ask.op, ask.params, nil)
		told.WriteString(body)
	}
	if strings.Contains(told.String(), "a-secret-token") || strings.Contains(log.String(), "a-secret-token") {
		t.Errorf("the token is told: %s %s", told.String(), log.String())
	}
}

// TestTheIndexOfDriftsMayGo deletes the cache, and finds everything again.
func TestTheIndexOfDriftsMayGo(t *testing.T) {
	dir := t.TempDir()
	in := func(c *server.Config) { c.Dir = dir }
	s, end := session(t, dir)
	call(t, s, "context_create", `{"title":"A"}`)
	call(t, s, "context_create", `{"title":"B"}`)
	pushes(t, s, "news", false)
	before := call(t, s, "drift_graph", "{}")
	end()
	files := 0
	err := filepath.WalkDir(filepath.Join(dir, "drift"), func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files++
		}
		return err
	})
	if err != nil || files == 0 {
		t.Fatalf("the cache has %d files (%v), want some", files, err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "drift")); err != nil {
		t.Fatal(err)
	}
	s = start(t, in)
	if after := call(t, s, "drift_graph", "{}"); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("without the cache the graph is %v, want %v", after, before)
	}
}
