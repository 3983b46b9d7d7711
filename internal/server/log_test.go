package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"kaijutsu/internal/server"
)

// logbook is what a server logs, all of it.
type logbook struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// marked is in every text that the test writes, and nowhere else.
const marked = "quokka-7f3a91"

// TestLogHoldsNoText drives a server through every operation that there is,
// with marked texts in every parameter that takes any, well and badly made,
// through doors and by wrong and right tokens, and finds neither texts nor
// secrets in what it logged, down to debug.
func TestLogHoldsNoText(t *testing.T) {
	log := &logbook{}
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer collector.Close()
	s := start(t, func(c *server.Config) {
		c.Auth = "token"
		c.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		c.Watching = server.Watching{Metrics: true, Traces: collector.URL}
	})
	b, err := os.ReadFile(filepath.Join(s.Dir(), "owner.token"))
	if err != nil {
		t.Fatal(err)
	}
	owner := strings.TrimSpace(string(b))
	header := map[string]string{"Authorization": "Bearer " + owner}
	secrets := []string{marked, owner}
	do := func(op string, params any) map[string]any {
		t.Helper()
		p, err := json.Marshal(params)
		if err != nil {
			t.Fatal(err)
		}
		_, body := request(t, "POST", s.URL()+"/v1/ops/"+op, string(p), header)
		var out map[string]any
		_ = json.Unmarshal([]byte(body), &out) // refused ones are wanted too
		return out
	}
	made := do("context_create", map[string]any{"title": "house of " + marked})
	ctx, _ := made["id"].(string)
	if ctx == "" {
		t.Fatalf("context_create = %v, want an id", made)
	}
	block, _ := do("block_create", map[string]any{"context": ctx, "content": "a text with " + marked})["id"].(string)
	token := do("token_create", map[string]any{"name": "amy", "principal": "amy", "kind": "person", "role": "read"})
	for _, v := range token {
		if secret, ok := v.(string); ok && len(secret) >= 32 {
			secrets = append(secrets, secret)
			header := map[string]string{"Authorization": "Bearer " + secret}
			request(t, "POST", s.URL()+"/v1/ops/block_create", fmt.Sprintf(`{"context":%q,"content":%q}`, ctx, marked), header)
		}
	}
	for _, op := range operationsOf(t, s, header) {
		for _, params := range []map[string]any{
			{},
			{"context": ctx, "block": block},
			{"context": ctx, "block": block, "content": marked, "text": marked, "query": marked, "pattern": marked + "(", "title": marked},
			{"context": marked, "block": marked, "name": marked, "path": "/" + marked, "message": marked, "reason": marked, "to": marked},
			{marked: marked},
		} {
			if op == "context_delete" || op == "token_revoke" || op == "token_rotate" {
				continue // the test goes on with what they would end
			}
			do(op, params)
		}
	}
	request(t, "POST", s.URL()+"/v1/ops/block_create", `{"context": "`+marked, header)
	wrong := "wrong-" + marked + "-token-of-somebody-else"
	for _, h := range []map[string]string{{"Authorization": "Bearer " + wrong}, {"Cookie": "kj_token=" + wrong}} {
		request(t, "GET", s.URL()+"/v1/contexts", "", h)
		request(t, "GET", s.URL()+"/metrics", "", h)
		request(t, "POST", s.URL()+"/mcp", marked, h)
	}
	request(t, "GET", s.URL()+"/?token="+wrong, "", nil)
	request(t, "GET", s.URL()+"/?token="+owner, "", nil)
	request(t, "GET", s.URL()+"/v1/events?pattern="+marked, "", header)
	request(t, "POST", s.URL()+"/login", `{"token":"`+wrong+`"}`, map[string]string{"Content-Type": "application/json"})
	request(t, "POST", s.URL()+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"`+marked+`"}`, header)
	sendGarbage(t, s, owner)
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	for line := range strings.Lines(log.String()) {
		for _, secret := range secrets {
			if strings.Contains(line, secret) {
				t.Errorf("the log holds %q: %s", secret, line)
			}
		}
	}
	if !strings.Contains(log.String(), "operation failed") {
		t.Errorf("the log holds no failed operation; is it the server's?\n%s", log)
	}
}

// operationsOf lists the operations of a server.
func operationsOf(t *testing.T, s *server.Server, header map[string]string) []string {
	t.Helper()
	code, body := request(t, "GET", s.URL()+"/v1/ops", "", header)
	var out struct {
		Operations []struct {
			Name string `json:"name"`
		} `json:"operations"`
	}
	if err := json.Unmarshal([]byte(body), &out); code != http.StatusOK || err != nil || len(out.Operations) < 50 {
		t.Fatalf("GET /v1/ops = %d, %v, %d operations", code, err, len(out.Operations))
	}
	var names []string
	for _, o := range out.Operations {
		names = append(names, o.Name)
	}
	return names
}

// sendGarbage joins as an editor, or does not, and says what is no message.
func sendGarbage(t *testing.T, s *server.Server, owner string) {
	t.Helper()
	for _, frame := range []string{marked, "\xa2dtypedjoin" + marked, "\xa3dtypehephemeraldpeer" + marked} {
		ws, _, err := websocket.Dial(t.Context(), s.SyncURL()+"?token="+owner, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := ws.Write(t.Context(), websocket.MessageBinary, []byte(frame)); err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, _, err = ws.Read(context.Background()) // until the server has had enough
		}
		_ = ws.CloseNow()
	}
}
