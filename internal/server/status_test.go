package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"kaijutsu/internal/wire"
)

// TestConnectionsAreForOwners: who is connected, and how fast they read, is
// told to owners of the kernel; how the disk fares to everybody who may read.
func TestConnectionsAreForOwners(t *testing.T) {
	g := startGuarded(t, nil)
	reader := g.token("rita", "reader")
	ws, _, err := websocket.Dial(t.Context(), strings.Replace(g.URL(), "http", "ws", 1)+"/sync", &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + reader}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.CloseNow() }()
	if err := ws.Write(t.Context(), websocket.MessageBinary, wire.Encode(wire.Join{SenderID: "tab-1", Versions: []string{"1"}})); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ws.Read(t.Context()); err != nil { // it has joined
		t.Fatal(err)
	}
	rows, _ := g.do("server_status", `{}`)["connections"].([]any)
	if len(rows) != 1 {
		t.Fatalf("the owner sees connections %v, want one", rows)
	}
	row := rows[0].(map[string]any)
	if row["principal"] != "rita" || row["peer_id"] != "tab-1" || row["behind_since"] != nil || row["since"] == "" {
		t.Errorf("connection = %v, want rita's, which keeps up", row)
	}
	code, out := g.try(reader, "server_status", `{}`)
	if _, shown := out["connections"]; code != http.StatusOK || shown {
		t.Errorf("server_status of a reader = %d %v, want no connections", code, out)
	}
	disk, _ := out["storage"].(map[string]any)
	if disk["free_bytes"] == nil || disk["documents"] == float64(0) || disk["write_us"] == float64(0) {
		t.Errorf("storage = %v, want what is free, stored, and how long writes took", disk)
	}
}

// TestWhoami: everybody may ask who they are, and what they may do in a context
// that they may read.
func TestWhoami(t *testing.T) {
	g := startGuarded(t, nil)
	open := g.do("context_create", `{"title": "Open"}`)["id"].(string)
	g.do("context_create", `{"title": "Shut"}`)
	guest := g.token("guest", "none")
	g.do("role_set", `{"principal": "guest", "role": "commenter", "context": "`+open+`"}`)
	code, out := g.try(guest, "whoami", `{"context": "Open"}`)
	if code != http.StatusOK || out["principal"] != "guest" || out["kind"] != "person" || out["role"] != "none" || out["context_role"] != "commenter" || out["context"] != open || out["kernel"] != "main" {
		t.Errorf("whoami = %d %v, want guest, none on the kernel, commenter at Open", code, out)
	}
	if code, out := g.try(guest, "whoami", `{"context": "Shut"}`); kindOf(code, out) != "not_found" {
		t.Errorf("whoami at a context that is not for them = %d %v, want not_found", code, out)
	}
	if out := g.do("whoami", `{}`); out["role"] != "owner" || out["context_role"] != nil {
		t.Errorf("whoami of the owner = %v", out)
	}
}
