package server_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestWhoMayBackUp: a backup holds everything, so nobody takes one but who owns
// the kernel, with a token that is for all of it.
func TestWhoMayBackUp(t *testing.T) {
	g := startGuarded(t, nil)
	g.do("context_create", `{"title": "Plan"}`)
	narrow := func(params string) string {
		token, _ := g.do("token_create", params)["token"].(string)
		return token
	}
	for _, tt := range []struct {
		who, token string
		may        bool
	}{
		{"nobody", "", false},
		{"a reader", g.token("a-reader", "reader"), false},
		{"a commenter", g.token("a-commenter", "commenter"), false},
		{"an editor", g.token("an-editor", "editor"), false},
		{"an owner", g.token("an-owner", "owner"), true},
		{"an owner of one context", narrow(`{"name": "of-plan", "role": "owner", "contexts": ["Plan"]}`), false},
		{"an owner with one operation", narrow(`{"name": "of-one", "role": "owner", "only": ["server_backup"]}`), false},
		{"an owner with less", narrow(`{"name": "less", "role": "owner", "limit": "editor"}`), false},
	} {
		for _, path := range []string{"/v1/backup", "/v1/backup/done"} {
			req, err := http.NewRequestWithContext(t.Context(), "POST", g.URL()+path, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			if tt.token != "" {
				req.Header.Set("Authorization", "Bearer "+tt.token)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			refused := resp.StatusCode == http.StatusForbidden || resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusNotFound && path == "/v1/backup"
			if refused == tt.may {
				t.Errorf("%s at %s: %s, want allowed = %v", tt.who, path, resp.Status, tt.may)
			}
		}
	}
}
