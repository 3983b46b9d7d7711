package server_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"kaijutsu"
	"kaijutsu/blocks"
	"kaijutsu/internal/editor"
	"kaijutsu/internal/limit"
	"kaijutsu/internal/server"
)

// limited starts a server with one limit.
func limited(t *testing.T, name limit.Name, value int64) *server.Server {
	t.Helper()
	return start(t, func(c *server.Config) { c.Limits = map[limit.Name]int64{name: value} })
}

func TestOperationsAboveTheRateAre429(t *testing.T) {
	s := limited(t, limit.Operations, 1) // 5 at once
	deadline := time.Now().Add(time.Minute)
	for {
		code, body := request(t, "POST", s.URL()+"/v1/ops/whoami", "{}", nil)
		if code == http.StatusOK && time.Now().Before(deadline) {
			continue
		}
		if code != http.StatusTooManyRequests || !strings.Contains(body, `"retry_after":1`) || !strings.Contains(body, "limit operations-per-second") {
			t.Fatalf("answered %d %s, want 429 and the limit", code, body)
		}
		break
	}
	call(t, s, "limit_set", `{"name":"operations-per-second","value":"none"}`) // an owner is never locked out
	for range 20 {
		call(t, s, "whoami", "{}")
	}
}

func TestQuotasOfOperations(t *testing.T) {
	s := start(t, nil)
	id := call(t, s, "context_create", `{"title":"Full"}`)["id"].(string)
	for _, tt := range []struct {
		name, value, op, in string
		status              int
		want                string
	}{
		{"document-bytes", "100", "block_create", fmt.Sprintf(`{"context":%q,"content":"more"}`, id), 413, "limit document-bytes"},
		{"change-bytes", "100", "block_create", fmt.Sprintf(`{"context":%q,"content":%q}`, id, randomText(500)), 413, "limit change-bytes"},

		{"documents-per-hour", "1", "context_create", `{"title":"Another"}`, 429, "limit documents-per-hour"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			call(t, s, "limit_set", fmt.Sprintf(`{"name":%q,"value":%q}`, tt.name, tt.value))
			defer call(t, s, "limit_set", fmt.Sprintf(`{"name":%q,"value":"default"}`, tt.name))
			code, body := 0, ""
			for range 3 { // the first may still be within it
				if code, body = request(t, "POST", s.URL()+"/v1/ops/"+tt.op, tt.in, nil); code == tt.status {
					break
				}
			}
			if code != tt.status || !strings.Contains(body, tt.want) {
				t.Errorf("answered %d %s, want %d and %q", code, body, tt.status, tt.want)
			}
		})
	}
	call(t, s, "block_create", fmt.Sprintf(`{"context":%q,"content":"after it"}`, id))
}

// randomText is text that does not compress well.
func randomText(n int) string {
	var b strings.Builder
	for x := uint32(1); b.Len() < n; x = x*1664525 + 1013904223 {
		b.WriteByte('a' + byte(x>>24)%26)
	}
	return b.String()
}

func TestAChangeBeyondAQuotaIsRefusedAndTheEditorTold(t *testing.T) {
	s := start(t, nil)
	id := call(t, s, "context_create", `{"title":"Full"}`)["id"].(string)
	told := make(chan string, 16)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client, err := editor.Dial(ctx, editor.Config{URL: s.SyncURL(), OnError: func(m string) { told <- m }})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	cid, err := kaijutsu.ParseContextID(id)
	if err != nil {
		t.Fatal(err)
	}
	doc := client.Open(ctx, cid.Document())
	if err := doc.Wait(ctx, func() bool { return doc.Len() > 0 }); err != nil {
		t.Fatal(err)
	}
	call(t, s, "limit_set", `{"name":"document-bytes","value":"1"}`)
	h, err := doc.Edit(ctx, func(tx *blocks.Tx) error { return tx.SetTitle("Too much") })
	if err != nil {
		t.Fatal(err)
	}
	select {
	case m := <-told:
		if !strings.Contains(m, "limit document-bytes") {
			t.Errorf("told %q, want the limit", m)
		}
	case <-ctx.Done():
		t.Fatal("nobody told the editor")
	}
	if doc.Stored(h) {
		t.Error("a refused change was acknowledged")
	}
	call(t, s, "limit_set", `{"name":"document-bytes","value":"none"}`)
	client.Disconnect()
	if err := client.Connect(ctx); err != nil {
		t.Fatal(err)
	}
	if err := doc.WaitStored(ctx, h); err != nil {
		t.Errorf("with the limit gone: %v", err)
	}
}

func TestHostileRequests(t *testing.T) {
	s := limited(t, limit.Strangers, 3)
	addr := strings.TrimPrefix(s.URL(), "http://")
	var packed bytes.Buffer
	zw := gzip.NewWriter(&packed)
	_, _ = zw.Write([]byte("{}"))
	_ = zw.Close()
	if code, _ := request(t, "POST", s.URL()+"/v1/ops/whoami", packed.String(), map[string]string{"Content-Encoding": "gzip"}); code != http.StatusBadRequest {
		t.Errorf("a body in gzip: %d, want 400", code)
	}
	if code, _ := request(t, "GET", s.URL()+"/v1/ops", "", map[string]string{"X-Large": strings.Repeat("a", 100<<10)}); code != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a large header: %d, want 431", code)
	}
	var strangers []net.Conn
	for range 4 {
		nc, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		if _, err := nc.Write([]byte("GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: a")); err != nil {
			t.Fatal(err)
		}
		strangers = append(strangers, nc)
	}
	_ = strangers[0].SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := io.ReadAll(strangers[0]); err != nil && strings.Contains(err.Error(), "timeout") {
		t.Error("the oldest of too many that say nothing was not closed")
	}
	call(t, s, "whoami", "{}")
}
