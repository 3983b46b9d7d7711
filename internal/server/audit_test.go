package server_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kaijutsu"
	"kaijutsu/blocks"
)

// TestAuditLog: what is refused and what few may do is written down, whatever
// door it came to, without text and without secrets; and only owners read it.
func TestAuditLog(t *testing.T) {
	g := startGuarded(t, nil)
	const text = "the words of a block"
	plan, err := kaijutsu.ParseContextID(g.do("context_create", `{"title": "Plan"}`)["id"].(string))
	if err != nil {
		t.Fatal(err)
	}
	reader := g.token("amy", "reader")
	g.try(reader, "block_create", `{"context": "Plan", "content": "`+text+`"}`) // refused
	g.do("role_set", `{"principal": "amy", "role": "reader", "context": "Plan"}`)
	session, err := g.session(reader)
	if err != nil {
		t.Fatal(err)
	}
	g.tool(session, "block_create", `{"context": "Plan", "content": "`+text+`"}`) // refused
	client, told := g.editor(reader)
	doc := client.Open(t.Context(), plan.Document())
	if err := doc.Wait(t.Context(), func() bool { return doc.Len() > 0 }); err != nil {
		t.Fatal(err)
	}
	if _, err := doc.Edit(t.Context(), func(tx *blocks.Tx) error { return tx.SetTitle(text) }); err != nil {
		t.Fatal(err)
	}
	wait(t, "the refusal of a change", told)
	g.try("kj_"+strings.Repeat("x", 43), "whoami", `{}`) // nobody
	for _, token := range []string{g.owner, "kj_wrong"} {
		request(t, "POST", g.URL()+"/login", `{"token": "`+token+`"}`, map[string]string{"Content-Type": "application/json"})
	}
	g.do("token_revoke", `{"token": "amy"}`)
	g.do("context_delete", `{"context": "Plan", "force": true}`)

	entries := g.do("audit_list", `{"limit": 1000}`)["entries"].([]any)
	var got []string
	for _, e := range entries {
		e := e.(map[string]any)
		of := func(name string) string { s, _ := e[name].(string); return s }
		about, _ := e["about"].(map[string]any)
		role, _ := about["role"].(string)
		got = append(got, strings.TrimSpace(strings.Join([]string{of("action"), of("outcome"), of("principal"), of("door"), role}, " ")))
		if of("from") != "127.0.0.1" && of("door") != "sync" {
			t.Errorf("%v has no address", e)
		}
	}
	for _, want := range []string{
		"token_create done owner http reader", "block_create refused amy http", "role_set done owner http reader", "block_create refused amy mcp",
		"change refused amy sync", "connect refused  http", "login done owner page", "login refused  page", "token_revoke done owner http", "context_delete done owner http",
		"address done amy http", "address done owner http",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no entry %q in\n%s", want, strings.Join(got, "\n"))
		}
	}
	if _, out := g.try(g.owner, "audit_list", `{"principal": "amy", "outcome": "refused", "action": "block_*", "limit": 1}`); len(out["entries"].([]any)) != 1 || out["more"] != true {
		t.Errorf("filtered = %v, want the newest of two", out)
	}
	if code, out := g.try(g.token("ben", "editor"), "audit_list", `{}`); kindOf(code, out) != "denied" {
		t.Errorf("audit_list by an editor = %d %v, want denied", code, out)
	}
	files, err := filepath.Glob(filepath.Join(g.Dir(), "audit", "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files = %v, %v, want one", files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{text, reader, g.owner, strings.Repeat("x", 43)} {
		if strings.Contains(string(b), secret) {
			t.Errorf("the log holds %.12s…", secret)
		}
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v, want 0600", info.Mode(), err)
	}
}

// TestGuessing: an address from which too many wrong tokens come is held off,
// and those who are there already go on.
func TestGuessing(t *testing.T) {
	g := startGuarded(t, nil)
	known, fresh := g.token("amy", "reader"), g.token("ben", "reader")
	if code, out := g.try(known, "whoami", `{}`); code != http.StatusOK {
		t.Fatalf("whoami = %d %v", code, out)
	}
	held := 0
	for range 150 {
		code, _ := g.try("kj_wrong", "whoami", `{}`)
		switch code {
		case http.StatusUnauthorized:
			if held > 0 {
				t.Fatal("a guess is answered again within the minute")
			}
		case http.StatusServiceUnavailable, http.StatusTooManyRequests:
			held++
		default:
			t.Fatalf("a wrong token = %d", code)
		}
	}
	if held != 50 {
		t.Errorf("%d of 150 guesses were held off, want those after the hundredth", held)
	}
	if code, _ := g.try(fresh, "whoami", `{}`); code == http.StatusOK {
		t.Error("a token that was never used from there is taken: a guess would be")
	}
	if code, out := g.try(known, "whoami", `{}`); code != http.StatusOK {
		t.Errorf("whoami by who was there before = %d %v", code, out)
	}
}
